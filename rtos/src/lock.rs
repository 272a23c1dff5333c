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
