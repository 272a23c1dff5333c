//! What a system has for its nodes.

use alloc::string::String;
use alloc::vec::Vec;

use crate::flows::Flow;
use smoltcp::phy::Device;
use tokkyu_callbacks::Profile;
use tokkyu_rtos::{Kernel, Port};

use crate::net::Stack;
use crate::waiters::Waiters;
use crate::worker::Worker;

/// A system that nodes run on.
///
/// It is a name for what it has, which is for ever: copies of it are the same system.
pub trait System: Copy + Send + Sync + 'static {
    /// What its kernel runs on.
    type Port: Port;
    /// What its frames go through.
    type Device: Device + Send + 'static;

    /// Its kernel.
    fn kernel(&self) -> &'static Kernel<Self::Port>;

    /// Number of a spin lock that nobody else uses.
    fn spin_lock(&self) -> i32;

    /// Number of a mutex with ceiling 1 that nobody else uses.
    fn mutex(&self) -> i32;

    /// Who waits for what.
    fn waiters(&self) -> &'static Waiters;

    /// Tasks for what nodes start (NRT-10).
    fn workers(&self) -> &'static [Worker];

    /// Its network. Nothing: it has none, or not yet.
    fn stack(&self) -> Option<&'static Stack<Self::Device>>;

    /// Nanoseconds since 1970 when its kernel's time was 0; 0: it does not know.
    fn began_at_nanos(&self) -> u64 {
        0
    }

    /// A variable (`ROS_MASTER_URI`).
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// What its programs are called with: what renames or sets (NODE-46).
    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }

    /// The flows that were built in, in the order of `robot.yaml`.
    fn flows(&self) -> &'static [Flow] {
        &[]
    }

    /// What a node may take.
    fn profile(&self) -> Profile {
        Profile::SMALL
    }

    /// A topic that is published from now on: its number, for who looks on. 0: nobody does.
    fn watched_topic(&self, _name: &str) -> u32 {
        0
    }

    /// A message of that topic begins to be handed over, or has been.
    fn publishes(&self, _topic: u32, _has_ended: bool) {}

    /// A worker's task runs something of this name from now on.
    fn started(&self, _task: i32, _name: &str) {}

    /// Prints a line.
    fn print(&self, line: &str);
}

/// The port of nodes on a system.
#[derive(Clone, Copy, Debug)]
pub struct Rtos<S>(pub(crate) S);

impl<S: System> Rtos<S> {
    /// Of this system.
    pub const fn new(system: S) -> Self {
        Rtos(system)
    }

    /// The system.
    pub const fn system(&self) -> &S {
        &self.0
    }

    /// Number of the running task; 0 in a handler.
    pub(crate) fn task(&self) -> i32 {
        self.0.kernel().get_tid().unwrap_or(0)
    }
}
