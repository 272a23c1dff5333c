//! Tasks that are declared for what nodes start (NRT-10).

use alloc::boxed::Box;
use core::cell::UnsafeCell;
use core::sync::atomic::AtomicU32;

use tokkyu_contract::Class;

pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// A task that runs what a node starts. It is declared as not active, and its program is `Rtos::run`.
#[derive(Debug)]
pub struct Worker {
    pub(crate) task: i32,
    pub(crate) class: Option<Class>,
    pub(crate) state: AtomicU32,
    /// How often it has ended.
    pub(crate) ended: AtomicU32,
    pub(crate) job: JobCell,
}

pub(crate) struct JobCell(pub(crate) UnsafeCell<Option<Job>>);

impl core::fmt::Debug for JobCell {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("JobCell")
    }
}

// SAFETY: written by who has taken the free worker, then read by the task, which that one activates afterwards.
unsafe impl Sync for JobCell {}

pub(crate) const FREE: u32 = 0;
pub(crate) const TAKEN: u32 = 1;

impl Worker {
    /// Whether it is for what is of no class: a node's network has one.
    pub const fn is_of_none(&self) -> bool {
        self.class.is_none()
    }

    /// The task of that number, for callbacks of a class; nothing: for what has none.
    pub const fn new(task: i32, class: Option<Class>) -> Worker {
        Worker {
            task,
            class,
            state: AtomicU32::new(FREE),
            ended: AtomicU32::new(0),
            job: JobCell(UnsafeCell::new(None)),
        }
    }
}
