//! The bell of a node's network task.

use alloc::sync::Arc;
use alloc::task::Wake;

use tokkyu_callbacks::port::{NOTICE, NetworkBell, Sleeper};
use tokkyu_contract::MonoTime;
use tokkyu_topic::{Bell, Doorbell};

use crate::system::{Rtos, System};

pub(super) struct TaskBell<S: System> {
    port: Rtos<S>,
    bell: Bell,
}

impl<S: System> TaskBell<S> {
    pub(super) fn new(port: Rtos<S>) -> TaskBell<S> {
        TaskBell { port, bell: Bell::new() }
    }

    /// Sleeps until somebody rings, or until that time. Only after `rest` has said that nobody has rung.
    pub(super) fn sleep(&self, until: Option<MonoTime>) {
        self.port.wait(self.bell.word(), Bell::RESTING, until);
    }

    pub(super) fn is_resting(&self) -> bool {
        self.bell.is_resting()
    }
}

impl<S: System> Doorbell for TaskBell<S> {
    fn ring(&self, source: u32) {
        if self.bell.ring_at(source) {
            self.port.wake(self.bell.word(), 1);
        }
    }
}

impl<S: System> NetworkBell for TaskBell<S> {
    fn answer(&self) -> u32 {
        self.bell.answer()
    }

    fn rest(&self) -> bool {
        self.bell.rest()
    }
}

/// Rings when a socket has something.
pub(super) struct Ringing<S: System>(pub(super) Arc<TaskBell<S>>);

impl<S: System> Wake for Ringing<S> {
    fn wake(self: Arc<Self>) {
        self.0.ring(NOTICE);
    }
}
