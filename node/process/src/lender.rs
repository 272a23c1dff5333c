//! The publisher's end of a topic (NODE-70 to NODE-76).
//!
//! Called in the publisher's threads. `loan` and `send` take a lock that only they share, and make no system call but these: a loan that is given a
//! slot for the first time takes memory for it, a loan longer than all before makes new slots, and the first `send` after a subscriber came or went
//! maps its queue or lets go of it.

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::update_connections::UpdateConnections;
use iceoryx2::port::{DegradationAction, LoanError};
use iceoryx2::prelude::*;
use iceoryx2::sample_mut::SampleMut;
use iceoryx2::sample_mut_uninit::SampleMutUninit;
use iceoryx2::service::port_factory::PortFactory as _;
use iceoryx2::service::port_factory::publish_subscribe::PortFactory;

use crate::lent::{Lent, OwnReader, OwnShare};
use crate::place::{Place, Service, locked};
use crate::room::{Backed, is_left};
use crate::{Limits, ProcessError, dead, unguessable};

/// The topic as iceoryx2 has it: bytes, and their sequence number.
pub(crate) type Topic = PortFactory<Service, [u8], u32>;
type EmptySlot = SampleMutUninit<Service, [MaybeUninit<u8>], u32>;

/// Slots begin at a line of the cache: what is written into one does not slow who reads its neighbour.
pub(crate) fn alignment() -> Result<Alignment, ProcessError> {
    Alignment::new(64).ok_or_else(|| ProcessError::shared("the alignment")(64))
}

/// The name of what a topic says of itself: samples that one subscriber may hold.
pub(crate) const HELD: &str = "held";
/// Processes that may have the topic open: those of the subscribers, ours, and some that find out that there is no place for them.
const MORE_PROCESSES: usize = 8;
/// What tables and queues of a topic take, generously.
pub(crate) const TABLES_BYTES: usize = 512 << 10;

/// One publisher's topic for subscribers in other processes.
pub struct Lender {
    end: Arc<End>,
    name: String,
}

/// What loans need beyond the life of the `Lender`. Fields are dropped in their order: ports before the topic they belong to.
struct End {
    filling: Mutex<Filling>,
    own: Arc<OwnReader>,
    topic: Topic,
    limits: Limits,
    place: Arc<Place>,
}

struct Filling {
    publisher: Publisher<Service, [u8], u32>,
    backed: Backed,
    /// Bytes that a slot has now.
    slot_bytes: usize,
}

/// A slot to fill. Dropped unsent it is free again.
pub struct Loan {
    slot: SampleMut<Service, [u8], u32>,
    share: OwnShare,
    end: Arc<End>,
}

impl Lender {
    /// A topic with a name of its own (NODE-71). Its slots are there at once, but memory is taken for what is used (NODE-74).
    ///
    /// # Errors
    ///
    /// [`ProcessError::Limit`]; [`ProcessError::Room`]; what the system or iceoryx2 refuses.
    pub fn new(limits: Limits) -> Result<Lender, ProcessError> {
        limits.check()?;
        is_left(TABLES_BYTES)?;
        let name = unguessable::name()?;
        dead::reclaim()?;
        let place = Arc::new(Place::of_lender(&name)?);
        let topic = make_topic(&locked(&place.node), &name, &limits)?;
        let publisher = make_publisher(&topic, &limits)?;
        let own = Arc::new(OwnReader::new(&topic, limits.own, place.clone())?);
        let mut filling = Filling {
            publisher,
            backed: Backed::new(limits.slots() as usize),
            slot_bytes: limits.slot_bytes,
        };
        filling.begin_slots(limits.slots())?;
        Ok(Lender { end: Arc::new(End { filling: Mutex::new(filling), own, topic, limits, place }), name })
    }

    /// What subscribers open it by. To be told to them; nobody can guess it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `len` bytes in shared memory; they are what some former message had, or 0. Within the limits it never fails but for want of memory (NODE-73).
    ///
    /// # Errors
    ///
    /// [`ProcessError::Limit`]: longer than `most_bytes`; [`ProcessError::Own`]; [`ProcessError::Room`].
    pub fn loan(&self, len: usize) -> Result<Loan, ProcessError> {
        let limits = &self.end.limits;
        crate::limits::within("the length of a message", len, 0, limits.most_bytes)?;
        let share = self.end.own.share().ok_or(ProcessError::Own(limits.own))?;
        let mut filling = locked(&self.end.filling);
        if len > filling.slot_bytes {
            filling.grow(len, limits)?;
        }
        let mut slot = filling.slot(len)?;
        filling.backed.back(slot.payload_mut())?;
        // SAFETY: the bytes are mapped memory, which always has some value, and any is one of `u8`.
        let slot = unsafe { slot.assume_init() };
        Ok(Loan { slot, share, end: self.end.clone() })
    }

    /// Takes back what subscribers that were killed had: slots, once the next sample is sent, and places. Returns how many they were. Also each
    /// [`Borrower`](crate::Borrower) that joins does it. For when the publisher learns that a subscriber's process has ended; it reads a folder
    /// and opens a file for each subscriber: not for a thread that is in a hurry.
    ///
    /// # Errors
    ///
    /// What iceoryx2 refuses.
    pub fn reclaim(&self) -> Result<u64, ProcessError> {
        dead::reclaim_ends(&self.end.topic, &self.end.place.folder)
    }

    /// Gives what is latched to subscribers that came after it was sent. They get it with the next sample in any case.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Shared`]: a queue cannot be reached.
    pub fn greet(&self) -> Result<(), ProcessError> {
        let filling = locked(&self.end.filling);
        filling.publisher.update_connections().map_err(ProcessError::shared("to reach a subscriber"))
    }

    /// Subscribers in other processes now, those that were killed included until [`Lender::reclaim`].
    pub fn subscribers(&self) -> usize {
        // One is ours.
        self.end.topic.dynamic_config().number_of_subscribers().saturating_sub(1)
    }
}

impl Filling {
    fn slot(&self, len: usize) -> Result<EmptySlot, ProcessError> {
        self.publisher.loan_slice_uninit(len).map_err(|error| match error {
            LoanError::OutOfMemory | LoanError::InternalFailure => ProcessError::Room { bytes: len },
            error => ProcessError::shared("a loan")(error),
        })
    }

    /// Writes the beginning of every slot, so that none is written for the first time when memory is short. All slots are free.
    fn begin_slots(&mut self, slots: u32) -> Result<(), ProcessError> {
        is_left(slots as usize * rustix::param::page_size() + TABLES_BYTES)?;
        let mut all = Vec::with_capacity(slots as usize);
        for _ in 0..slots {
            all.push(self.slot(self.slot_bytes)?);
        }
        Ok(())
    }

    /// New slots beside the old ones, which go when the last of them is given back.
    fn grow(&mut self, len: usize, limits: &Limits) -> Result<(), ProcessError> {
        let former = self.slot_bytes;
        self.slot_bytes = len.next_power_of_two().min(limits.most_bytes);
        self.backed.clear();
        // Without memory for all the next longer message tries again.
        self.begin_slots(limits.slots()).inspect_err(|_| self.slot_bytes = former)
    }
}

impl Loan {
    /// Gives it to every subscriber's queue; a full one loses its oldest sample, which shows as a gap in the sequence (NODE-72). Never waits.
    /// What is returned is for readers in this process: the very bytes (NODE-76).
    ///
    /// # Errors
    ///
    /// [`ProcessError::Shared`]: a queue is damaged. Other subscribers may have got the sample.
    pub fn send(self, sequence: u32) -> Result<Lent, ProcessError> {
        self.send_then(sequence, || ())
    }

    /// The same, and wakes the subscribers by `wake` as soon as their queues have it: before the books of this process are kept.
    ///
    /// # Errors
    ///
    /// As [`Loan::send`]; `wake` was called if it was not the sending that failed.
    pub fn send_then(mut self, sequence: u32, wake: impl FnOnce()) -> Result<Lent, ProcessError> {
        *self.slot.user_header_mut() = sequence;
        let _filling = locked(&self.end.filling);
        self.slot.send().map_err(ProcessError::shared("to send"))?;
        wake();
        self.end.own.read(sequence, self.share)
    }
}

impl Deref for Loan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.slot.payload()
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.slot.payload_mut()
    }
}

fn make_topic(node: &Node<Service>, name: &str, limits: &Limits) -> Result<Topic, ProcessError> {
    let name = ServiceName::new(name).map_err(ProcessError::shared("the topic's name"))?;
    let key = HELD.try_into().map_err(ProcessError::shared("an attribute"))?;
    let held = limits.held.to_string();
    let value = held.as_str().try_into().map_err(ProcessError::shared("an attribute"))?;
    let attributes =
        AttributeSpecifier::new().define(&key, &value).map_err(ProcessError::shared("an attribute"))?;
    node.service_builder(&name)
        .publish_subscribe::<[u8]>()
        .user_header::<u32>()
        .payload_alignment(alignment()?)
        .max_publishers(1)
        .max_subscribers(limits.subscribers as usize + 1)
        .max_nodes(limits.subscribers as usize + 1 + MORE_PROCESSES)
        .subscriber_max_buffer_size(limits.depth as usize)
        .subscriber_max_borrowed_samples(limits.held.max(limits.own) as usize)
        .history_size(limits.latch.into())
        .enable_safe_overflow(true)
        .create_with_attributes(&attributes)
        .map_err(ProcessError::shared("the topic"))
}

fn make_publisher(topic: &Topic, limits: &Limits) -> Result<Publisher<Service, [u8], u32>, ProcessError> {
    let slots = limits.slots() as usize;
    topic
        .publisher_builder()
        .initial_max_slice_len(limits.slot_bytes)
        // Only as much as asked for: `grow` asks for twice as much each time.
        .allocation_strategy(AllocationStrategy::BestFit)
        // `begin_slots` takes all of them. What a program may have is limited by shares.
        .max_loaned_samples(slots)
        .override_sample_preallocation(move |_| slots)
        // A queue that overflows is never full: nothing is waited for.
        .backpressure_strategy(BackpressureStrategy::DiscardData)
        // A subscriber that dies while it joins is not the publisher's failure.
        .set_degradation_handler(|_, _| DegradationAction::Ignore)
        .create()
        .map_err(ProcessError::shared("a publisher"))
}
