//! A mutex: who has it, and who waits. Its calls are in `calls/mutex.rs`.

use crate::cell::{Half, Link};
use crate::lock::{Lock, RANK_OF_OBJECTS};
use crate::task::Task;
use crate::waiting::{Place, WaitQueue};

/// What keeps a less urgent task that has the mutex from being held up by those in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Nothing (`TA_NULL`, `TA_TPRI`).
    None {
        /// Tasks wait by priority, or in turn.
        by_priority: bool,
    },
    /// `TA_CEILING`: who has it runs at this priority at least, from 1.
    Ceiling(u8),
    /// Who has it runs at the priority of the most urgent that waits for it, at least.
    Inheritance,
}

/// A mutex.
///
/// Guarded by its lock; of a mutex with inheritance by the chain's too. Whose it is next in is guarded by its owner's processor's lock.
#[derive(Debug)]
pub struct Mutex {
    pub(crate) protocol: Protocol,
    pub(crate) lock: Lock,
    pub(crate) owner: Link<Task>,
    /// Among those that its owner has.
    pub(crate) next_held: Half,
    pub(crate) number: Half,
    pub(crate) queue: WaitQueue,
}

/// What `ref_mtx` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutexStatus {
    /// `htskid`: who has it.
    pub owner: Option<i32>,
    /// `wtskid`: the first that waits.
    pub waiting: Option<i32>,
}

impl Mutex {
    /// Nobody's.
    pub const fn new(protocol: Protocol) -> Mutex {
        let by_priority = match protocol {
            Protocol::None { by_priority } => by_priority,
            Protocol::Ceiling(_) | Protocol::Inheritance => true,
        };
        Mutex {
            protocol,
            lock: Lock::new(RANK_OF_OBJECTS),
            owner: Link::none(),
            next_held: Half::new(0),
            number: Half::new(0),
            queue: WaitQueue::new(by_priority),
        }
    }

    pub(crate) fn reset(&self, number: u16) {
        self.number.set(number);
        self.owner.set(None);
        self.next_held.set(0);
        self.queue.clear();
    }

    pub(crate) fn place(&'static self) -> Place {
        let mutex = self.inherits().then(|| self.number.get());
        Place { mutex, ..Place::new(&self.lock, &self.queue) }
    }

    pub(crate) fn inherits(&self) -> bool {
        self.protocol == Protocol::Inheritance
    }

    /// The level that its owner has at least, for what it is and who waits for it.
    pub(crate) fn level(&self) -> Option<u8> {
        match self.protocol {
            Protocol::None { .. } => None,
            Protocol::Ceiling(priority) => Some(priority - 1),
            Protocol::Inheritance => self.queue.first().map(|task| task.priority.get()),
        }
    }

    /// Its state, of a system that stands still.
    pub fn status(&self) -> MutexStatus {
        MutexStatus { owner: self.owner.get().map(Task::id), waiting: self.queue.first().map(Task::id) }
    }
}
