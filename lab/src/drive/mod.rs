//! The drive experiment: cameras one way and commands the other, over a network that a name and a seed fix.
//!
//! Role: answers, for the paper's workload, what becomes of every picture and how old it is when it arrives. A *real*
//! run starts the programs anybody would start, `tokkyu vehicle` and `tokkyu operator`, at the two ends of the
//! [`wire`](crate::wire); a *simulated* one lets the link's sessions meet in virtual time. Both make the same records,
//! from which `tokkyu_measure` makes the same figures.
//!
//! ```text
//!  Plan ─► CaseSpec ─┬─ real::run ─── programs, wire ─► records, summaries ─┬─► collect ─► Outcome ─► Results
//!                    ├─ peer::run ─── of others, wire ─► records, summaries ─┤
//!                    └─ sim::simulate ─ virtual time ─► records ────────────┘
//! ```
//!
//! In place of our programs a real run may start those of others (`peer`), or ROS 2 bridges between programs that speak DDS
//! ([`bridge`]), with the same network, seed and ticks.
//!
//! A run is valid if its [`Outcome::faults`] are empty: every ledger closes, both ends agree, the wire has no flaw, one
//! session lasted for the whole run, both programs ended well, and every picture asked for was offered.

mod algorithm;
mod available;
pub mod bridge;
mod bulk_flow;
mod case;
mod collect;
mod competition;
mod conditions;
mod error;
mod joining;
mod network;
mod outcome;
mod paths;
mod peer;
mod plan;
mod program;
mod quality;
mod real;
mod results;
mod setup;
mod sim;
mod stage;
mod summary;
mod supervisor;
mod watcher;

pub use algorithm::{Algorithm, NoAlgorithm, algorithm_names};
pub use available::check_algorithms;
pub use case::{CaseSpec, IMAGES_MAX, Pictures};
pub use collect::wire_note;
pub use competition::BESIDE_MAX;
pub use conditions::{doubts, refusals};
pub use error::DriveError;
pub use network::{PROGRAM_PRIORITY, RELAY_PRIORITY};
pub use outcome::Outcome;
pub use paths::{CaseFolder, file_word};
pub use peer::{
    ENVIRONMENT as PEERS_ENVIRONMENT, Peer, PeerRun, SAMPLES_MAX as PEER_SAMPLES_MAX, UnknownPeer, Variant,
    check_wire, find_peers, peers_folder, peers_named,
};
pub use plan::Plan;
pub use quality::{Quality, UnknownQuality};
pub use real::{Programs, START_DELAY, run};
pub use results::Results;
pub use sim::simulate;
pub use stage::{Drives, Onlooker};
pub use watcher::Watcher;
