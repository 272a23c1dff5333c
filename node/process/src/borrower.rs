//! A subscriber's end of a topic, in any process (NODE-70 to NODE-75).

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use iceoryx2::port::DegradationAction;
use iceoryx2::port::subscriber::{Subscriber, SubscriberCreateError};
use iceoryx2::prelude::*;
use iceoryx2::sample::Sample;
use iceoryx2::service::builder::publish_subscribe::PublishSubscribeOpenError;

use crate::lender::{HELD, TABLES_BYTES, Topic, alignment};
use crate::place::{Place, Service, locked};
use crate::room::is_left;
use crate::{MAX_SLOTS, ProcessError, dead};

/// One subscriber.
pub struct Borrower {
    end: Arc<End>,
}

/// What samples need beyond the life of the `Borrower`. As long as one is held this is a subscriber: the publisher takes back what a subscriber
/// that has left had.
struct End {
    subscriber: Subscriber<Service, [u8], u32>,
    held: AtomicU32,
    most_held: u32,
    topic: Topic,
    place: Place,
}

/// A sample to read. It stays what it is, whatever the publisher does, ends or dies (NODE-75).
pub struct Borrowed {
    sample: Sample<Service, [u8], u32>,
    // Dropped after the sample: the slot goes back first.
    _share: Share,
}

struct Share {
    end: Arc<End>,
}

// SAFETY: what is shared is memory that nobody writes as long as the sample is held; the sample's own parts are touched when it is dropped, by
// one thread alone, and iceoryx2's `ipc_threadsafe` locks what it touches then.
unsafe impl Sync for Borrowed {}

impl Borrower {
    /// Joins the topic that a [`Lender`](crate::Lender) called `name`. What is sent from now on comes, the newest `depth` of it if more waits.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Gone`]; [`ProcessError::Limit`]: deeper than the publisher allows; [`ProcessError::Subscribers`]; [`ProcessError::Room`]; what the
    /// system or iceoryx2 refuses.
    pub fn open(name: &str, depth: u32) -> Result<Borrower, ProcessError> {
        is_left(TABLES_BYTES)?;
        let place = Place::of_borrower(name)?;
        let topic = open_topic(&locked(&place.node), name)?;
        let deepest = topic.static_config().subscriber_max_buffer_size();
        crate::limits::within("depth", depth as usize, 1, deepest)?;
        let most_held = most_held(&topic).ok_or_else(|| ProcessError::Gone(name.into()))?;
        // The dead make room.
        dead::reclaim_ends(&topic, &place.folder)?;
        let subscriber = make_subscriber(&topic, name, depth)?;
        let end = End { subscriber, held: AtomicU32::new(0), most_held, topic, place };
        let borrower = Borrower { end: Arc::new(end) };
        // It may have ended meanwhile.
        if borrower.is_connected() { Ok(borrower) } else { Err(ProcessError::Gone(name.into())) }
    }

    /// The oldest sample that waits; none if none does. Numbers that are missing between two samples were lost: the queue was full (NODE-72).
    ///
    /// What waits when the publisher ends is still there if a sample of that length was taken before; else it may be gone.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Held`]: nothing was taken; [`ProcessError::Shared`]: the memory of a longer message cannot be mapped.
    pub fn take(&mut self) -> Result<Option<Borrowed>, ProcessError> {
        let share = Share::of(&self.end).ok_or(ProcessError::Held(self.end.most_held))?;
        let sample = self.end.subscriber.receive().map_err(ProcessError::shared("a sample"))?;
        Ok(sample.map(|sample| Borrowed { sample, _share: share }))
    }

    /// Whether a sample waits.
    pub fn has_waiting(&self) -> bool {
        // What cannot be asked is found out by `take`.
        self.end.subscriber.has_samples().unwrap_or(true)
    }

    /// Whether the publisher is there: neither ended nor killed. Three system calls.
    pub fn is_connected(&self) -> bool {
        self.end.topic.dynamic_config().number_of_publishers() > 0 && self.end.place.has_lender()
    }
}

impl Share {
    /// `None`: as many are held as may be.
    fn of(end: &Arc<End>) -> Option<Share> {
        let more = |held| (held < end.most_held).then_some(held + 1);
        end.held.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).ok()?;
        Some(Share { end: end.clone() })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.end.held.fetch_sub(1, Ordering::Release);
    }
}

impl Borrowed {
    /// The number that it was sent with.
    pub fn sequence(&self) -> u32 {
        *self.sample.user_header()
    }
}

impl Deref for Borrowed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.sample.payload()
    }
}

impl fmt::Debug for Borrowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Borrowed").field("sequence", &self.sequence()).field("bytes", &self.len()).finish()
    }
}

fn open_topic(node: &Node<Service>, name: &str) -> Result<Topic, ProcessError> {
    let gone = || ProcessError::Gone(name.into());
    let service = ServiceName::new(name).map_err(|_| gone())?;
    node.service_builder(&service)
        .publish_subscribe::<[u8]>()
        .user_header::<u32>()
        .payload_alignment(alignment()?)
        .open()
        .map_err(|error| match error {
            PublishSubscribeOpenError::DoesNotExist | PublishSubscribeOpenError::IsMarkedForDestruction => {
                gone()
            }
            PublishSubscribeOpenError::ExceedsMaxNumberOfNodes => ProcessError::Subscribers(name.into()),
            error => ProcessError::shared("to open the topic")(error),
        })
}

fn most_held(topic: &Topic) -> Option<u32> {
    let key = HELD.try_into().ok()?;
    let held = topic.attributes().key_value(&key, 0)?.to_string().parse().ok()?;
    (1..=MAX_SLOTS).contains(&held).then_some(held)
}

fn make_subscriber(
    topic: &Topic,
    name: &str,
    depth: u32,
) -> Result<Subscriber<Service, [u8], u32>, ProcessError> {
    // iceoryx2 makes a subscriber even where it cannot reach the publisher, and tells this function alone.
    let has_failed = Arc::new(AtomicBool::new(false));
    let failure = has_failed.clone();
    let subscriber = topic
        .subscriber_builder()
        .buffer_size(depth as usize)
        .set_degradation_handler(move |_, _| {
            failure.store(true, Ordering::Relaxed);
            DegradationAction::DegradeAndFail
        })
        .create()
        .map_err(|error| match error {
            SubscriberCreateError::ExceedsMaxSupportedSubscribers => ProcessError::Subscribers(name.into()),
            error => ProcessError::shared("a subscriber")(error),
        })?;
    if has_failed.load(Ordering::Relaxed) {
        return Err(ProcessError::shared("the way to the publisher")("not established"));
    }
    Ok(subscriber)
}
