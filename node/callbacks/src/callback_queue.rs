//! The queue of callbacks, as a program has it.

use alloc::sync::Arc;

use crate::port::port;
use crate::queue::Queue;

/// A place where callbacks wait for threads: a node has one, and a program may make more.
#[derive(Clone)]
pub struct CallbackQueue {
    pub(crate) queue: Arc<Queue>,
}

impl Default for CallbackQueue {
    fn default() -> CallbackQueue {
        CallbackQueue { queue: Queue::new() }
    }
}

impl CallbackQueue {
    /// Empty.
    pub fn new() -> CallbackQueue {
        CallbackQueue::default()
    }

    /// Calls callbacks until its node ends. Several threads may.
    pub fn spin(&self) {
        self.queue.spin();
    }

    /// Calls the callbacks that are due, and returns.
    pub fn spin_once(&self) {
        self.queue.spin_once();
    }

    /// Waits for a callback, so long at most, and calls it. False: there was none.
    pub fn spin_for(&self, time: core::time::Duration) -> bool {
        self.queue.call_one(Some(port().now() + time), self.queue.wakes())
    }
}

impl CallbackQueue {
    /// Waits for a callback, so long at most, and calls it. False: there was none, or the queue was woken since [`CallbackQueue::wakes`] gave `wakes`.
    ///
    /// A thread that waits until it is told to go asks for `wakes` first, looks whether it was told, then calls this; who tells it wakes the
    /// queue afterwards. In another order the thread may wait for what has been.
    pub fn call_one(&self, time: Option<core::time::Duration>, wakes: u32) -> bool {
        self.queue.call_one(time.map(|time| port().now() + time), wakes)
    }

    /// How often it was woken.
    pub fn wakes(&self) -> u32 {
        self.queue.wakes()
    }

    /// Those who wait at it wait no longer.
    pub fn wake(&self) {
        self.queue.wake();
    }

    /// Whether a callback waits for a thread.
    pub fn has_waiting(&self) -> bool {
        self.queue.has_waiting()
    }

    /// Forgets the callbacks that wait: samples are lost, a one-shot timer is over, who calls a service is told that it has not answered.
    pub fn discard(&self) {
        self.queue.discard();
    }

    /// Whether its node has ended.
    pub fn is_stopped(&self) -> bool {
        self.queue.is_stopped()
    }
}
