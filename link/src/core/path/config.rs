//! What a path is told at its start.

use std::time::Duration;

/// A round trip of the handshake below which parity is not to be expected, and its tables are built when it is wanted after
/// all: a LAN's, with two signatures made and checked.
const SHORT_HANDSHAKE: Duration = Duration::from_millis(3);

/// Number of a path within its session, at one end; less than [`PathId::COUNT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u8);

impl PathId {
    /// The path that a session begins with.
    pub const FIRST: PathId = PathId(0);

    /// Numbers of paths.
    pub const COUNT: u8 = 4;

    /// Its bit in a set of paths.
    pub fn bit(self) -> u8 {
        1 << (self.0 % Self::COUNT)
    }
}

/// What a path is told at its start.
#[derive(Clone, Copy, Debug)]
pub struct PathConfig {
    /// Largest datagram the carrier takes, bytes. At least 256.
    pub max_datagram: usize,
    /// Bytes of the IP packet it travels in (LNK-85).
    pub ip_bytes: usize,
    /// What the carrier and the network add to a datagram on the wire, bytes.
    pub overhead_bytes: usize,
    /// Never send faster, bit/s on the wire.
    pub max_bps: f64,
    /// Round trip of the carrier's handshake.
    pub handshake_rtt: Option<Duration>,
}

impl PathConfig {
    /// Where a repair takes less time than coding nothing is coded (LNK-42).
    pub fn wants_parity(&self) -> bool {
        self.handshake_rtt.is_none_or(|rtt| rtt >= SHORT_HANDSHAKE)
    }
}
