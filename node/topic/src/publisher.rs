//! The end that fills slots and hands them over.

use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::channel::Channel;
use crate::link::{Link, State};
use crate::near::Near;
use crate::sync::{AtomicU32, Ordering, write_before_look};

/// The one publisher of a [`Channel`]. One thread at a time.
pub struct Publisher<T> {
    end: Arc<End<T>>,
    /// The number of the next sample; that of the channel is for others to read.
    next: u32,
}

/// The channel as the publisher and its loans have it. They count themselves here: samples count at the channel, and the readers' processors keep that
/// line.
struct End<T>(Arc<Channel<T>>);

impl<T: Send + Sync> Publisher<T> {
    pub(crate) fn new(channel: Arc<Channel<T>>) -> Publisher<T> {
        let next = channel.publishing.next.load(Ordering::Relaxed);
        Publisher { end: Arc::new(End(channel)), next }
    }

    /// What readers join at.
    pub fn channel(&self) -> &Arc<Channel<T>> {
        &self.end.0
    }

    /// A slot to fill. Steps: bounded by the number of slots.
    ///
    /// # Errors
    ///
    /// [`LoanError`] while all loans that the limits allow are out; otherwise it succeeds (NODE-11).
    pub fn loan(&mut self) -> Result<Loan<T>, LoanError> {
        let channel = &self.end.0;
        let loans = channel.limits.loans;
        if channel.publishing.lent.load(Ordering::Acquire) >= loans {
            return Err(LoanError { loans });
        }
        let usable = channel.usable.load(Ordering::Acquire);
        let slot = channel.slots.take_free(usable).ok_or(LoanError { loans })?;
        channel.publishing.lent.fetch_add(1, Ordering::AcqRel);
        Ok(Loan { end: self.end.clone(), slot, _of: PhantomData })
    }

    /// Whether `publish` would refuse just now because a `reliable` link is full. What would not be refused will not be, as long as nothing is published.
    pub fn is_full(&mut self) -> bool {
        let channel = &*self.end.0;
        let _inside = Inside::enter(&channel.publishing.inside);
        channel.a_reliable_link_is_full(self.next)
    }

    /// What [`Publisher::publish`] looks at and writes, for who asks for it before (NODE-24): readers' processors have some of it.
    pub fn add_to(&mut self, near: &mut Near) {
        let channel = &*self.end.0;
        let _inside = Inside::enter(&channel.publishing.inside);
        write_before_look();
        near.add(channel);
        // SAFETY: inside `publish`, as who leaves has to see, and found open.
        channel.open_links().for_each(|link| unsafe { link.add_put_to(self.next, near) });
    }

    /// Hands a sample to every link. Steps: bounded by the number of links; never waits (NODE-13).
    ///
    /// # Errors
    ///
    /// [`Refused`], with the loan: nobody has got it.
    // One function, so that its instructions can be asked for.
    #[inline(never)]
    pub fn publish(&mut self, loan: Loan<T>) -> Result<u32, Refused<T>> {
        if !Arc::ptr_eq(&loan.end, &self.end) {
            return Err(Refused { loan, why: Why::Foreign });
        }
        let (sequence, channel) = (self.next, &*self.end.0);
        // Whoever leaves now does not free its link before this is over.
        let _inside = Inside::enter(&channel.publishing.inside);
        if channel.a_reliable_link_is_full(sequence) {
            return Err(Refused { loan, why: Why::Full });
        }
        self.next = sequence.wrapping_add(1);
        channel.publishing.next.store(self.next, Ordering::Release);
        channel.hand_over(sequence, loan.into_slot());
        Ok(sequence)
    }
}

/// The steps of `publish`, inside it.
impl<T> Channel<T> {
    fn open_links(&self) -> impl Iterator<Item = &Link> {
        self.reached().iter().filter(|link| link.is(State::Open))
    }

    fn a_reliable_link_is_full(&self, sequence: u32) -> bool {
        if self.reliable.load(Ordering::Acquire) == 0 {
            return false;
        }
        write_before_look();
        // SAFETY: inside `publish`, and open. One that opens after this is empty.
        self.open_links().any(|link| unsafe { link.refuses(sequence) })
    }

    /// Gives one reference to each link, the loan's own to the last of them, and one to what is kept for later; then tells the readers.
    fn hand_over(&self, sequence: u32, slot: u32) {
        let release = |slot| self.slots.release(slot);
        self.slots.set_sequence(slot, sequence);
        if self.limits.latch {
            self.slots.add(slot, 1);
            let former = self.last.swap(slot + 1, Ordering::AcqRel);
            former.checked_sub(1).into_iter().for_each(release);
        }
        // `inside`, `next`, `last`: who joins or leaves writes the state of its link and looks at these.
        write_before_look();
        let mut links = self.open_links().peekable();
        let is_given = links.peek().is_some();
        while let Some(link) = links.next() {
            // After the last one nothing is left to give back: its reader may have the count's line by then.
            if links.peek().is_some() {
                self.slots.add(slot, 1);
            }
            // SAFETY: inside `publish`, and found open.
            unsafe { link.put(sequence, slot, release) };
        }
        // After all have it: a reader that is woken may take the processor.
        for link in self.reached().iter().filter(|link| link.has(sequence)) {
            // SAFETY: inside `publish`.
            unsafe { link.tell(slot, release) };
        }
        if !is_given {
            release(slot);
        }
    }
}

impl<T> Drop for Publisher<T> {
    fn drop(&mut self) {
        // Nobody joins a channel without publisher to see what it said last: the references go with it.
        let channel = &*self.end.0;
        let last = channel.last.swap(0, Ordering::AcqRel);
        last.checked_sub(1).into_iter().for_each(|slot| channel.slots.release(slot));
    }
}

/// The mark that the publisher is inside `publish`.
struct Inside<'c>(&'c AtomicU32);

impl Inside<'_> {
    fn enter(mark: &AtomicU32) -> Inside<'_> {
        mark.store(1, Ordering::Relaxed);
        Inside(mark)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

/// A slot that only its owner sees. Dropped without being published, it goes back.
pub struct Loan<T> {
    end: Arc<End<T>>,
    slot: u32,
    _of: PhantomData<T>,
}

impl<T> Loan<T> {
    /// The slot with its reference: the loan has ended.
    fn into_slot(self) -> u32 {
        self.end.0.publishing.lent.fetch_sub(1, Ordering::AcqRel);
        let loan = core::mem::ManuallyDrop::new(self);
        // SAFETY: the loan is not dropped; this is the only time that its end is taken out.
        drop(unsafe { core::ptr::read(&raw const loan.end) });
        loan.slot
    }
}

impl<T> Deref for Loan<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: a slot that is lent has no reference but this loan's.
        self.end.0.slots.with(self.slot, |value| unsafe { &*value })
    }
}

impl<T> DerefMut for Loan<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the loan is borrowed mutably.
        self.end.0.slots.with_mut(self.slot, |value| unsafe { &mut *value })
    }
}

impl<T> Drop for Loan<T> {
    fn drop(&mut self) {
        let channel = &*self.end.0;
        channel.slots.release(self.slot);
        channel.publishing.lent.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<T> fmt::Debug for Loan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loan").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// All loans are out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanError {
    /// So many may be.
    pub loans: u32,
}

impl fmt::Display for LoanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "all {} loans of the channel are out; publish or drop one, or make it with more `loans`",
            self.loans
        )
    }
}

impl core::error::Error for LoanError {}

/// A sample that was not published.
#[derive(Debug)]
pub struct Refused<T> {
    /// What was to be published.
    pub loan: Loan<T>,
    /// Why it was not.
    pub why: Why,
}

/// Why a sample was not published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A `reliable` link is full (NODE-17).
    Full,
    /// The loan is of another channel.
    Foreign,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Full => "a reliable subscription has its queue full; publish again when it has read, or give it more depth",
            Why::Foreign => "the loan is of another channel; publish it with the publisher that lent it",
        })
    }
}

impl core::error::Error for Why {}
