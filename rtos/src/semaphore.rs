//! A semaphore: what it holds and who waits. Its calls are in `calls/semaphore.rs`.

use crate::cell::Word;
use crate::lock::{Lock, RANK_OF_OBJECTS};
use crate::task::Task;
use crate::waiting::{Place, WaitQueue};

/// A semaphore.
#[derive(Debug)]
pub struct Semaphore {
    pub(crate) initial: u32,
    pub(crate) most: u32,
    pub(crate) lock: Lock,
    pub(crate) count: Word,
    pub(crate) queue: WaitQueue,
}

/// What `ref_sem` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreStatus {
    /// `wtskid`: the first that waits.
    pub waiting: Option<i32>,
    /// `semcnt`
    pub count: u32,
}

impl Semaphore {
    /// `initial` of at most `most` resources; tasks wait by priority (`TA_TPRI`) or in turn.
    pub const fn new(initial: u32, most: u32, by_priority: bool) -> Semaphore {
        Semaphore {
            initial,
            most,
            lock: Lock::new(RANK_OF_OBJECTS),
            count: Word::new(initial),
            queue: WaitQueue::new(by_priority),
        }
    }

    pub(crate) fn reset(&self) {
        self.count.set(self.initial);
        self.queue.clear();
    }

    pub(crate) fn place(&'static self) -> Place {
        Place::new(&self.lock, &self.queue)
    }

    /// Its state, of a system that stands still.
    pub fn status(&self) -> SemaphoreStatus {
        SemaphoreStatus { waiting: self.queue.first().map(Task::id), count: self.count.get() }
    }

    /// Who waits, in order, of a system that stands still.
    pub fn waiting(&self) -> impl Iterator<Item = &'static Task> {
        self.queue.iter()
    }
}
