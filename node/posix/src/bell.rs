//! The bell of the node's thread, which waits for descriptors: an event's descriptor that it polls beside them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};
use tokkyu_callbacks::port::NetworkBell;
use tokkyu_topic::{Bell, Doorbell};

pub(super) struct EventBell {
    bell: Bell,
    event: OwnedFd,
}

impl EventBell {
    pub(super) fn new() -> std::io::Result<EventBell> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(EventBell { bell: Bell::new(), event })
    }

    /// The descriptor was readable.
    pub(super) fn clear(&self) {
        let _ = rustix::io::read(&self.event, &mut [0_u8; 8]);
    }
}

impl NetworkBell for EventBell {
    fn answer(&self) -> u32 {
        self.bell.answer()
    }

    fn rest(&self) -> bool {
        self.bell.rest()
    }
}

impl AsFd for EventBell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

impl Doorbell for EventBell {
    fn ring(&self, source: u32) {
        if self.bell.ring_at(source) {
            // Full, it is readable already.
            let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        }
    }
}
