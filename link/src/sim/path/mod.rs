//! One direction of a network path as a deterministic model: rate, queue, delay, loss and every other way to hurt a packet.
//!
//! Role: the same model stands under the virtual-time simulation and under the lab's real wire, so that a network
//! has one name, one seed and one meaning in both. It reads no clock and draws nothing at random that the seed does
//! not fix. Runs wherever its caller runs; a call costs O(log packets in flight) and the packets held are bounded by
//! the queue limit plus what the sender offers within one delay.
//!
//! ```text
//!            counters.offered
//!                  │ every packet draws its verdict here, whatever becomes of it
//!                  ▼
//!  outage? ──► policer ──► queue ──► capacity ──► outage? ──► loss ──► delay ± jitter ──► reorder ──► take_due
//!     │           │          │      rate or trace    │          │                         (+ extra)      │
//!  lost_outage  policed  tail_dropped           lost_outage  lost_random                             delivered
//!                                                            lost_burst           (duplicate, corrupt: marked here)
//! ```
//!
//! Invariants:
//! - **The k-th packet offered always gets the same verdict** (lost, jittered, reordered, duplicated, corrupted) for
//!   a seed and profile, whatever the timing and the other impairments: each impairment has a random stream of its
//!   own and draws the same number of values for every packet.
//! - Lost packets used the bottleneck's capacity, as on a radio link; policed and tail-dropped ones did not.
//! - Packets leave in the order offered. Only those that `reorder` picks are overtaken. Jitter keeps order: a packet
//!   leaves no earlier than its predecessor, so a dense burst travels at the running maximum of its delays
//!   (netem without a rate would shuffle it instead).
//! - The ledger closes: offered + duplicated = delivered + lost + tail-dropped + policed + in flight.
mod bottleneck;
mod capacity_trace;
mod chance;
mod counters;
mod loss;
mod model;
mod policer;
mod profile;
mod profiles;

#[cfg(test)]
mod tests;

pub use capacity_trace::{CapacityTrace, SLOT_BYTES, TraceError};
pub use chance::HEADER_BYTES;
pub use counters::Counters;
pub use loss::Loss;
pub use model::{Due, Fate, Path};
pub use policer::Policer;
pub use profile::{
    Capacity, Direction, DirectionProfile, Outage, Profile, ProfileError, RateChange, Reorder,
};
pub use profiles::{NAMES, UnknownProfile};

/// What an Ethernet frame occupies on the wire beside header and payload: preamble and start delimiter 8 B,
/// frame check sequence 4 B, inter-frame gap 12 B (IEEE 802.3 §3.1.1, §4.4.2).
pub const WIRE_OVERHEAD_BYTES: u64 = 24;

/// Ethernet header: destination, source, type. A frame of this model is an IP packet plus this.
pub const ETHERNET_HEADER_BYTES: u64 = 14;
