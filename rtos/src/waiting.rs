//! The tasks that wait for one object, in turn or by priority.
//!
//! Guarded by the object's lock. A queue by priority knows the last task of each priority, so that nobody looks for a place.

use crate::cell::{Byte, Half, Link};
use crate::lock::Lock;
use crate::ring;
use crate::task::{PRIORITIES, Task};

/// Where a task waits: the object's lock and the queue.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) lock: &'static Lock,
    pub(crate) queue: &'static WaitQueue,
    /// Number of the mutex with inheritance that it is of: the chain's lock is taken before its own.
    pub(crate) mutex: Option<u16>,
}

impl Place {
    /// Of no mutex with inheritance.
    pub(crate) fn new(lock: &'static Lock, queue: &'static WaitQueue) -> Place {
        Place { lock, queue, mutex: None }
    }
}

/// The tasks that wait.
#[derive(Debug)]
pub(crate) struct WaitQueue {
    head: Link<Task>,
    by_priority: Byte,
    /// A bit for each priority that somebody waits with; 0 where tasks wait in turn.
    levels: Half,
    last: [Link<Task>; PRIORITIES],
}

impl WaitQueue {
    pub(crate) const fn new(by_priority: bool) -> Self {
        Self {
            head: Link::none(),
            by_priority: Byte::new(by_priority as u8),
            levels: Half::new(0),
            last: [const { Link::none() }; PRIORITIES],
        }
    }

    pub(crate) fn by_priority(&self) -> bool {
        self.by_priority.get() != 0
    }

    pub(crate) fn clear(&self) {
        self.head.set(None);
        self.levels.set(0);
    }

    pub(crate) fn first(&self) -> Option<&'static Task> {
        self.head.get()
    }

    /// The first, which waits here no more.
    pub(crate) fn take_first(&self) -> Option<&'static Task> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    pub(crate) fn insert(&self, task: &'static Task) {
        match self.head.get() {
            None => {
                ring::alone(task);
                self.head.set(Some(task));
            }
            Some(first) if !self.by_priority() => ring::insert_before(first, task),
            Some(first) => self.insert_by_priority(first, task),
        }
        if self.by_priority() {
            let level = level_of(task);
            self.levels.set(self.levels.get() | 1 << level);
            self.last[level].set(Some(task));
        }
    }

    /// Behind the last that is as urgent, or before all.
    fn insert_by_priority(&self, first: &'static Task, task: &'static Task) {
        let urgent = u32::from(self.levels.get()) & ((2 << level_of(task)) - 1);
        if urgent == 0 {
            ring::insert_before(first, task);
            self.head.set(Some(task));
            return;
        }
        let level = urgent.ilog2() as usize & (PRIORITIES - 1);
        let after = self.last[level].get().and_then(|last| last.next.get());
        ring::insert_before(after.unwrap_or(first), task);
    }

    pub(crate) fn remove(&self, task: &'static Task) {
        let level = level_of(task);
        if self.by_priority() && self.last[level].is(task) {
            let before = task.prev.get().filter(|_| !self.head.is(task));
            match before.filter(|before| level_of(before) == level) {
                Some(before) => self.last[level].set(Some(before)),
                None => self.levels.set(self.levels.get() & !(1 << level)),
            }
        }
        let after = ring::take_out(task);
        if self.head.is(task) {
            self.head.set(after);
        }
    }

    /// The one after `task`, `None` after the last.
    pub(crate) fn after(&self, task: &'static Task) -> Option<&'static Task> {
        task.next.get().filter(|next| !self.head.is(next))
    }

    /// All in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static Task> {
        core::iter::successors(self.head.get(), |task| self.after(task))
    }
}

fn level_of(task: &Task) -> usize {
    usize::from(task.priority.get()) & (PRIORITIES - 1)
}
