//! Who waits for what: for words (NRT-2), and for locks (NRT-4).

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize};

use tokkyu_rtos::{Kernel, Port};

/// The highest number of a task that nodes run in.
pub const TASKS_MAX: usize = 32;

/// Who waits for what: a row for each task that nodes run in.
#[derive(Debug)]
pub struct Waiters([Waiter; TASKS_MAX]);

#[derive(Debug)]
pub(crate) struct Waiter {
    /// Address of the word that it sleeps at; 0: at none. Written under the spin lock.
    pub(crate) word: AtomicUsize,
    /// Its priority when it fell asleep.
    pub(crate) priority: AtomicU8,
    /// What it has to do with locks.
    pub(crate) queued: Queued,
}

impl Waiters {
    /// Nobody waits.
    pub const fn new() -> Waiters {
        Waiters(
            [const { Waiter { word: AtomicUsize::new(0), priority: AtomicU8::new(0), queued: Queued::new() } };
                TASKS_MAX],
        )
    }

    /// That of a task. The number is one of a task that nodes run in.
    pub(crate) fn of(&self, task: i32) -> &Waiter {
        &self.0[(task as usize).wrapping_sub(1) % TASKS_MAX]
    }

    /// Those of the system's tasks.
    pub(crate) fn iter<P: Port>(&self, kernel: &Kernel<P>) -> impl Iterator<Item = (i32, &Waiter)> {
        (1..).zip(&self.0[..kernel.objects().tasks.len().min(TASKS_MAX)])
    }
}

impl Default for Waiters {
    fn default() -> Waiters {
        Waiters::new()
    }
}

/// What a task has to do with locks. All but `word` of the task itself is under the mutex.
#[derive(Debug)]
pub(crate) struct Queued {
    /// The lock that it waits for; null: none. Cleared by who hands it over.
    pub(crate) word: AtomicPtr<AtomicU32>,
    /// When it came, among those that wait.
    pub(crate) turn: AtomicU32,
    /// Its own priority; 0: not known yet.
    pub(crate) base: AtomicU8,
    /// That which it runs with, its own or a lent one.
    pub(crate) level: AtomicU8,
}

impl Queued {
    pub(crate) const fn new() -> Queued {
        Queued {
            word: AtomicPtr::new(core::ptr::null_mut()),
            turn: AtomicU32::new(0),
            base: AtomicU8::new(0),
            level: AtomicU8::new(0),
        }
    }

    /// The task has this priority of its own, and no lent one.
    pub(crate) fn begin(&self, priority: u8) {
        self.base.store(priority, Relaxed);
        self.level.store(priority, Relaxed);
    }

    pub(crate) fn waits_for(&self, word: &AtomicU32) -> bool {
        core::ptr::eq(self.word.load(Relaxed), word)
    }
}
