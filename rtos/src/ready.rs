//! The ready tasks of one processor, by priority; the running one is the first of its priority.
//!
//! Guarded by the processor's lock. Every operation takes the same number of steps whatever the queue holds.

use crate::cell::{Link, Word};
use crate::ring;
use crate::task::{PRIORITIES, Task};

#[derive(Debug)]
pub(crate) struct ReadyQueue {
    /// A bit for each priority that has tasks.
    levels: Word,
    heads: [Link<Task>; PRIORITIES],
}

impl ReadyQueue {
    pub(crate) const fn new() -> Self {
        Self { levels: Word::new(0), heads: [const { Link::none() }; PRIORITIES] }
    }

    pub(crate) fn clear(&self) {
        self.levels.set(0);
        self.heads.iter().for_each(|head| head.set(None));
    }

    fn head(&self, task: &Task) -> (usize, &Link<Task>) {
        let level = usize::from(task.priority.get()) & (PRIORITIES - 1);
        (level, &self.heads[level])
    }

    /// At the end of its priority.
    pub(crate) fn push(&self, task: &'static Task) {
        let (level, head) = self.head(task);
        match head.get() {
            Some(first) => ring::insert_before(first, task),
            None => {
                ring::alone(task);
                head.set(Some(task));
                self.levels.set(self.levels.get() | 1 << level);
            }
        }
    }

    /// At the beginning of its priority.
    pub(crate) fn push_front(&self, task: &'static Task) {
        self.push(task);
        self.head(task).1.set(Some(task));
    }

    pub(crate) fn remove(&self, task: &'static Task) {
        let (level, head) = self.head(task);
        match ring::take_out(task) {
            Some(after) if head.is(task) => head.set(Some(after)),
            Some(_) => {}
            None => {
                head.set(None);
                self.levels.set(self.levels.get() & !(1 << level));
            }
        }
    }

    /// The one to run.
    pub(crate) fn first(&self) -> Option<&'static Task> {
        let levels = self.levels.get();
        if levels == 0 { None } else { self.heads[levels.trailing_zeros() as usize & (PRIORITIES - 1)].get() }
    }

    /// The first of a priority goes to its end.
    pub(crate) fn rotate(&self, level: u8) {
        let head = &self.heads[usize::from(level) & (PRIORITIES - 1)];
        if let Some(first) = head.get() {
            head.set(first.next.get());
        }
    }

    /// Tasks of a priority in their order.
    pub(crate) fn level(&self, level: u8) -> impl Iterator<Item = &'static Task> {
        let first = self.heads[usize::from(level) & (PRIORITIES - 1)].get();
        core::iter::successors(first, move |task| {
            task.next.get().filter(|next| first.is_some_and(|first| !core::ptr::eq(first, *next)))
        })
    }
}
