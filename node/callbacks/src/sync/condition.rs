//! Waiting for something to be so, which a lock protects.

use core::sync::atomic::{AtomicU32, Ordering};

use tokkyu_contract::MonoTime;

use super::mutex::MutexGuard;
use crate::port::port;

/// A condition variable.
#[derive(Default)]
pub struct Condition {
    /// How often somebody was told.
    told: AtomicU32,
}

impl Condition {
    /// Nobody waits.
    pub const fn new() -> Condition {
        Condition { told: AtomicU32::new(0) }
    }

    /// Gives the lock back until somebody tells, or until that time. It may wake for nothing.
    pub fn wait_until<'m, T>(&self, guard: MutexGuard<'m, T>, until: Option<MonoTime>) -> MutexGuard<'m, T> {
        // With the lock: who tells later changes it.
        let told = self.told.load(Ordering::Relaxed);
        let mutex = guard.mutex();
        drop(guard);
        port().wait(&self.told, told, until);
        mutex.lock()
    }

    /// The same without an end.
    pub fn wait<'m, T>(&self, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        self.wait_until(guard, None)
    }

    /// Tells one that waits.
    pub fn notify_one(&self) {
        self.told.fetch_add(1, Ordering::Relaxed);
        port().wake(&self.told, 1);
    }

    /// Tells all that wait.
    pub fn notify_all(&self) {
        self.told.fetch_add(1, Ordering::Relaxed);
        port().wake(&self.told, u32::MAX);
    }
}
