//! What a reliable subscription says of the samples that it has taken, so that a publisher in another process knows when its queue is full (NODE-86).
//!
//! A word of the bell's page for each link: the subscriber writes it, the publisher looks. Whatever stands there, the publisher refuses messages of its
//! own at worst, or does not.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::page::{Page, RECEIPTS};
use crate::{ProcessError, RemoteBell};

/// The words of a page that are in use.
pub(crate) struct Receipts {
    page: Arc<Page>,
    taken: Mutex<Vec<bool>>,
}

/// The subscriber's end of one link's word, until it is dropped.
pub struct Receipt {
    of: Arc<Receipts>,
    number: usize,
}

/// The publisher's: what of its samples the subscriber has not taken yet.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    number: usize,
    depth: u32,
    /// All samples before this one are none of the link's, or were taken.
    from: u32,
}

impl Receipts {
    pub(crate) fn new(page: Arc<Page>) -> Arc<Receipts> {
        Arc::new(Receipts { page, taken: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<bool>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A word that nobody has.
    pub(crate) fn take(self: &Arc<Self>) -> Result<Receipt, ProcessError> {
        let mut taken = self.lock();
        let number = taken.iter().position(|is_taken| !is_taken).unwrap_or(taken.len());
        if number == RECEIPTS {
            return Err(ProcessError::Receipts(RECEIPTS));
        }
        match taken.get_mut(number) {
            Some(is_taken) => *is_taken = true,
            None => taken.push(true),
        }
        drop(taken);
        Ok(Receipt { of: self.clone(), number })
    }
}

impl Receipt {
    /// Which word it is. To be told to the publisher.
    pub fn number(&self) -> u32 {
        self.number as u32
    }

    /// The sample with that number was taken, and all before it.
    pub fn say(&self, sequence: u32) {
        self.of.page.words().receipts[self.number].store(sequence.wrapping_add(1), Ordering::Release);
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        self.of.lock()[self.number] = false;
    }
}

impl Waiting {
    /// A link whose first sample has number `next` or a later one, to a queue of `depth`.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Receipts`]: there is no such word.
    pub fn new(bell: &RemoteBell, number: u32, depth: u32, next: u32) -> Result<Waiting, ProcessError> {
        let number = number as usize;
        let words = &bell.page().words().receipts;
        let word = words.get(number).ok_or(ProcessError::Receipts(RECEIPTS))?;
        // What somebody else's link had said there is over.
        word.store(next, Ordering::Release);
        Ok(Waiting { number, depth: depth.max(1), from: next })
    }

    /// Whether the queue has no room for sample `next`.
    pub fn is_full(&mut self, bell: &RemoteBell, next: u32) -> bool {
        let said = bell.page().words().receipts[self.number].load(Ordering::Acquire);
        // Numbers wrap. What is not between the link's first sample and the next one is an old word, or nonsense.
        if next.wrapping_sub(said) <= next.wrapping_sub(self.from) {
            self.from = said;
        }
        next.wrapping_sub(self.from) >= self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SharedBell;

    fn ends() -> (SharedBell, RemoteBell, Receipt) {
        let bell = SharedBell::create().unwrap();
        let (remote, receipt) = (RemoteBell::open(bell.name()).unwrap(), bell.receipt().unwrap());
        (bell, remote, receipt)
    }

    /// Which of the next samples find room, when each third one is followed by a receipt for the oldest.
    fn with_room(first: u32) -> Vec<u32> {
        let (_bell, remote, receipt) = ends();
        let mut waiting = Waiting::new(&remote, receipt.number(), 2, first).unwrap();
        let (mut next, mut oldest, mut found) = (first, first, Vec::new());
        for step in 0..12 {
            if !waiting.is_full(&remote, next) {
                next = next.wrapping_add(1);
                found.push(step);
            }
            if step % 3 == 2 {
                receipt.say(oldest);
                oldest = oldest.wrapping_add(1);
            }
        }
        found
    }

    #[test]
    fn there_is_room_for_what_was_taken_whatever_the_numbers_are() {
        for first in [0, 7, u32::MAX - 1, u32::MAX, 1 << 31] {
            assert_eq!(with_room(first), [0, 1, 3, 6, 9], "from {first}");
        }
    }

    #[test]
    fn an_old_word_and_nonsense_make_no_room() {
        let (_bell, remote, receipt) = ends();
        receipt.say(1_000);
        let mut waiting = Waiting::new(&remote, receipt.number(), 2, 5).unwrap();
        for said in [4, 1_000, u32::MAX, 3] {
            // The sample that it had before it joined, or what never was.
            receipt.say(said);
            assert_eq!([5, 6, 7].map(|next| waiting.is_full(&remote, next)), [false, false, true], "{said}");
        }
        receipt.say(5);
        assert!(!waiting.is_full(&remote, 7));
        // Further back than it has come already.
        receipt.say(4);
        assert_eq!([7, 8].map(|next| waiting.is_full(&remote, next)), [false, true]);
    }

    #[test]
    fn words_are_used_again_and_there_are_as_many_as_are_said() {
        let (bell, remote, first) = ends();
        let others: Vec<Receipt> = (1..RECEIPTS).map(|_| bell.receipt().unwrap()).collect();
        assert!(bell.receipt().err().is_some_and(|error| error.to_string().contains("960")));
        let number = first.number();
        drop(first);
        assert_eq!(bell.receipt().unwrap().number(), number);
        assert_eq!(others.last().map(Receipt::number), Some(RECEIPTS as u32 - 1));
        assert!(Waiting::new(&remote, RECEIPTS as u32, 1, 0).is_err());
    }
}
