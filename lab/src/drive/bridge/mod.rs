//! The bridge experiment: what ROS 2 bridges cost, measured beside the link itself in one run.
//!
//! Role: the drive experiment's cases (network, seed, cameras, ticks, figures) in two ways, one after the other: *link*, with
//! `tokkyu vehicle` and `tokkyu operator`, and *bridged*, with `tokkyu bridge` at both ends between DDS programs that know
//! nothing of it. What a bridged sample is older than one of the link is what DDS, twice, and both bridges cost. Follows
//! LAB-17 to LAB-23.
//!
//! ```text
//!  Plan ─► Case ─┬─ link ──── drive's own run ────────────────────────┬─► findings: table, goals
//!                └─ bridged ─ declaration, command ─► run ─► outcome ─┘
//!
//!  vehicle's namespace                                       operator's
//!  send, cameras ──► lo ─► bridge ─┐                 ┌─ bridge ─► lo ──► receive, cameras
//!  receive, command ◄─ lo ◄────────┘ ◄── the wire ──►└──────────── lo ◄── send, command
//! ```
//!
//! Invariant: DDS stays on each namespace's own loopback device; nothing but the link crosses the wire.

mod command;
mod declaration;
mod outcome;
mod plan;
mod run;
mod stage;

pub use plan::{Case, Plan};
pub use run::{Programs, run};
pub use stage::Bridges;
