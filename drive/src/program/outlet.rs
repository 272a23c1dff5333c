//! The way out of a stream: a publisher, the numbers of the run, and the report of what was offered.
//!
//! Runs in the thread that captures or drives, at its real-time priority. Never waits: the link's queue and the report's
//! are bounded, and a full one is counted. Invariant: each sample offered is reported once, or counted as unreported.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use bytes::Bytes;
use tokkyu_contract::{Bytes as Length, MonoTime};
use tokkyu_link::runtime::Publisher;

/// Reports that wait for the main thread at most: over a minute of four cameras.
const REPORTS: usize = 4096;

/// Sending end of a bounded queue to the main thread. Never waits; what finds no room is counted.
pub(crate) struct Mail<T> {
    queue: SyncSender<T>,
    unread: Arc<AtomicU64>,
}

impl<T> Clone for Mail<T> {
    fn clone(&self) -> Self {
        Mail { queue: self.queue.clone(), unread: Arc::clone(&self.unread) }
    }
}

impl<T> Mail<T> {
    /// A queue, and the count of what found no room in it.
    pub(crate) fn open() -> (Mail<T>, Receiver<T>, Arc<AtomicU64>) {
        let (queue, receiver) = sync_channel(REPORTS);
        let unread = Arc::new(AtomicU64::new(0));
        (Mail { queue, unread: Arc::clone(&unread) }, receiver, unread)
    }

    pub(crate) fn post(&self, report: T) {
        if self.queue.try_send(report).is_err() {
            self.unread.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Number of the session that is up, as the main thread saw it; for the threads that send.
#[derive(Clone, Default)]
pub(crate) struct Session(Arc<AtomicU64>);

impl Session {
    pub(crate) fn set(&self, session: Option<u64>) {
        self.0.store(session.unwrap_or(0), Ordering::Release);
    }

    /// `None` while none is up; the link counts sessions from 1.
    pub(crate) fn get(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Acquire)).filter(|session| *session != 0)
    }
}

/// A sample was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offered {
    /// Which of the program's streams, from 0.
    pub(crate) stream: usize,
    /// Number in the run, from 0.
    pub(crate) number: u32,
    /// Capture stamp.
    pub(crate) capture: MonoTime,
    /// The session it was handed to; `None` when it was not handed to the link.
    pub(crate) session: Option<u64>,
    /// Length of the sample.
    pub(crate) bytes: usize,
}

/// The same samples for another end, over a link of its own. In nobody's books.
pub(crate) struct Copy {
    publisher: Publisher,
    /// Whether that end gets any now.
    is_open: Arc<AtomicBool>,
}

impl Copy {
    /// Samples that go out through `publisher` while `is_open` says so.
    pub(crate) fn new(publisher: Publisher, is_open: Arc<AtomicBool>) -> Copy {
        Copy { publisher, is_open }
    }
}

/// The way out of one stream; see the module.
pub(crate) struct Outlet {
    pub(crate) stream: usize,
    publisher: Publisher,
    session: Session,
    number: u32,
    /// Longer samples are refused by the link without a word (LNK-6), so they are not handed over.
    longest: Length,
    /// Whether the first end gets any now; what it does not get is offered and not handed over.
    is_open: Arc<AtomicBool>,
    copies: Vec<Copy>,
}

impl Outlet {
    pub(crate) fn new(stream: usize, publisher: Publisher, session: Session, longest: Length) -> Outlet {
        let is_open = Arc::new(AtomicBool::new(true));
        Outlet { stream, publisher, session, number: 0, longest, is_open, copies: Vec::new() }
    }

    /// From now on the first end gets samples while `is_open` says so; `copies` are for the others.
    pub(crate) fn share(&mut self, is_open: Arc<AtomicBool>, copies: Vec<Copy>) {
        (self.is_open, self.copies) = (is_open, copies);
    }

    /// Number of the next sample.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Publishes a sample captured at `capture`.
    pub(crate) fn offer(&mut self, capture: MonoTime, sample: Bytes) -> Offered {
        let mut offered = offer_together(capture, vec![(self, sample)]);
        offered.pop().expect("one for each sample")
    }

    fn number_sample(&mut self, capture: MonoTime, bytes: usize) -> Offered {
        let number = self.number;
        self.number = number.wrapping_add(1);
        let may_go = bytes as u64 <= self.longest.0 && self.is_open.load(Ordering::Relaxed);
        let session = self.session.get().filter(|_| may_go);
        Offered { stream: self.stream, number, capture, session, bytes }
    }
}

/// Publishes samples of several streams captured on one tick, so that the link decides which goes first. Those of the first
/// end are handed over first.
pub(crate) fn offer_together(capture: MonoTime, samples: Vec<(&mut Outlet, Bytes)>) -> Vec<Offered> {
    let mut offered = Vec::with_capacity(samples.len());
    let mut sent = Vec::with_capacity(samples.len());
    let mut copies: Vec<Vec<(&Publisher, MonoTime, Bytes)>> = Vec::new();
    for (outlet, sample) in samples {
        let one = outlet.number_sample(capture, sample.len());
        let Outlet { publisher, copies: others, .. } = outlet;
        for (end, copy) in others.iter().enumerate().filter(|(_, copy)| copy.is_open.load(Ordering::Relaxed))
        {
            copies.resize_with(copies.len().max(end + 1), Vec::new);
            copies[end].push((&copy.publisher, capture, sample.clone()));
        }
        if one.session.is_some() {
            sent.push((&*publisher, capture, sample));
        }
        offered.push(one);
    }
    // Full: the link's thread is behind; the samples are ones that would have come too late. Closed: at the end.
    if Publisher::send_together(sent).is_err() {
        offered.iter_mut().for_each(|one| one.session = None);
    }
    // What another end's link does not take is that end's loss.
    for copies in copies {
        let _ = Publisher::send_together(copies);
    }
    offered
}
