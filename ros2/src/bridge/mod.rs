//! The running bridge: DDS on one side, the link on the other, the graph's decisions between them.
//!
//! ```text
//!  main thread      discovery, link events ─► Graph ─► orders
//!  ros2-CLASS       DDS readers of a class ─► link publishers         (source.rs)
//!  ros2-target      a topic's link subscriber ─► DDS writer           (target.rs)
//!  tokkyu-link      the link's own; DDS has threads of its own
//! ```
//!
//! The main thread looks each `LOOK_EVERY` at what is new in the domain; no sample passes it.

mod age;
mod error;
mod figures;
mod gate;
mod life;
mod notice;
pub(crate) mod place;
mod routes;
mod source;
mod start;
mod target;

use std::time::Duration;

use tokkyu_contract::yaml::Robot;
use tokkyu_contract::yaml::Site;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_link::runtime::Link;

pub use error::BridgeError;
pub(crate) use source::wall_now;

pub use figures::{SourceFigures, TargetFigures};
pub use tokkyu_bridge::Watcher;

use crate::names::Namespace;

/// What a bridge is told at its start.
#[derive(Clone, Debug)]
pub struct BridgeOptions {
    /// Which end of the link this is.
    pub end: Toward,
    /// The robot's flows.
    pub robot: Robot,
    /// Limits of this machine.
    pub site: Site,
    /// `SCHED_FIFO` priority of class control, at most the site's; 0 asks for nothing real-time.
    pub priority: Option<u8>,
    /// The DDS domain, 0 to 232.
    pub domain: u32,
    /// Interfaces DDS may use; this host alone if empty.
    pub interfaces: Vec<String>,
    /// Stands before the names in our domain.
    pub namespace: Namespace,
    /// How long the other bridge may be away before its topics are taken down.
    pub linger: Duration,
}

/// What is told once a second.
pub type Status = tokkyu_bridge::Status<SourceFigures, TargetFigures>;

/// Runs a bridge until its watcher ends it.
///
/// # Errors
/// DDS cannot be joined, a flow names what no bridge carries, the peer refuses us for good.
pub fn run(
    options: BridgeOptions,
    link: Link,
    watcher: &mut dyn Watcher<Status>,
) -> Result<Status, BridgeError> {
    life::Bridge::start(options, link, watcher)?.run(watcher)
}
