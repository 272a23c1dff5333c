//! What one publisher and its readers share.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

use crate::bell::{Doorbell, SOURCES};
use crate::limits::{Exceeded, Limits, Terms};
use crate::lines::Apart;
use crate::link::{Link, LinkId};
use crate::publisher::Publisher;
use crate::reader::Reader;
use crate::ring::Cursor;
use crate::slots::Slots;
use crate::sync::{AtomicU32, Ordering};

/// A topic of one publisher, with the places that its readers join at.
///
/// What is in a slot is used again: a loan begins with what some earlier sample had.
pub struct Channel<T> {
    pub(crate) limits: Limits,
    pub(crate) slots: Slots<T>,
    pub(crate) links: Box<[Link]>,
    /// Links that were ever joined are the first of all, so many: the publisher looks at no others.
    pub(crate) reach: AtomicU32,
    /// Slots that the publisher may use just now: its own share and that of each link.
    pub(crate) usable: AtomicU32,
    /// Links that are reliable.
    pub(crate) reliable: AtomicU32,
    /// Slot plus 1 of the last sample, where it is kept.
    pub(crate) last: AtomicU32,
    pub(crate) publishing: Apart<Publishing>,
}

/// What the publisher writes for each sample, and readers look at only when they come or go.
pub(crate) struct Publishing {
    /// Loans that the publisher has.
    pub(crate) lent: AtomicU32,
    /// The number of the next sample. Stored before the publisher looks at links.
    pub(crate) next: AtomicU32,
    /// 1 while the publisher is inside `publish`.
    pub(crate) inside: AtomicU32,
}

impl Publishing {
    fn from_number(first: u32) -> Publishing {
        Publishing { lent: AtomicU32::new(0), next: AtomicU32::new(first), inside: AtomicU32::new(0) }
    }
}

// SAFETY: what is in a slot is changed by the publisher alone while nobody else has a reference, and read by many after that; `joined` of a link is
// described there.
unsafe impl<T: Send + Sync> Send for Channel<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Channel<T> {}

impl<T: Send + Sync> Channel<T> {
    /// A channel with its only publisher. `make` fills each slot.
    ///
    /// # Errors
    ///
    /// [`Exceeded`]: a limit is not possible.
    pub fn new(limits: Limits, make: impl FnMut() -> T) -> Result<(Publisher<T>, Arc<Channel<T>>), Exceeded> {
        Channel::from_number(0, limits, make, None)
    }

    /// The same, and whoever gives the last reference to a slot back empties it with `clear`, in its own thread: what samples own ends with them
    /// (NODE-21).
    ///
    /// # Errors
    ///
    /// As for [`Channel::new`].
    pub fn with_clearing(
        limits: Limits,
        make: impl FnMut() -> T,
        clear: fn(&mut T),
    ) -> Result<(Publisher<T>, Arc<Channel<T>>), Exceeded> {
        Channel::from_number(0, limits, make, Some(clear))
    }

    /// The same, with the number of the first sample: for tests, which cannot wait for it to wrap.
    #[doc(hidden)]
    pub fn from_number(
        first: u32,
        limits: Limits,
        make: impl FnMut() -> T,
        clear: Option<fn(&mut T)>,
    ) -> Result<(Publisher<T>, Arc<Channel<T>>), Exceeded> {
        limits.check()?;
        let channel = Arc::new(Channel {
            slots: Slots::new(limits.slots, make, clear),
            links: (0..limits.links).map(|_| Link::new(limits.depth, limits.held)).collect(),
            reach: AtomicU32::new(0),
            usable: AtomicU32::new(limits.own_share()),
            reliable: AtomicU32::new(0),
            last: AtomicU32::new(0),
            publishing: Apart(Publishing::from_number(first)),
            limits,
        });
        Ok((Publisher::new(channel.clone()), channel))
    }

    /// Joins a subscription, which rings source `source` of `bell` for each sample (NODE-18).
    ///
    /// # Errors
    ///
    /// [`JoinError`]: nothing has changed. The place of one that has left may count until the publisher has left `publish`: try again then.
    pub fn join(
        self: &Arc<Self>,
        terms: Terms,
        bell: Arc<dyn Doorbell>,
        source: u32,
    ) -> Result<Reader<T>, JoinError> {
        self.check(terms, source)?;
        self.sweep();
        let at = self.links.iter().position(Link::begin).ok_or(JoinError::Links(self.limits.links))?;
        let link = &self.links[at];
        if let Err(wanted) = self.make_usable(self.limits.share(terms.depth)) {
            link.give_up();
            return Err(JoinError::Slots { wanted, have: self.slots.len() });
        }
        self.reliable.fetch_add(u32::from(terms.reliable), Ordering::AcqRel);
        // Before it opens: who finds it open has found it.
        self.reach.fetch_max(at as u32 + 1, Ordering::AcqRel);
        // One before, for a sample that is just being published and may find the link open.
        let first = self.publishing.next.load(Ordering::Acquire).wrapping_sub(1);
        let first = link.open(terms, bell.clone(), source, first);
        // What is published from here on comes in: the publisher stores `next` before it looks whether this link is open.
        let expected = self.publishing.next.load(Ordering::Acquire);
        if self.latch(link, first) {
            bell.ring(source);
        }
        Ok(Reader::new(self.clone(), LinkId(at as u32), terms, first, expected))
    }

    fn check(&self, terms: Terms, source: u32) -> Result<(), JoinError> {
        let exceeded =
            |name, value, least, most| Err(JoinError::Exceeded(Exceeded { name, value, least, most }));
        match terms.depth {
            depth if !(1..=self.limits.depth).contains(&depth) => {
                exceeded("depth", depth, 1, self.limits.depth)
            }
            _ if source >= SOURCES => exceeded("source", source, 0, SOURCES - 1),
            _ => Ok(()),
        }
    }

    /// Lets the publisher use `more` slots, if there are so many. Otherwise gives how many it would take.
    fn make_usable(&self, more: u32) -> Result<(), u32> {
        let within = |usable: u32| Some(usable + more).filter(|&all| all <= self.slots.len());
        self.usable
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, within)
            .map(drop)
            .map_err(|usable| usable + more)
    }

    /// Gives a link that has just opened the last sample, where that is kept and nothing has come through the queue.
    ///
    /// Nothing is lost between the two: the publisher changes `last` before it looks whether the link is open, so that a sample which is not here
    /// yet goes into the queue. What is just being published may come both ways; the reader knows it by its number. Once anything came through the
    /// queue, all that is newer does; so it is when the slot was freed, and perhaps lent anew, before it got its reference here.
    fn latch(&self, link: &Link, first: Cursor) -> bool {
        // An exchange sees the newest.
        let last = self.last.fetch_or(0, Ordering::AcqRel).checked_sub(1);
        let Some(slot) = last.filter(|&slot| self.slots.add_unless_free(slot)) else { return false };
        let is_first = link.queue.is_untouched(first);
        if is_first {
            link.set_latched(slot);
        } else {
            self.slots.release(slot);
        }
        is_first
    }

    /// Gives back everything of a subscription that died: what it held, and what waits for it (NODE-18).
    ///
    /// # Safety
    ///
    /// Its [`Reader`] and every [`Sample`](crate::Sample) of it are never used again, not even dropped. It did not end inside a call of theirs: what
    /// it then had in its hands is lost.
    pub unsafe fn abandon(&self, id: LinkId) {
        let link = &self.links[id.0 as usize];
        link.close(|slot| self.slots.release(slot));
        link.give_all_back(|slot| self.slots.release(slot));
        self.sweep_one(link);
    }

    /// Bytes of a channel with these limits, beside what the values in its slots own.
    pub const fn bytes(limits: &Limits) -> usize {
        size_of::<Channel<T>>()
            + Slots::<T>::bytes(limits.slots)
            + limits.links as usize * Link::bytes(limits.depth, limits.held)
    }

    /// What it was made with.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Slots that somebody refers to just now.
    pub fn slots_used(&self) -> u32 {
        self.slots.used()
    }

    /// Links that are open just now.
    pub fn links_open(&self) -> u32 {
        self.links.iter().filter(|link| link.is(crate::link::State::Open)).count() as u32
    }
}

impl<T> Channel<T> {
    /// Those that somebody has joined, now or before.
    pub(crate) fn reached(&self) -> &[Link] {
        &self.links[..self.reach.load(Ordering::Acquire) as usize]
    }

    /// Frees the links that are left, as far as possible.
    pub(crate) fn sweep(&self) {
        self.links.iter().for_each(|link| self.sweep_one(link));
    }

    pub(crate) fn sweep_one(&self, link: &Link) {
        let is_inside = || self.publishing.inside.load(Ordering::Acquire) != 0;
        if let Some(terms) = link.sweep(is_inside, |slot| self.slots.release(slot)) {
            self.usable.fetch_sub(self.limits.share(terms.depth), Ordering::AcqRel);
            self.reliable.fetch_sub(u32::from(terms.reliable), Ordering::AcqRel);
        }
    }
}

/// A subscription cannot join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// What was asked for is not possible here.
    Exceeded(Exceeded),
    /// All of so many links are taken.
    Links(u32),
    /// There are not enough slots for one more link.
    Slots {
        /// So many would be needed.
        wanted: u32,
        /// So many there are.
        have: u32,
    },
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Exceeded(exceeded) => exceeded.fmt(f),
            JoinError::Links(links) => {
                write!(f, "all {links} links of the channel are taken; it is made with `links`")
            }
            JoinError::Slots { wanted, have } => {
                write!(
                    f,
                    "with one more link the channel needs {wanted} slots and has {have}; it is made with `slots`, and a smaller depth takes less"
                )
            }
        }
    }
}

impl core::error::Error for JoinError {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// NODE-23: nothing that a reader looks at for a sample, and not the count of references in front of it all.
    #[test]
    fn what_the_publisher_writes_is_on_lines_of_its_own() {
        let (_publisher, channel) = Channel::new(Limits::for_links(1, 1), || 0_u8).unwrap();
        let line = |address: usize| address / 64;
        let begin = core::ptr::from_ref(&*channel).addr();
        let own = core::ptr::from_ref(&channel.publishing).addr();
        let read = [
            core::ptr::from_ref(&channel.slots).addr(),
            core::ptr::from_ref(&channel.links).addr(),
            core::ptr::from_ref(&channel.limits).addr(),
        ];
        assert_eq!((begin % 64, own % 64, size_of_val(&channel.publishing)), (0, 0, 64));
        assert!(read.iter().all(|&address| line(address) != line(own)));
    }
}
