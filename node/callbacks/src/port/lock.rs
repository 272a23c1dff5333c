//! Locks that do not let a low priority hold up a high one.

use core::sync::atomic::AtomicU32;

/// Locks with priority inheritance (NODE-112): who has one runs with the highest priority of those who wait for it.
///
/// A lock is a word, 0 while nobody has it. What else it is the port says; the word stays where it is while somebody has the lock or waits for it.
pub trait Lock {
    /// Takes the lock, which this thread has not. Waits until whoever has it gives it back. What that one wrote before is seen.
    fn lock(&self, word: &AtomicU32);

    /// Gives back the lock, which this thread has.
    fn unlock(&self, word: &AtomicU32);
}
