//! The local experiment: how long a message takes from one node of a device to another, ours beside the rivals.
//!
//! ```text
//! Study ─► rounds of cells ─► a peer's program each ─► records, summary ─► Finding ─► cases ─► table, goals
//! ```
//!
//! Peers are programs with one face, bench/local/SPEC.md (LOCAL-n); nothing of them is known here but that. Follows SPEC.md
//! LAB-80 to LAB-92.

mod awake;
mod building;
mod chance;
mod conditions;
mod error;
mod findings;
mod gather;
mod master;
mod peers;
mod program;
mod records;
mod spikes;
mod stage;
mod study;
mod summary;

pub use awake::Awake;
pub use building::{Sources, build, find_sources};
pub use conditions::{doubts, fifo_is_granted};
pub use error::LocalError;
pub use findings::{Finding, Measured, cases, faults, more, overload_cases};
pub use master::Master;
pub use peers::{Found, PEERS_ENVIRONMENT, Peer, UnknownPeer, find_peers, peers_folder, peers_named};
pub use records::{Malformed, Times, overload_times, times};
pub use spikes::Spikes;
pub use stage::{Programs, ros_logs};
pub use study::{Cell, Study};
pub use summary::{OverloadSummary, Summary};
pub use tokkyu_probe::DMA_LATENCY;
