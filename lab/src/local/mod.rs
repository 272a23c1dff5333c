//! The local experiment: how long a message takes from one node of a device to another, ours beside the rivals.
//!
//! ```text
//! Study ─► rounds of cells ─► a peer's program each ─► records, summary ─► Finding ─► cases ─► table, goals
//! ```
//!
//! Peers are programs with one face, bench/local/SPEC.md (LOCAL-n); nothing of them is known here but that. Follows SPEC.md
//! LAB-80 to LAB-92.

/// Name of the experiment in its result files.
pub const EXPERIMENT: &str = "local";

mod awake;
mod building;
mod case;
mod chance;
mod conditions;
mod error;
mod findings;
mod goals;
mod master;
mod overload;
mod peers;
mod program;
mod ratio;
mod records;
mod result;
mod run;
mod size;
mod spikes;
mod study;
mod summary;
mod table;

pub use awake::Awake;
pub use building::{Sources, build, find_sources};
pub use case::LocalCase;
pub use conditions::{doubts, fifo_is_granted};
pub use error::LocalError;
pub use findings::{Finding, Measured, cases, overload_cases};
pub use goals::{Goal, Verdict, goals};
pub use master::Master;
pub use overload::OverloadCase;
pub use peers::{Found, PEERS_ENVIRONMENT, Peer, UnknownPeer, find_peers, peers_folder, peers_named};
pub use ratio::Ratio;
pub use records::{Malformed, Times, overload_times, times};
pub use result::{Judged, RoundTold};
pub use run::{Place, Watcher, ros_logs, run};
pub use size::{Size, UnknownSize};
pub use spikes::Spikes;
pub use study::{Cell, Study};
pub use summary::{OverloadSummary, Summary};
pub use table::{markdown, text};
pub use tokkyu_probe::DMA_LATENCY;
