//! Bells that put a thread to sleep: on a futex where it waits for nothing else, on an event's descriptor where it waits for sockets too.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};
use rustix::thread::futex;
use rustix::time::Timespec;
use tokkyu_contract::MonoTime;
use tokkyu_topic::{Bell, Doorbell};

use super::clock::left;

/// For one thread at a time that waits for bells alone.
#[derive(Default)]
pub(crate) struct FutexBell {
    bell: Bell,
}

impl FutexBell {
    /// The sources that rang since the last answer, a bit each.
    pub(crate) fn answer(&self) -> u32 {
        self.bell.answer()
    }

    /// Sleeps until somebody rings, or until that time. It may wake for nothing.
    pub(crate) fn sleep(&self, until: Option<MonoTime>) {
        if !self.bell.rest() {
            return;
        }
        let timeout = until.map(|until| {
            let left = left(until);
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
        });
        // It is woken, or the word has changed before it slept, or time is over, or a signal came: all the same.
        let _ = futex::wait(self.bell.word(), futex::Flags::PRIVATE, Bell::RESTING, timeout.as_ref());
    }
}

impl Doorbell for FutexBell {
    fn ring(&self, source: u32) {
        if self.bell.ring_at(source) {
            let _ = futex::wake(self.bell.word(), futex::Flags::PRIVATE, 1);
        }
    }
}

/// For a thread that waits for descriptors: it polls this one beside them.
pub(crate) struct EventBell {
    bell: Bell,
    event: OwnedFd,
}

impl EventBell {
    pub(crate) fn new() -> std::io::Result<EventBell> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(EventBell { bell: Bell::new(), event })
    }

    /// The sources that rang since the last answer, a bit each.
    pub(crate) fn answer(&self) -> u32 {
        self.bell.answer()
    }

    /// The thread is about to poll. False: it must not wait.
    pub(crate) fn rest(&self) -> bool {
        self.bell.rest()
    }

    /// The descriptor was readable.
    pub(crate) fn clear(&self) {
        let _ = rustix::io::read(&self.event, &mut [0_u8; 8]);
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
