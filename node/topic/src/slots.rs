//! Counted memory: the slots of one publisher (NODE-2).
//!
//! A slot with a count of 0 is free. The publisher alone takes free slots; anybody who has a reference may add one or give it back. Where slots are
//! cleared, who gives the last one back does that, and the slot is free after it (NODE-21).

use alloc::boxed::Box;

use crate::near::Near;
use crate::sync::{AtomicU32, Ordering, UnsafeCell};

#[repr(align(64))]
struct Slot<T> {
    references: AtomicU32,
    /// The number that what is in it was published with.
    sequence: AtomicU32,
    value: UnsafeCell<T>,
}

/// The count of a slot that is being cleared: nobody but who clears it has a reference.
const CLEARING: u32 = u32::MAX;

pub(crate) struct Slots<T> {
    slots: Box<[Slot<T>]>,
    clear: Option<fn(&mut T)>,
}

impl<T> Slots<T> {
    pub(crate) fn new(count: u32, mut make: impl FnMut() -> T, clear: Option<fn(&mut T)>) -> Slots<T> {
        let slot = |_| Slot {
            references: AtomicU32::new(0),
            sequence: AtomicU32::new(0),
            value: UnsafeCell::new(make()),
        };
        Slots { slots: (0..count).map(slot).collect(), clear }
    }

    /// Bytes of so many, beside what their values own.
    pub(crate) const fn bytes(count: u32) -> usize {
        count as usize * size_of::<Slot<T>>()
    }

    /// A free slot among the first `limit`, with one reference. Lowest first: what was used last is in the cache. Publisher only.
    pub(crate) fn take_free(&self, limit: u32) -> Option<u32> {
        // Acquire: what the last reader read comes before what the publisher will write.
        let free = |slot: &Slot<T>| slot.references.load(Ordering::Acquire) == 0;
        let index = self.slots.iter().take(limit as usize).position(free)?;
        // Nobody adds to a count of 0 but the publisher, so that it is still 0. Release: who adds to this 1 knows what was published last.
        self.slots[index].references.store(1, Ordering::Release);
        Some(index as u32)
    }

    /// `more` references to a slot that the caller has one to.
    pub(crate) fn add(&self, slot: u32, more: u32) {
        self.slots[slot as usize].references.fetch_add(more, Ordering::Relaxed);
    }

    /// A reference to a slot that may have become free, or other, meanwhile: the caller must look whether it is still the one it meant.
    pub(crate) fn add_unless_free(&self, slot: u32) -> bool {
        let references = &self.slots[slot as usize].references;
        let more = |count: u32| (count > 0 && count != CLEARING).then(|| count + 1);
        references.fetch_update(Ordering::AcqRel, Ordering::Relaxed, more).is_ok()
    }

    /// Gives a reference back.
    pub(crate) fn release(&self, slot: u32) {
        let references = &self.slots[slot as usize].references;
        let before = match self.clear {
            None => references.fetch_sub(1, Ordering::AcqRel),
            Some(clear) => self.release_and_clear(slot, clear),
        };
        debug_assert!(before > 0, "slot {slot} was given back once more than it was taken");
    }

    /// Bounded: each time that another is faster, it has added or given back one of the few references.
    fn release_and_clear(&self, slot: u32, clear: fn(&mut T)) -> u32 {
        let references = &self.slots[slot as usize].references;
        let less = |count: u32| Some(if count == 1 { CLEARING } else { count.wrapping_sub(1) });
        let before = references.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).unwrap_or(0);
        if before == 1 {
            // SAFETY: this was the last reference, and the publisher takes the slot only once its count is 0.
            self.with_mut(slot, |value| clear(unsafe { &mut *value }));
            references.store(0, Ordering::Release);
        }
        before
    }

    /// The slots that the publisher takes most often: the lowest are used again first.
    pub(crate) fn add_to(&self, near: &mut Near) {
        near.add(&self.slots[..self.slots.len().min(2)]);
    }

    pub(crate) fn set_sequence(&self, slot: u32, sequence: u32) {
        self.slots[slot as usize].sequence.store(sequence, Ordering::Relaxed);
    }

    pub(crate) fn sequence(&self, slot: u32) -> u32 {
        self.slots[slot as usize].sequence.load(Ordering::Relaxed)
    }

    /// Calls `look` with what is in the slot.
    pub(crate) fn with<R>(&self, slot: u32, look: impl FnOnce(*const T) -> R) -> R {
        self.slots[slot as usize].value.with(look)
    }

    /// Calls `change` with what is in the slot. Only while it is lent.
    pub(crate) fn with_mut<R>(&self, slot: u32, change: impl FnOnce(*mut T) -> R) -> R {
        self.slots[slot as usize].value.with_mut(change)
    }

    pub(crate) fn len(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Slots that somebody refers to.
    pub(crate) fn used(&self) -> u32 {
        self.slots.iter().filter(|slot| slot.references.load(Ordering::Acquire) != 0).count() as u32
    }
}
