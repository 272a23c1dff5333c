//! What the program was started with, and what the system says of itself.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;

use tokkyu_contract::Class;
use tokkyu_graph::{Level, Profile};
use tokkyu_topic::{Limits, MAX_DEPTH};

/// Arguments, variables, the terminal.
pub trait Environment {
    /// A variable of the environment (`ROS_MASTER_URI`).
    fn variable(&self, name: &str) -> Option<String>;

    /// The program's arguments, without its name.
    fn arguments(&self) -> Vec<String>;

    /// The number of the process, for `getPid`.
    fn process_number(&self) -> i32;

    /// A number that is another one each time and on each machine, near enough.
    fn unlikely_number(&self) -> u64;

    /// What a node may take (NODE-118).
    fn profile(&self) -> Profile {
        Profile::FULL
    }

    /// The flows that `TOKKYU_ROBOT` names, or that were built in; nothing: none are declared.
    ///
    /// # Errors
    ///
    /// What is wrong with the declaration, for people.
    fn declaration(&self) -> Result<Option<Arc<dyn Declaration>>, String>;

    /// Prints a line, which ends without `\n`, where people read what the node says.
    fn print(&self, level: Level, line: &str);

    /// A topic that is published from now on: its number, for who looks on. 0: nobody does.
    fn watched_topic(&self, _name: &str) -> u32 {
        0
    }

    /// A message of that topic begins to be handed over, or has been. Not called with 0.
    fn publishes(&self, _topic: u32, _has_ended: bool) {}

    /// Calls `end` when the program is told to end.
    ///
    /// # Errors
    ///
    /// Why it cannot be, for people.
    fn on_interrupt(&self, end: Box<dyn Fn() + Send>) -> Result<(), String>;
}

/// Messages of a declared topic that may be filled at once.
pub const LOANS: u32 = 2;
/// Subscriptions of a declared topic at once: in the process, and one for each that is sent to over the network.
pub const LINKS: u32 = 4;
/// Samples of a declared topic that one subscription may hold.
pub const HELD: u32 = 2;

/// The limits of a declared topic's channel, for so many subscriptions (NODE-67). `depth`: declared; nothing: `keep_all`. `latch`: `transient_local`.
pub fn declared_limits(depth: Option<u32>, latch: bool, links: u32) -> Limits {
    let depth = depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
    Limits { loans: LOANS, links, depth, held: HELD, latch, slots: 0 }.with_all_slots()
}

/// The robot's flows, as far as nodes go by them.
pub trait Declaration: Send + Sync + Debug {
    /// What is declared of a topic, by its global name without the slash at its front.
    fn topic(&self, name: &str) -> Option<Topic>;
}

/// A topic as it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// How much its messages matter.
    pub class: Class,
    /// Whether no sample of it may be lost.
    pub is_reliable: bool,
    /// The limits of its channel.
    pub limits: Limits,
    /// Bytes of its largest message; 0: not declared.
    pub bytes: usize,
}
