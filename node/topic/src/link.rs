//! One place for a subscription at a publisher: its state, its ring, and what its reader holds (SPEC, "States of a link").

use alloc::sync::Arc;

use crate::bell::Doorbell;
use crate::limits::Terms;
use crate::lines::Words;
use crate::near::Near;
use crate::ring::{Cursor, Ring};
use crate::sync::{AtomicU32, Ordering, UnsafeCell, write_before_look};

/// A place for a subscription: which of the channel's links it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkId(pub(crate) u32);

/// ```text
///          begin             open             close               drained                sweep: publisher is outside,          free
///   FREE ─────────► JOINING ─────► OPEN ─────────────► LEAVING ─────────────► CLOSING ────── nothing is held ──────► SWEEPING ──────► FREE
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum State {
    Free = 0,
    /// One thread sets it up.
    Joining = 1,
    /// The publisher fills, the reader empties.
    Open = 2,
    /// The reader gives back what waits: nobody sweeps while it has some of that in its hands.
    Leaving = 3,
    /// The reader has gone; it, or somebody it gave samples to, still holds some, or the publisher has not passed by.
    Closing = 4,
    /// One thread cleans up.
    Sweeping = 5,
}

/// In place of a slot that is just given back: its place is not free before the slot is, or there would be more of them than are counted.
const RETURNING: u32 = u32::MAX;

/// What the reader asked for. Written while joining, read while open.
struct Joined {
    terms: Terms,
    bell: Arc<dyn Doorbell>,
    source: u32,
}

/// What the reader looks at for a sample is on one cache line, the first. Nobody writes it while samples come.
#[repr(C, align(64))]
pub(crate) struct Link {
    state: AtomicU32,
    /// Slot plus 1 of a latched sample that goes before the ring's; 0 none.
    latched: AtomicU32,
    held_most: u32,
    pub(crate) queue: Ring,
    /// Slot plus 1 of each sample that the reader holds; 0 none; [`RETURNING`]. The reader's own as long as there is one.
    held: Words,
    joined: UnsafeCell<Option<Joined>>,
}

impl Link {
    pub(crate) fn new(depth: u32, held: u32) -> Link {
        Link {
            state: AtomicU32::new(State::Free as u32),
            joined: UnsafeCell::new(None),
            queue: Ring::new(depth),
            held: Words::new(held as usize),
            held_most: held,
            latched: AtomicU32::new(0),
        }
    }

    /// Bytes of one, with its queue and what it holds.
    pub(crate) const fn bytes(depth: u32, held: u32) -> usize {
        size_of::<Link>() + Ring::bytes(depth) + Words::bytes(held as usize)
    }

    pub(crate) fn is(&self, state: State) -> bool {
        self.state.load(Ordering::Acquire) == state as u32
    }

    fn change(&self, from: State, to: State) -> bool {
        self.state.compare_exchange(from as u32, to as u32, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    // --- the reader's side: coming and going ---

    /// FREE to JOINING. True: the caller, no other, sets it up and opens it.
    pub(crate) fn begin(&self) -> bool {
        self.change(State::Free, State::Joining)
    }

    /// JOINING to OPEN; the first sample will have number `first` or a later one.
    pub(crate) fn open(&self, terms: Terms, bell: Arc<dyn Doorbell>, source: u32, first: u32) -> Cursor {
        let joined = Joined { terms, bell, source };
        // SAFETY: JOINING belongs to who called `begin`; the publisher looks only while OPEN, which is stored below.
        self.joined.with_mut(|place| unsafe { *place = Some(joined) });
        let first = self.queue.begin(first);
        self.state.store(State::Open as u32, Ordering::Release);
        write_before_look();
        first
    }

    /// JOINING to FREE: it does not come to anything.
    pub(crate) fn give_up(&self) {
        self.state.store(State::Free as u32, Ordering::Release);
    }

    /// OPEN to CLOSING by way of LEAVING: nothing new after this but what the publisher takes back itself.
    pub(crate) fn close(&self, mut released: impl FnMut(u32)) {
        if self.change(State::Open, State::Leaving) {
            self.take_latched().into_iter().for_each(&mut released);
            self.queue.drain(released);
            self.state.store(State::Closing as u32, Ordering::Release);
        }
    }

    /// CLOSING to FREE by way of SWEEPING, if nothing is held and the publisher is not inside `publish`: gives what was asked for.
    ///
    /// The link is claimed before anything is looked at. Otherwise it could be swept by another, joined, opened and closed anew between the look
    /// and the claim, with the publisher inside that has seen it open.
    pub(crate) fn sweep(
        &self,
        publisher_is_inside: impl Fn() -> bool,
        released: impl FnMut(u32),
    ) -> Option<Terms> {
        if !self.change(State::Closing, State::Sweeping) {
            return None;
        }
        write_before_look();
        if publisher_is_inside() || !self.holds_nothing() {
            // Whoever sweeps next does it.
            self.state.store(State::Closing as u32, Ordering::Release);
            return None;
        }
        self.queue.drain(released);
        // SAFETY: SWEEPING belongs to this call; a publisher that has come in since does not find OPEN and does not look.
        let joined = self.joined.with_mut(|place| unsafe { (*place).take() });
        self.state.store(State::Free as u32, Ordering::Release);
        joined.map(|joined| joined.terms)
    }

    // --- the reader's side: what it has ---

    /// What taking a sample at `tail` looks at.
    pub(crate) fn add_take_to(&self, tail: Cursor, near: &mut Near) {
        near.add(&self.state);
        self.queue.add_to(tail, near);
        self.held.first_line().into_iter().for_each(|line| near.add_to_write(line));
    }

    /// What `take_latched` will give. Between opening and the first of these, by who joins.
    pub(crate) fn set_latched(&self, slot: u32) {
        self.latched.store(slot + 1, Ordering::Release);
    }

    pub(crate) fn take_latched(&self) -> Option<u32> {
        // Looked at first: a write would take the line away from the publisher, each time.
        if !self.has_latched() {
            return None;
        }
        self.latched.swap(0, Ordering::AcqRel).checked_sub(1)
    }

    pub(crate) fn has_latched(&self) -> bool {
        self.latched.load(Ordering::Acquire) != 0
    }

    /// A free place among what the reader may hold.
    pub(crate) fn place_to_hold(&self) -> Option<u32> {
        (0..self.held_most).find(|&entry| self.held[entry as usize].load(Ordering::Acquire) == 0)
    }

    pub(crate) fn hold(&self, entry: u32, slot: u32) {
        self.held[entry as usize].store(slot + 1, Ordering::Release);
    }

    /// Gives back what is held here, if anything is. By who holds it alone.
    pub(crate) fn give_back(&self, entry: u32, released: impl FnOnce(u32)) {
        let entry = &self.held[entry as usize];
        let held = entry.load(Ordering::Acquire);
        if let Some(slot) = held.checked_sub(1).filter(|_| held != RETURNING) {
            entry.store(RETURNING, Ordering::Relaxed);
            released(slot);
            entry.store(0, Ordering::Release);
        }
    }

    /// Gives back whatever is held.
    pub(crate) fn give_all_back(&self, mut released: impl FnMut(u32)) {
        (0..self.held_most).for_each(|entry| self.give_back(entry, &mut released));
    }

    fn holds_nothing(&self) -> bool {
        (0..self.held_most).all(|entry| self.held[entry as usize].load(Ordering::Acquire) == 0)
    }

    // --- the publisher's side, inside `publish` while the link is open ---

    /// Calls `with` with what the reader asked for.
    ///
    /// # Safety
    ///
    /// The caller is the publisher, inside `publish`, and found the link open since it went in.
    unsafe fn joined<R>(&self, with: impl FnOnce(&Joined) -> R) -> R {
        self.joined.with(|place| {
            // SAFETY: only `open` and `sweep` write it: the one before OPEN, the other not while the publisher is inside.
            let joined = unsafe { (*place).as_ref() };
            with(joined.expect("an open link has its terms"))
        })
    }

    /// Where sample `sequence` goes, and what was asked for.
    ///
    /// # Safety
    ///
    /// As for [`Link::joined`].
    unsafe fn place_of(&self, sequence: u32) -> (Cursor, Terms) {
        // SAFETY: passed on.
        let terms = unsafe { self.joined(|joined| joined.terms) };
        let mut place = self.queue.place();
        place.advance(sequence.wrapping_sub(place.sequence), terms.depth);
        (place, terms)
    }

    /// Whether this link may not lose anything and has no room for sample `sequence`.
    ///
    /// # Safety
    ///
    /// As for [`Link::joined`].
    pub(crate) unsafe fn refuses(&self, sequence: u32) -> bool {
        // SAFETY: passed on.
        let (place, terms) = unsafe { self.place_of(sequence) };
        terms.reliable && !self.queue.is_empty_at(place)
    }

    /// What [`Link::put`] and [`Link::tell`] of sample `sequence` look at and write.
    ///
    /// # Safety
    ///
    /// As for [`Link::joined`].
    pub(crate) unsafe fn add_put_to(&self, sequence: u32, near: &mut Near) {
        near.add(self);
        // SAFETY: passed on.
        let (place, _) = unsafe { self.place_of(sequence) };
        self.queue.add_to(place, near);
        // SAFETY: as above.
        unsafe { self.joined(|joined| joined.bell.add_to(near)) };
    }

    /// Puts the sample in. What is lost goes to `released`.
    ///
    /// # Safety
    ///
    /// As for [`Link::joined`].
    pub(crate) unsafe fn put(&self, sequence: u32, slot: u32, released: impl FnOnce(u32)) {
        // SAFETY: passed on.
        let (place, _) = unsafe { self.place_of(sequence) };
        if let Some(former) = self.queue.put(place, slot) {
            self.queue.count_dropped();
            released(former);
        }
    }

    /// After [`Link::put`], and what was put in is to be seen: tells the reader. If it has gone meanwhile it may have looked into the cells before
    /// this sample came in, which is then taken out again.
    ///
    /// # Safety
    ///
    /// The caller is the publisher, inside `publish`.
    pub(crate) unsafe fn tell(&self, slot: u32, released: impl FnOnce(u32)) {
        if self.is(State::Open) {
            // SAFETY: inside `publish`, and open.
            unsafe { self.joined(|joined| joined.bell.ring(joined.source)) }
        } else if self.queue.take_back(self.queue.place(), slot) {
            released(slot);
        }
    }

    /// Whether the last sample that was put in has this number; perhaps also where none was put in since it opened.
    pub(crate) fn has(&self, sequence: u32) -> bool {
        self.queue.place().sequence == sequence
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::mem::offset_of;

    use super::*;

    /// NODE-23: for a sample it looks at no other line of the link.
    #[test]
    fn what_the_reader_looks_at_is_on_one_line() {
        let end = offset_of!(Link, held) + size_of::<Words>();
        let joined = offset_of!(Link, joined);
        assert!(align_of::<Link>() == 64 && end <= 64 && joined >= end, "{end} {joined}");
    }
}
