//! The running bridge: a ROS 1 node on one side, the link on the other, the graph's decisions between them.
//!
//! ```text
//!  main thread      link events, what the others find ─► Graph ─► orders
//!  bridge-master    asks the master and subscribes: both may wait for it     (ros.rs)
//!  bridge-CLASS     callbacks of subscriptions of a class ─► link publishers (source.rs)
//!  bridge-target    a topic's link subscriber ─► ROS publisher               (target.rs)
//!  tokkyu-link      the link's own; the node has one for its network
//! ```
//!
//! The main thread looks each `LOOK_EVERY` at what is new; no sample passes it, and it never waits for a master.

mod error;
mod figures;
mod life;
mod ros;
mod routes;
mod source;
mod start;
mod target;

use std::time::Duration;

use tokkyu_contract::yaml::robot::Toward;
use tokkyu_contract::yaml::{Robot, Site};
use tokkyu_link::runtime::Link;

pub use error::BridgeError;
pub use figures::{SourceFigures, TargetFigures};
pub use tokkyu_bridge::Watcher;

use crate::names::Namespace;

/// What a bridge is told at its start.
#[derive(Clone, Debug)]
pub struct BridgeOptions {
    /// Which end of the link this is.
    pub end: Toward,
    /// The robot's flows; the node's memory is settled by them too (NODE-67).
    pub robot: Robot,
    /// Limits of this machine.
    pub site: Site,
    /// `SCHED_FIFO` priority of class control, at most the site's; 0 asks for nothing real-time.
    pub priority: Option<u8>,
    /// Stands before the names at this end.
    pub namespace: Namespace,
    /// How long the other bridge may be away before its topics are taken down.
    pub linger: Duration,
}

/// What is told once a second.
pub type Status = tokkyu_bridge::Status<SourceFigures, TargetFigures>;

/// Runs a bridge until its watcher, or `rosnode kill`, ends it.
///
/// # Errors
/// The node cannot be made, a flow names what no bridge carries, the peer refuses us for good.
pub fn run(
    options: BridgeOptions,
    link: Link,
    watcher: &mut dyn Watcher<Status>,
) -> Result<Status, BridgeError> {
    life::Bridge::start(options, link, watcher)?.run(watcher)
}
