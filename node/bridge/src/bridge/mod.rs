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
mod told;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_contract::yaml::{Robot, Site};
use tokkyu_link::runtime::Link;

pub use error::BridgeError;
pub use figures::{SourceFigures, TargetFigures};

use crate::names::Namespace;

/// Between two looks at what is new.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a bridge is told at its start.
#[derive(Clone, Debug)]
pub struct BridgeOptions {
    /// Which end of the link this is.
    pub end: Toward,
    /// The robot's flows.
    pub robot: Robot,
    /// The file they are from: the node's memory is settled by it (NODE-67).
    pub robot_file: PathBuf,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Whether a session is up.
    pub is_up: bool,
    /// Round trip of the link, smoothed.
    pub rtt_ms: f64,
    /// Share of packets lost on the way to the peer.
    pub loss: f64,
    /// Topics that go to the other end.
    pub sources: Vec<SourceFigures>,
    /// Topics that come from it.
    pub targets: Vec<TargetFigures>,
    /// What keeps topics from crossing now, in words.
    pub reports: Vec<String>,
    /// Messages of the other bridge that were not understood.
    pub messages_refused: u64,
}

/// Who looks on while a bridge runs.
pub trait Watcher {
    /// Something happened, in a line of plain words.
    fn on_line(&mut self, line: &str);

    /// Once a second.
    fn on_status(&mut self, status: &Status) {
        let _ = status;
    }

    /// Asked often: true ends the bridge.
    fn is_over(&self) -> bool;
}

/// Runs a bridge until its watcher, or `rosnode kill`, ends it.
///
/// # Errors
/// The node cannot be made, a flow names what no bridge carries, the peer refuses us for good.
pub fn run(options: BridgeOptions, link: Link, watcher: &mut dyn Watcher) -> Result<Status, BridgeError> {
    life::Bridge::start(options, link, watcher)?.run(watcher)
}
