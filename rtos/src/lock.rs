//! Locks between processors (SPEC.md RTK-30 to RTK-35).

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32};

/// A lock, and its place in the order in which locks are taken.
///
/// Whoever holds it has masked its processor's interrupts, so that it is held for some hundred instructions at most.
#[derive(Debug)]
pub struct Lock {
    taken: AtomicBool,
    /// 0: the chain's; 1: an object's; 2 and more: a processor's.
    rank: AtomicU32,
}

/// Of the one under which priorities are handed on from mutex to mutex.
pub(crate) const RANK_OF_CHAIN: u32 = 0;
/// Of all objects' locks: nobody holds two.
pub(crate) const RANK_OF_OBJECTS: u32 = 1;
/// Of the first processor's; the others follow.
pub(crate) const RANK_OF_PROCESSORS: u32 = 2;

impl Lock {
    pub(crate) const fn new(rank: u32) -> Lock {
        Lock { taken: AtomicBool::new(false), rank: AtomicU32::new(rank) }
    }

    /// Its place in the order.
    pub fn rank(&self) -> u32 {
        self.rank.load(Relaxed)
    }

    pub(crate) fn set_rank(&self, rank: u32) {
        self.rank.store(rank, Relaxed);
    }

    /// Takes it if nobody has it.
    #[inline(always)]
    pub fn try_take(&self) -> bool {
        !self.taken.swap(true, Acquire)
    }

    /// Whether somebody has it, for those who wait: a look does not disturb the one who has.
    #[inline(always)]
    pub fn is_taken(&self) -> bool {
        self.taken.load(Relaxed)
    }

    /// The byte that is not 0 while somebody has it, for machines that can rest until it is written.
    #[inline(always)]
    pub fn flag(&self) -> *const u8 {
        self.taken.as_ptr().cast_const().cast()
    }

    /// Lets it go.
    #[inline(always)]
    pub fn release(&self) {
        self.taken.store(false, Release);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::thread;

    use super::*;
    use crate::spinlock::SpinLock;

    /// Of each thread; Miri looks at every one of them with stores that come late.
    const ROUNDS: u32 = if cfg!(miri) { 30 } else { 10_000 };

    /// Two threads count in a cell, which by itself orders nothing, each with the lock.
    fn counted(take: impl Fn(u8) -> bool + Sync, let_go: impl Fn() + Sync) -> u32 {
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            for processor in 0..2 {
                let (take, let_go, count) = (&take, &let_go, &count);
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        while !take(processor) {
                            thread::yield_now();
                        }
                        count.store(count.load(Relaxed) + 1, Relaxed);
                        let_go();
                    }
                });
            }
        });
        count.load(Relaxed)
    }

    #[test]
    fn who_takes_a_lock_sees_what_the_last_did_with_it() {
        let lock = Lock::new(RANK_OF_OBJECTS);
        assert_eq!(counted(|_| lock.try_take(), || lock.release()), 2 * ROUNDS);
        let lock = SpinLock::new();
        assert_eq!(counted(|processor| lock.try_take(processor), || lock.let_go()), 2 * ROUNDS);
    }
}
