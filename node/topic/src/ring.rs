//! The queue of one link (NODE-3): cells that one publisher fills and one reader empties, each by one atomic exchange.
//!
//! ```text
//!   sequence   5       6       7                       8 overwrites 5
//!           ┌───────┬───────┬───────┐              ┌───────┬───────┬───────┐
//!   cells   │ 5, a  │ 6, c  │ 7, b  │   put(8, d)  │ 8, d  │ 6, c  │ 7, b  │   gives a back: dropped
//!           └───────┴───────┴───────┘              └───────┴───────┴───────┘
//!   tail ───────┘                       head = 9, and the reader goes on at 6
//! ```
//!
//! Whoever gets a value out of a cell has its reference to the slot. Nobody waits for the other.

use crate::choice::chosen;
use crate::lines::{WORDS, Words};
use crate::near::Near;
use crate::sync::{AtomicU32, Ordering};

/// A cell without a sample.
const EMPTY: u32 = 0;
/// Bits of a cell that name a slot, plus 1.
const SLOT_BITS: u32 = 14;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
/// What a cell has of the sequence number.
const SEQUENCE_MASK: u32 = u32::MAX >> SLOT_BITS;

/// A cell with a sample.
fn full(sequence: u32, slot: u32) -> u32 {
    (sequence & SEQUENCE_MASK) << SLOT_BITS | (slot + 1)
}

fn is_on_first_line(index: u32) -> bool {
    Word::FirstCell as usize + (index as usize) < WORDS
}

fn slot_in(cell: u32) -> Option<u32> {
    (cell & SLOT_MASK).checked_sub(1)
}

/// A sequence number and the cell it belongs to. Apart, because numbers wrap and a depth need not divide 2³².
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    pub(crate) sequence: u32,
    pub(crate) index: u32,
}

impl Cursor {
    pub(crate) fn advance(&mut self, by: u32, depth: u32) {
        self.sequence = self.sequence.wrapping_add(by);
        let index = self.index + by % depth;
        self.index = if index < depth { index } else { index - depth };
    }

    /// To the oldest that a ring can hold whose newest is `newest`; nowhere if that is behind.
    fn advance_to_oldest(&mut self, newest: u32, depth: u32) {
        let ahead = newest.wrapping_sub(self.sequence);
        self.advance((ahead + 1).saturating_sub(depth), depth);
    }

    /// The sequence number of `cell`, which is not before this one.
    fn sequence_of(&self, cell: u32) -> u32 {
        let ahead = (cell >> SLOT_BITS).wrapping_sub(self.sequence) & SEQUENCE_MASK;
        self.sequence.wrapping_add(ahead)
    }
}

/// What a reader got out of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) sequence: u32,
    pub(crate) slot: u32,
}

/// What the publisher writes for each sample, on as few cache lines as there can be: a short ring is carried to the reader at once.
pub(crate) struct Ring {
    words: Words,
    cells: u32,
}

/// The first words of a ring.
#[derive(Clone, Copy)]
enum Word {
    /// The number after the newest. Stored after the cell.
    Head,
    /// Where the sample that was put in last is, or the first will be. Only the publisher writes it while the link is open.
    PlaceSequence,
    PlaceIndex,
    /// Samples that were lost since the link opened.
    Dropped,
    FirstCell,
}

impl Ring {
    pub(crate) fn new(cells: u32) -> Ring {
        // All words are 0 at first, which is EMPTY.
        Ring { words: Words::new(Word::FirstCell as usize + cells as usize), cells }
    }

    /// Bytes of its words.
    pub(crate) const fn bytes(cells: u32) -> usize {
        Words::bytes(Word::FirstCell as usize + cells as usize)
    }

    fn word(&self, word: Word) -> &AtomicU32 {
        &self.words[word as usize]
    }

    fn cell(&self, index: u32) -> &AtomicU32 {
        debug_assert!(index < self.cells, "cell {index} of {}", self.cells);
        &self.words[Word::FirstCell as usize + index as usize]
    }

    fn all_cells(&self) -> impl Iterator<Item = &AtomicU32> {
        (0..self.cells).map(|index| self.cell(index))
    }

    /// Empty, before the sample with number `sequence`: where the reader begins. Nobody else may be at it.
    pub(crate) fn begin(&self, sequence: u32) -> Cursor {
        let first = Cursor { sequence, index: 0 };
        self.word(Word::Dropped).store(0, Ordering::Relaxed);
        self.word(Word::Head).store(sequence, Ordering::Release);
        self.set_place(first);
        first
    }

    /// Where the sample that was put in last is, or the first will be.
    pub(crate) fn place(&self) -> Cursor {
        Cursor {
            sequence: self.word(Word::PlaceSequence).load(Ordering::Relaxed),
            index: self.word(Word::PlaceIndex).load(Ordering::Relaxed),
        }
    }

    fn set_place(&self, place: Cursor) {
        self.word(Word::PlaceSequence).store(place.sequence, Ordering::Relaxed);
        self.word(Word::PlaceIndex).store(place.index, Ordering::Relaxed);
    }

    /// Whether nothing was put in since `begin`.
    pub(crate) fn is_untouched(&self, first: Cursor) -> bool {
        self.word(Word::Head).load(Ordering::Acquire) == first.sequence
    }

    /// Whether `put` at this place would overwrite nothing. For the publisher it stays so, as nobody else fills.
    pub(crate) fn is_empty_at(&self, at: Cursor) -> bool {
        self.cell(at.index).load(Ordering::Acquire) == EMPTY
    }

    /// Puts a sample in and gives out the slot that was there unread. Publisher only.
    pub(crate) fn put(&self, at: Cursor, slot: u32) -> Option<u32> {
        self.set_place(at);
        // An exchange here, and one in `drain`: if that came first, what was written before it is seen after this.
        let former = self.cell(at.index).swap(full(at.sequence, slot), Ordering::AcqRel);
        self.word(Word::Head).store(at.sequence.wrapping_add(1), Ordering::Release);
        slot_in(former)
    }

    /// What `put` and `take` at this place look at and write.
    pub(crate) fn add_to(&self, at: Cursor, near: &mut Near) {
        near.add_to_write(self.word(Word::Head));
        if !is_on_first_line(at.index) {
            near.add_to_write(self.cell(at.index));
        }
    }

    /// Takes out what `put` put in, unless somebody has it already. Publisher only.
    pub(crate) fn take_back(&self, at: Cursor, slot: u32) -> bool {
        let mine = full(at.sequence, slot);
        self.cell(at.index).compare_exchange(mine, EMPTY, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// The next sample. What is skipped over and still there goes to `dropped`; what the publisher overwrote it has counted. Reader only.
    #[inline(always)]
    pub(crate) fn take(&self, tail: &mut Cursor, depth: u32, dropped: impl FnMut(u32)) -> Option<Taken> {
        if self.waiting(tail.sequence)? <= depth
            && let Some(slot) = self.take_exactly(*tail)
        {
            let sequence = tail.sequence;
            tail.advance(1, depth);
            return Some(Taken { sequence, slot });
        }
        self.take_overtaken(tail, depth, dropped)
    }

    /// Where the publisher was faster. Not between the instructions of who wakes for one sample.
    #[cold]
    fn take_overtaken(&self, tail: &mut Cursor, depth: u32, mut dropped: impl FnMut(u32)) -> Option<Taken> {
        let mut overtaken = 0;
        loop {
            let waiting = self.waiting(tail.sequence)?;
            if waiting > depth {
                tail.advance(waiting - depth, depth);
            }
            if self.is_empty_at(*tail) {
                // Published before the publisher saw this link.
                tail.advance(1, depth);
                continue;
            }
            if let Some(slot) = self.take_exactly(*tail) {
                let sequence = tail.sequence;
                tail.advance(1, depth);
                return Some(Taken { sequence, slot });
            }
            if overtaken == chosen().patience {
                return self.take_newer(tail, depth, &mut dropped);
            }
            overtaken += 1;
            self.follow(tail, depth);
        }
    }

    /// Samples from `tail` on, those overwritten among them; nothing where there is none.
    fn waiting(&self, tail: u32) -> Option<u32> {
        // The reader may have taken the sample whose publisher has not stored `head` yet, and is then one past it. No more, so that all other numbers are
        // samples that wait, however long nobody read.
        match self.word(Word::Head).load(Ordering::Acquire).wrapping_sub(tail) {
            0 => None,
            u32::MAX if !chosen().compares_for_equality => None,
            waiting => Some(waiting),
        }
    }

    /// The publisher was here meanwhile: goes on with the oldest that can still be there.
    fn follow(&self, tail: &mut Cursor, depth: u32) {
        let found = self.cell(tail.index).load(Ordering::Acquire);
        if found != EMPTY {
            tail.advance_to_oldest(tail.sequence_of(found), depth);
        }
    }

    /// The end of patience: takes whatever is in the cell at `tail`, and what is older than that out of the others.
    fn take_newer(&self, tail: &mut Cursor, depth: u32, dropped: &mut impl FnMut(u32)) -> Option<Taken> {
        let found = self.cell(tail.index).swap(EMPTY, Ordering::AcqRel);
        let slot = slot_in(found)?;
        let sequence = tail.sequence_of(found);
        tail.advance_to_oldest(sequence, depth);
        while tail.sequence != sequence {
            self.take_exactly(*tail).map(&mut *dropped);
            tail.advance(1, depth);
        }
        tail.advance(1, depth);
        Some(Taken { sequence, slot })
    }

    /// The sample with this very number, if it is still there.
    fn take_exactly(&self, at: Cursor) -> Option<u32> {
        let place = self.cell(at.index);
        let found = place.load(Ordering::Acquire);
        let slot = slot_in(found).filter(|_| at.sequence_of(found) == at.sequence)?;
        place.compare_exchange(found, EMPTY, Ordering::AcqRel, Ordering::Relaxed).ok().map(|_| slot)
    }

    /// Empties every cell. For a link that nobody reads any more.
    pub(crate) fn drain(&self, mut dropped: impl FnMut(u32)) {
        for cell in self.all_cells() {
            // Also of an empty cell: see `put`.
            if let Some(slot) = slot_in(cell.swap(EMPTY, Ordering::AcqRel)) {
                dropped(slot);
            }
        }
    }

    /// Of a sample that is lost whoever takes it out says so.
    pub(crate) fn count_dropped(&self) {
        self.word(Word::Dropped).fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn dropped(&self) -> u32 {
        self.word(Word::Dropped).load(Ordering::Relaxed)
    }

    /// Cells with a sample.
    pub(crate) fn filled(&self) -> u32 {
        self.all_cells().filter(|cell| cell.load(Ordering::Acquire) != EMPTY).count() as u32
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Whether the newest is found by a reader that was away for `samples`.
    fn is_found_after(samples: u32) -> bool {
        let ring = Ring::new(2);
        let mut tail = ring.begin(7);
        let mut newest = tail;
        newest.advance(samples, 2);
        ring.put(newest, 9);
        let taken = ring.take(&mut tail, 2, |_| {});
        taken == Some(Taken { sequence: newest.sequence, slot: 9 })
            && tail.sequence == newest.sequence.wrapping_add(1)
    }

    /// NODE-15: at 1 kHz 2³¹ samples are 25 days.
    #[test]
    fn who_was_away_for_long_finds_what_waits() {
        for samples in [0, 1, 2, i32::MAX as u32 - 1, i32::MAX as u32, 1 << 31, u32::MAX - 2] {
            assert!(is_found_after(samples), "{samples}");
        }
    }

    /// NODE-23.
    #[test]
    fn a_short_ring_is_on_one_line() {
        let line_of = |word: &AtomicU32| core::ptr::from_ref(word).addr() / 64;
        let ring = Ring::new(14);
        let head = line_of(ring.word(Word::Head));
        let is_beside_head: [bool; 14] =
            core::array::from_fn(|index| line_of(ring.cell(index as u32)) == head);
        assert_eq!(is_beside_head, core::array::from_fn(|index| index < 12));
    }
}
