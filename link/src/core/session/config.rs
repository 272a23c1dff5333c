//! What a session is told at its start.

use crate::core::path::{PathConfig, PathId};
use std::time::Duration;

/// What a session is told at its start.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// The path that the session begins with.
    pub first_path: PathId,
    /// Largest datagram the carrier takes, bytes. At least 256.
    pub max_datagram: usize,
    /// Bytes of the IP packet it travels in (LNK-85).
    pub ip_bytes: usize,
    /// What the carrier and the network add to a datagram on the wire, bytes.
    pub overhead_bytes: usize,
    /// Bytes held in each direction at most (LNK-7 to LNK-9). Less than 64 KiB is taken as that.
    pub memory_bytes: usize,
    /// Never send faster, bit/s on the wire.
    pub max_bps: f64,
    /// Longest silence before the peer counts as gone (LNK-17).
    pub lease: Duration,
    /// Round trip of the carrier's handshake.
    pub handshake_rtt: Option<Duration>,
}

impl SessionConfig {
    /// What the first path is told of it.
    pub fn path(&self) -> PathConfig {
        let SessionConfig { max_datagram, ip_bytes, overhead_bytes, max_bps, handshake_rtt, .. } = *self;
        PathConfig { max_datagram, ip_bytes, overhead_bytes, max_bps, handshake_rtt }
    }
}

impl Default for SessionConfig {
    /// Ethernet with QUIC over IPv4: 31 bytes QUIC, 28 UDP/IP, 14 Ethernet, 24 preamble, checksum and gap.
    fn default() -> Self {
        SessionConfig {
            first_path: PathId::FIRST,
            max_datagram: 1434,
            ip_bytes: 1500,
            overhead_bytes: 97,
            memory_bytes: 256 << 20,
            max_bps: 10e9,
            lease: Duration::from_secs(1),
            handshake_rtt: None,
        }
    }
}
