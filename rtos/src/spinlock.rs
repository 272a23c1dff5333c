//! A spin lock of programs. Its calls are in `calls/spinlock.rs`.

use core::sync::atomic::AtomicU8;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

const FREE: u8 = 0;

/// A spin lock. Who has it has the processor locked as well.
#[derive(Debug)]
pub struct SpinLock {
    /// The processor that has it, from 1.
    owner: AtomicU8,
}

impl SpinLock {
    /// Free.
    pub const fn new() -> SpinLock {
        SpinLock { owner: AtomicU8::new(FREE) }
    }

    pub(crate) fn reset(&self) {
        self.owner.store(FREE, Relaxed);
    }

    /// The processor that has it, from 1.
    pub fn owner(&self) -> Option<i32> {
        match self.owner.load(Relaxed) {
            FREE => None,
            owner => Some(i32::from(owner)),
        }
    }

    pub(crate) fn let_go(&self) {
        self.owner.store(FREE, Release);
    }

    pub(crate) fn try_take(&self, processor: u8) -> bool {
        self.owner.compare_exchange(FREE, processor + 1, Acquire, Relaxed).is_ok()
    }
}

impl Default for SpinLock {
    fn default() -> Self {
        Self::new()
    }
}
