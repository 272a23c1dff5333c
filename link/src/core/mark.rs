//! A point of a burst, as both ends saw it.

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Marks further apart are not compared.
pub const LONGEST_SAMPLE: Duration = Duration::from_secs(1);

/// A point of a burst: a packet, when it was sent, and what the receiver had when it came.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Packet number.
    pub number: u64,
    /// Burst of the packet.
    pub burst: u32,
    /// Its position in the burst.
    pub in_burst: u32,
    /// When it was sent.
    pub sent_at: MonoTime,
    /// Datagram bytes sent up to and including it.
    pub bytes_sent: u64,
    /// When it came, receiver's clock, µs, 32 bits.
    pub received_us: u32,
    /// Datagram bytes received by then, modulo 2³².
    pub bytes_received: u32,
    /// Received minus sent by the two clocks: one-way delay plus a constant.
    pub one_way_nanos: i64,
}
