//! The end that reads: one subscription's way to one publisher.

use alloc::sync::Arc;
use core::fmt;
use core::ops::Deref;

use crate::channel::Channel;
use crate::limits::Terms;
use crate::link::{Link, LinkId, State};
use crate::near::Near;
use crate::ring::{Cursor, Taken};

/// Takes the samples of one [`Channel`], in order. One thread at a time. Dropped, it leaves the channel.
pub struct Reader<T> {
    channel: Arc<Channel<T>>,
    id: LinkId,
    terms: Terms,
    tail: Cursor,
    /// The number after the one delivered last.
    expected: u32,
    /// The latched sample's number, until the next one: the queue may have it too.
    after: Option<u32>,
}

impl<T: Send + Sync> Reader<T> {
    pub(crate) fn new(
        channel: Arc<Channel<T>>,
        id: LinkId,
        terms: Terms,
        tail: Cursor,
        expected: u32,
    ) -> Reader<T> {
        Reader { channel, id, terms, tail, expected, after: None }
    }

    /// The next sample, if there is one. Steps: bounded by the depth (NODE-15).
    ///
    /// # Errors
    ///
    /// [`TakeError`]: it holds as many as it may. What waits goes on waiting.
    pub fn take(&mut self) -> Result<Option<Sample<T>>, TakeError> {
        let Some((held, id)) = self.next_held()? else { return Ok(None) };
        Ok(Some(Sample { channel: self.channel.clone(), id, held }))
    }

    /// The same for who is done with it before it takes the next: the channel's count of references, which others write too, is left alone.
    ///
    /// # Errors
    ///
    /// As for [`Reader::take`].
    // With all that it calls it is in one place with what comes before and after: fewer lines of instructions, which can be asked for too.
    #[inline(always)]
    pub fn take_here(&mut self) -> Result<Option<SampleHere<'_, T>>, TakeError> {
        let Some((held, id)) = self.next_held()? else { return Ok(None) };
        Ok(Some(Sample { channel: &self.channel, id, held }))
    }

    #[inline(always)]
    fn next_held(&mut self) -> Result<Option<(Held, LinkId)>, TakeError> {
        let Some(entry) = self.link().place_to_hold() else {
            return Err(TakeError { held: self.channel.limits.held });
        };
        let Some(Taken { sequence, slot }) = self.next() else { return Ok(None) };
        self.link().hold(entry, slot);
        let missed = (sequence.wrapping_sub(self.expected) as i32).max(0) as u32;
        self.expected = sequence.wrapping_add(1);
        Ok(Some((Held { entry, slot, sequence, missed }, self.id)))
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Taken> {
        let link = &self.channel.links[self.id.0 as usize];
        let slots = &self.channel.slots;
        if let Some(slot) = link.take_latched() {
            let sequence = slots.sequence(slot);
            self.after = Some(sequence);
            self.expected = sequence;
            return Some(Taken { sequence, slot });
        }
        let lost = |slot| {
            link.queue.count_dropped();
            slots.release(slot);
        };
        let taken = link.queue.take(&mut self.tail, self.terms.depth, lost)?;
        match self.after.take() {
            // Published while the link opened: it was latched, and came in here as well.
            Some(latched) if latched == taken.sequence => {
                slots.release(taken.slot);
                link.queue.take(&mut self.tail, self.terms.depth, lost)
            }
            _ => Some(taken),
        }
    }

    /// What [`Reader::take`] will look at, for who waits for a sample: it asks for that when it is woken (NODE-24).
    pub fn add_to(&self, near: &mut Near) {
        near.add(&self.channel.slots);
        self.link().add_take_to(self.tail, near);
        self.channel.slots.add_to(near);
    }

    fn link(&self) -> &Link {
        &self.channel.links[self.id.0 as usize]
    }

    /// Samples that wait.
    pub fn waiting(&self) -> u32 {
        self.link().queue.filled() + u32::from(self.link().has_latched())
    }

    /// Samples that this link has lost since it joined, modulo 2³².
    pub fn dropped(&self) -> u32 {
        self.link().queue.dropped()
    }

    /// Which link of the channel it is, for [`Channel::abandon`].
    pub fn id(&self) -> LinkId {
        self.id
    }

    /// What it joined with.
    pub fn terms(&self) -> Terms {
        self.terms
    }
}

impl<T> Drop for Reader<T> {
    fn drop(&mut self) {
        let release = |slot| self.channel.slots.release(slot);
        let link = &self.channel.links[self.id.0 as usize];
        link.close(release);
        self.channel.sweep_one(link);
    }
}

/// What a reader holds, and where it stands among that.
struct Held {
    entry: u32,
    slot: u32,
    sequence: u32,
    missed: u32,
}

/// A sample that is read. Dropped, it goes back. `C`: how it has its channel, which a [`SampleHere`] borrows.
pub struct Sample<T, C = Arc<Channel<T>>>
where
    C: Deref<Target = Channel<T>>,
{
    channel: C,
    id: LinkId,
    held: Held,
}

/// A sample that its reader waits for.
pub type SampleHere<'r, T> = Sample<T, &'r Channel<T>>;

impl<T, C: Deref<Target = Channel<T>>> Sample<T, C> {
    /// Its number: its publisher counts from 0, modulo 2³².
    pub fn sequence(&self) -> u32 {
        self.held.sequence
    }

    /// Samples before this one that the link has lost since the one delivered last, or since it joined.
    pub fn missed(&self) -> u32 {
        self.held.missed
    }
}

impl<T, C: Deref<Target = Channel<T>>> Deref for Sample<T, C> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: nobody changes a slot that somebody else has a reference to.
        self.channel.slots.with(self.held.slot, |value| unsafe { &*value })
    }
}

impl<T, C: Deref<Target = Channel<T>>> Drop for Sample<T, C> {
    fn drop(&mut self) {
        let link = &self.channel.links[self.id.0 as usize];
        link.give_back(self.held.entry, |slot| self.channel.slots.release(slot));
        if link.is(State::Closing) {
            self.channel.sweep_one(link);
        }
    }
}

impl<T, C: Deref<Target = Channel<T>>> fmt::Debug for Sample<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Held { sequence, missed, .. } = &self.held;
        f.debug_struct("Sample").field("sequence", sequence).field("missed", missed).finish_non_exhaustive()
    }
}

/// The reader holds as many samples as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakeError {
    /// So many may be.
    pub held: u32,
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the reader holds {} samples, as many as it may; drop one, or make the channel with more `held`",
            self.held
        )
    }
}

impl core::error::Error for TakeError {}
