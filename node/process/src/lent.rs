//! Readers inside the publisher's own process: the very bytes that other processes read (NODE-76).
//!
//! iceoryx2 gives a publisher nothing back when it sends, so it is its own first subscriber, one deep, and takes what it sent at once.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::sample::Sample;

use crate::ProcessError;
use crate::lender::Topic;
use crate::place::{Place, Service};

/// The publisher's process as a reader. Lent samples keep it, so that it is a subscriber as long as it holds something.
pub(crate) struct OwnReader {
    subscriber: Subscriber<Service, [u8], u32>,
    most: u32,
    /// Loans and lent samples that are out.
    out: AtomicU32,
    _place: Arc<Place>,
}

/// One of the samples that the publisher's process may have.
pub(crate) struct OwnShare {
    reader: Arc<OwnReader>,
}

/// A sample that was sent, for readers in the publisher's process. Cloned it is the same one; the slot is free when the last is dropped.
#[derive(Clone)]
pub struct Lent {
    held: Arc<Held>,
}

/// The slot goes back before its share does.
struct Held {
    sample: Sample<Service, [u8], u32>,
    _share: OwnShare,
}

// SAFETY: what is shared is memory that nobody writes as long as the sample is held; the sample's own parts are touched when it is dropped, by
// one thread alone, and iceoryx2's `ipc_threadsafe` locks what it touches then.
unsafe impl Sync for Held {}

impl OwnReader {
    pub(crate) fn new(topic: &Topic, most: u32, place: Arc<Place>) -> Result<OwnReader, ProcessError> {
        let subscriber = topic
            .subscriber_builder()
            .buffer_size(1)
            .create()
            .map_err(ProcessError::shared("a subscriber of the publisher's own"))?;
        Ok(OwnReader { subscriber, most, out: AtomicU32::new(0), _place: place })
    }

    /// `None`: all are out.
    pub(crate) fn share(self: &Arc<Self>) -> Option<OwnShare> {
        let more = |out| (out < self.most).then_some(out + 1);
        // Acquire: what was given back is free, in iceoryx2's books too.
        self.out.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).ok()?;
        Some(OwnShare { reader: self.clone() })
    }

    /// What was just sent. Called with the publisher's lock held.
    pub(crate) fn read(&self, sequence: u32, share: OwnShare) -> Result<Lent, ProcessError> {
        let what = "to lend to its own process";
        match self.subscriber.receive().map_err(ProcessError::shared(what))? {
            Some(sample) if *sample.user_header() == sequence => {
                Ok(Lent { held: Arc::new(Held { sample, _share: share }) })
            }
            other => Err(ProcessError::shared(what)(other.map(|sample| *sample.user_header()))),
        }
    }
}

impl Drop for OwnShare {
    fn drop(&mut self) {
        self.reader.out.fetch_sub(1, Ordering::Release);
    }
}

impl Lent {
    /// The number that it was sent with.
    pub fn sequence(&self) -> u32 {
        *self.held.sample.user_header()
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.sample.payload()
    }
}

/// For who only wants to read it and does not know where it comes from.
impl From<Lent> for Arc<dyn AsRef<[u8]> + Send + Sync> {
    fn from(lent: Lent) -> Self {
        lent.held
    }
}

impl Deref for Lent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.held.sample.payload()
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("sequence", &self.sequence()).field("bytes", &self.len()).finish()
    }
}
