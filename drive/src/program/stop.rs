//! The request to end, from a signal or another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once, read by every thread of a program at least every tenth of a second. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// Asks the program to end. An atomic store and nothing else, so a signal handler may do it.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the program was asked to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag as the standard library's type.
    pub fn as_atomic(&self) -> &AtomicBool {
        &self.0
    }
}

impl From<Arc<AtomicBool>> for StopFlag {
    /// Shares a flag that a signal handler sets.
    fn from(flag: Arc<AtomicBool>) -> StopFlag {
        StopFlag(flag)
    }
}
