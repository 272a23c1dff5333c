//! Carriers: what takes the link's datagrams to one authenticated peer and back.
//!
//! The link's core decides what is worth sending and when; a carrier only moves bytes. It runs on the link thread,
//! never blocks outside [`Transport::wait`], and each call does a bounded amount of work: one batch out, one burst of
//! received packets in.
//!
//! [`quic`] is the carrier in use: QUIC DATAGRAM (RFC 9221) driven from our own loop. [`keys`] and [`trust`] hold the
//! pinned keys both ends prove themselves with, [`realtime`] prepares the thread that runs the loop.

pub mod clock;
pub mod close;
mod control_group;
pub mod counters;
pub mod error;
pub mod keys;
pub mod quic;
pub mod realtime;
mod socket;
mod tls;
pub mod trust;

#[cfg(test)]
mod tests;

use core::time::Duration;
use std::os::fd::BorrowedFd;

use tokkyu_contract::{Class, MonoTime};

pub use close::CloseReason;
pub use counters::{CarrierCounters, FailedHandshakes, Rejected};
pub use error::CarrierError;
pub use keys::{KeyError, PublicKey, SecretKey};
pub use quic::{Call, Elsewhere, QuicConfig, QuicTransport, wait_for};
pub use trust::TrustStore;

/// What the link's core needs beneath it: unreliable datagrams to one authenticated peer.
///
/// One turn of the loop that drives it:
///
/// ```text
/// wait(until = min(core's deadline, deadline()))      ppoll: packets, room in the socket, or a wake-up
///   -> receive(now, sink)                             everything the socket holds, a bounded burst
///   -> on_timer(now)                                  when deadline() has passed; harmless earlier
///   -> while ready(): send(now, class, datagram) ...  flush(now)
/// ```
pub trait Transport {
    /// Where the connection stands.
    fn state(&self) -> &TransportState;

    /// Largest datagram [`send`](Self::send) takes, in bytes. 0 until the first session is up, then constant for as
    /// long as the session is.
    fn max_datagram(&self) -> usize;

    /// Bytes of the IP packet that the largest datagram travels in; 0 until the first session is up.
    fn ip_bytes(&self) -> usize;

    /// Whether the session has shorter packets than this end would, as the path took no others when it began. False
    /// until the first session is up.
    fn is_short(&self) -> bool;

    /// The shortest datagram of the session that the device refused for its length (EMSGSIZE) since this was asked last.
    fn take_refused_size(&mut self) -> Option<usize>;

    /// Round-trip time the handshake of the present session measured.
    fn handshake_rtt(&self) -> Option<Duration>;

    /// Whether packets may be pulled from the core: the session is up and the socket takes more.
    ///
    /// A datagram pulled after `true` is always taken, so nothing that left the core's queues is lost here.
    fn ready(&self) -> bool;

    /// Queues one datagram of 1 to [`max_datagram`](Self::max_datagram) bytes.
    ///
    /// At most one batch is queued: a full batch, another class or another size sends what is there first, because a
    /// batch goes to the kernel in one call and has one size and one mark. Datagrams of one batch that fit a packet
    /// together travel, and get lost, together; a [`flush`](Self::flush) between them keeps their fates apart.
    ///
    /// # Errors
    /// [`SendRefused`]; the datagram was not taken.
    fn send(&mut self, now: MonoTime, class: Class, datagram: &[u8]) -> Result<(), SendRefused>;

    /// Hands everything queued to the socket at once.
    fn flush(&mut self, now: MonoTime);

    /// Reads a bounded burst of packets and gives each datagram of the session to `sink`, in order of arrival. What
    /// the carrier itself owes the peer (acknowledgements, handshakes) is sent before it returns.
    fn receive(&mut self, now: MonoTime, sink: &mut dyn FnMut(Received<'_>));

    /// When [`on_timer`](Self::on_timer) wants to be called next.
    fn deadline(&mut self) -> Option<MonoTime>;

    /// Does what is due: keep-alives, probes, time-outs.
    fn on_timer(&mut self, now: MonoTime);

    /// Everything counted since the carrier was made.
    fn counters(&self) -> CarrierCounters;

    /// Ends the session and tells the peer why. The text is cut to what fits one packet.
    fn close(&mut self, now: MonoTime, reason: &str);

    /// Sleeps until packets arrive (unless they are left in the socket), the blocked socket takes more, `wake` becomes
    /// readable, or `until`.
    fn wait(&mut self, until: MonoTime, packets: Packets, wake: Option<BorrowedFd<'_>>) -> WaitResult;
}

/// Where a carrier's connection stands. `quic/lifecycle.rs` draws how it moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportState {
    /// The vehicle: handshake under way. The operator: no peer has come yet.
    Connecting,
    /// Datagrams flow to an authenticated peer.
    Up {
        /// Counts the sessions from 1. Another number is another peer process: whatever was agreed with the last one
        /// (packet numbers, catalogues, clock offset) is void.
        session: u64,
    },
    /// The session, or the attempt to get one, ended. The operator still listens and may come up again by itself;
    /// the vehicle has to be told to reconnect.
    Closed(CloseReason),
}

impl TransportState {
    /// Whether datagrams flow.
    pub fn is_up(&self) -> bool {
        matches!(self, TransportState::Up { .. })
    }
}

/// A datagram from the peer.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The session it belongs to, as [`TransportState::Up`] numbers them: it may have begun in this very call.
    pub session: u64,
    /// The datagram.
    pub bytes: &'a [u8],
    /// A router marked its packet "congestion experienced" (RFC 3168).
    pub ce: bool,
    /// When its packet reached this machine: the kernel's stamp where there is one, else when it was read. May lie a
    /// little after the `now` of the [`Transport::receive`] that delivers it.
    pub at: MonoTime,
}

/// Why a datagram was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendRefused {
    /// No session is up.
    #[error("no session with the peer is up")]
    NotUp,
    /// The socket's buffer and our batch are full: [`Transport::ready`] was false.
    #[error("the socket's send buffer is full; wait until it is writable")]
    Blocked,
    /// The datagram is empty or longer than the path carries.
    #[error("a datagram of {bytes} bytes: the path carries 1 to {max}")]
    Size {
        /// Its size.
        bytes: usize,
        /// [`Transport::max_datagram`].
        max: usize,
    },
}

/// Whether packets that arrive end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// The first one does.
    Wake,
    /// They stay in the socket.
    Gather,
}

/// What ended [`Transport::wait`]; nothing set means its time was up or a signal came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitResult {
    /// Packets wait: call [`Transport::receive`].
    pub readable: bool,
    /// The socket that was full takes more: call [`Transport::flush`].
    pub writable: bool,
    /// The wake-up descriptor is readable.
    pub woken: bool,
}
