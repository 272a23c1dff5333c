//! Topics of an RTOS on the same processors (`../../../monitor/SPEC.md`, MON-90 to MON-96), as ordinary ROS 1 topics of this machine: nodes,
//! the link and its bridges see no difference.
//!
//! ```text
//!  RTOS ─ window ─► bell ─► run's thread: looks ─► publisher ─► nodes, bridges
//!  RTOS ◄─ window ◄─ bell ◄─ callback's thread ◄─ subscription ◄─ nodes, bridges
//! ```
//!
//! A message is copied once here, to or from what ROS's nodes have. What the RTOS publishes while nobody subscribes is left where it is.

mod counts;
mod error;
mod inward;
mod kind;
mod outward;

use std::time::Duration;

use tokkyu_monitor_topics::{Device, Direction};
use tokkyu_node::Node;

pub use counts::{Count, Counts};
pub use error::BesideError;

use inward::Inward;
use outward::Outward;

/// Between two looks when nobody rings: for who asks this to end.
const LOOK: Duration = Duration::from_millis(100);

/// The topics of an RTOS, open on both sides until this is dropped. Callbacks are the node's queue's: somebody has to spin.
#[derive(Debug)]
pub struct Beside {
    device: &'static Device,
    outward: Vec<Outward>,
    inward: Vec<Inward>,
}

impl Beside {
    /// Advertises what the RTOS publishes, and subscribes to what it reads.
    ///
    /// # Errors
    /// [`BesideError`]
    pub fn open(node: &Node, device: &'static Device) -> Result<Beside, BesideError> {
        let mut beside = Beside { device, outward: Vec::new(), inward: Vec::new() };
        for topic in device.topics()? {
            match topic.direction {
                Direction::FromRtos => beside.outward.push(Outward::open(node, topic)?),
                Direction::FromLinux => beside.inward.push(Inward::open(node, device, topic)?),
            }
        }
        Ok(beside)
    }

    /// Carries what the RTOS publishes, until `is_over`.
    ///
    /// # Errors
    /// The driver's.
    pub fn run(&mut self, mut is_over: impl FnMut(&Beside) -> bool) -> Result<(), BesideError> {
        while !is_over(self) {
            self.device.wait(LOOK)?;
            self.outward.iter_mut().for_each(|topic| topic.carry(self.device));
        }
        Ok(())
    }

    /// What has crossed of each topic.
    pub fn counts(&self) -> Vec<Count> {
        self.outward.iter().map(Outward::count).chain(self.inward.iter().map(Inward::count)).collect()
    }
}
