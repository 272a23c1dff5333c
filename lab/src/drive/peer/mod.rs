//! The programs of others in place of ours: who they are, where they are, and a case with one of them.
//!
//! Role: the drive experiment stays what it is (network, seed, ticks, records, figures); the two programs at its ends are a
//! peer's. All the lab knows of them stands in `bench/peers/SPEC.md` (PEER-1 to PEER-31). Invariant: nothing of ours runs
//! at either end beside a peer. Follows LAB-8 to LAB-16.
//!
//! ```text
//!  known ── place ─► PeerRun ─► CaseSpec ─► run ─┬─ command (what is typed) ─► records, summaries ─► outcome
//!  (who)   (found or skipped)                    └─ congestion (the namespaces' default)
//! ```

mod command;
mod congestion;
mod known;
mod outcome;
mod place;
mod run;

pub use command::SAMPLES_MAX;
pub use known::{Peer, PeerRun, UnknownPeer, Variant, peers_named};
pub(super) use outcome::settings;
pub use place::{ENVIRONMENT, find_peers, peers_folder};
pub use run::check_wire;
pub(super) use run::{expected, run};
