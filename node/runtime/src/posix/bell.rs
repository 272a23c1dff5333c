//! Bells that put a thread to sleep: on a futex where it waits for nothing else, on an event's descriptor where it waits for sockets too.

use std::sync::OnceLock;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};
use rustix::thread::futex;
use rustix::time::Timespec;
use tokkyu_contract::MonoTime;
use tokkyu_process::{ProcessError, Receipt, SharedBell};
use tokkyu_topic::{Bell, Doorbell, Near};

use super::clock::left;

/// For one thread at a time that waits for bells alone. Other processes can ring it from when one of them has to (NODE-85).
///
/// On a cache line of its own (NODE-23): all publishers write it, and its listener writes what lies beside it.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct QueueBell {
    own: FutexBell,
    /// Once it is there it is what the listener sleeps at, and all ring both.
    shared: OnceLock<SharedBell>,
}

impl QueueBell {
    /// What other processes ring it by.
    pub(crate) fn name(&self) -> Result<&str, ProcessError> {
        self.shared().map(SharedBell::name)
    }

    /// Where a link of a reliable subscription says what it has taken.
    pub(crate) fn receipt(&self) -> Result<Receipt, ProcessError> {
        self.shared()?.receipt()
    }

    fn shared(&self) -> Result<&SharedBell, ProcessError> {
        if let Some(shared) = self.shared.get() {
            return Ok(shared);
        }
        let made = SharedBell::create()?;
        let shared = self.shared.get_or_init(|| made);
        // In this order. A listener that sleeps at its own bell goes over to the shared one; and who has rung before this was there is heard by one that
        // has gone over already.
        self.own.ring(0);
        shared.ring(0);
        Ok(shared)
    }

    /// The sources that rang since the last answer, a bit each.
    pub(crate) fn answer(&self) -> u32 {
        self.own.answer() | self.shared.get().map_or(0, SharedBell::answer)
    }

    /// Sleeps until somebody rings, or until that time. It may wake for nothing.
    pub(crate) fn sleep(&self, until: Option<MonoTime>) {
        match self.shared.get() {
            Some(shared) => shared.sleep(until),
            None => self.own.sleep(until),
        }
    }
}

impl Doorbell for QueueBell {
    fn ring(&self, source: u32) {
        self.own.ring(source);
        self.shared.get().into_iter().for_each(|shared| shared.ring(source));
    }

    fn add_to(&self, near: &mut Near) {
        self.own.bell.add_to(near);
    }
}

/// The part of it that this process alone has.
#[derive(Default)]
struct FutexBell {
    bell: Bell,
}

impl FutexBell {
    fn answer(&self) -> u32 {
        self.bell.answer()
    }

    fn sleep(&self, until: Option<MonoTime>) {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;

    /// Tells of each source that rang, until 7 has.
    fn listen(bell: &QueueBell, told: &Sender<u32>) {
        loop {
            let rang = bell.answer();
            for source in (0..31).filter(|source| rang & 1 << source != 0) {
                // Who waited for it may have given up.
                let _ = told.send(source);
            }
            if rang & 1 << 7 != 0 {
                return;
            }
            bell.sleep(None);
        }
    }

    /// Lost, it would be waited for without end. No promise of a time.
    fn wait_for(source: u32, hear: &Receiver<u32>) {
        while hear.recv_timeout(Duration::from_secs(20)).expect("somebody rang") != source {}
    }

    /// NODE-85: while it becomes one that others know, nobody who rang is missed, and a listener that slept at its own is not left there.
    #[test]
    fn who_rings_while_it_becomes_shared_is_heard() {
        for round in 0..200 {
            let bell = Arc::new(QueueBell::default());
            let (told, hear) = channel();
            let (listening, ringing) = (bell.clone(), bell.clone());
            let listener = std::thread::spawn(move || listen(&listening, &told));
            let ringer = std::thread::spawn(move || ringing.ring(3));
            if round % 2 == 0 {
                std::thread::yield_now();
            }
            let name = bell.name().expect("memory").to_owned();
            wait_for(3, &hear);
            tokkyu_process::RemoteBell::open(&name).expect("it is there").ring(7);
            wait_for(7, &hear);
            ringer.join().unwrap();
            listener.join().unwrap();
        }
    }
}
