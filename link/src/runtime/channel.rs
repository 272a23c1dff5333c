//! Queues between applications and the link's thread: bounded, and neither side waits for the other.
//!
//! Locks are held for a push or a pop, never across a system call, so the real-time thread is not kept waiting by an
//! application thread for longer than that.

use super::{LinkDied, LinkEvent, LinkState, LinkStats, Sample, SendError};
use crate::core::limits::{Numbers, check_names};
use crate::core::{Endpoint, EndpointError, Publication, Stats, Subscription};
use nix::sys::eventfd::{EfdFlags, EventFd};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokkyu_contract::{FlowId, MonoTime};

/// Requests that wait for the link's thread at most: a tick of many cameras many times over.
const REQUESTS: usize = 1024;
/// Events that wait for the application at most.
const EVENTS: usize = 4096;
/// A waiting thread looks again after this.
const LONG_WAIT: Duration = Duration::from_secs(3600);

/// What an application asks of the link's thread.
pub(super) enum Request {
    Advertise(FlowId, Publication),
    Subscribe(FlowId, Subscription, Feed),
    Send(Vec<Outgoing>),
    /// The endpoint goes: now, or once what it sent is settled.
    Withdraw(Endpoint, Leaving),
    Rebind(SocketAddr),
    Close,
}

/// When an endpoint goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    AtOnce,
    Drained,
}

/// A sample to publish.
pub(super) struct Outgoing {
    pub(super) flow: FlowId,
    pub(super) capture: MonoTime,
    pub(super) payload: bytes::Bytes,
}

/// What both sides hold.
pub(super) struct Shared {
    requests: SyncSender<Request>,
    wake: EventFd,
    pub(super) events: Queue<LinkEvent>,
    stats: Mutex<LinkStats>,
    numbers: Mutex<EndpointNumbers>,
    /// Endpoints whose numbers the thread does not use any more. Apart from the numbers, whose lock is held while the
    /// thread is waited for.
    returned: Mutex<Vec<Endpoint>>,
    /// Bytes of samples that wait for the application at most, for each subscription.
    pub(super) memory_bytes: usize,
}

/// Numbers of the application's endpoints: they outlive sessions.
struct EndpointNumbers {
    publications: Numbers,
    subscriptions: Numbers,
}

impl EndpointNumbers {
    fn give_back(&mut self, endpoint: Endpoint) {
        match endpoint {
            Endpoint::Publication(flow) => self.publications.give_back(flow),
            Endpoint::Subscription(flow) => self.subscriptions.give_back(flow),
        }
    }
}

/// What waits in a queue.
pub(super) trait Waiting {
    /// Bytes of memory that are let go with it.
    fn bytes(&self) -> usize;
}

impl Waiting for LinkEvent {
    fn bytes(&self) -> usize {
        0 // names of 255 bytes at most: their number bounds them
    }
}

impl Waiting for Sample {
    fn bytes(&self) -> usize {
        self.delivered.payload.len()
    }
}

/// The thread's end of a subscription's queue. When it goes, with the subscription or with the thread, whatever became
/// of that, nothing more comes and nobody waits for it (LNK-76).
pub(super) struct Feed(Arc<Queue<Sample>>);

impl Feed {
    pub(super) fn of(queue: &Arc<Queue<Sample>>) -> Self {
        Feed(Arc::clone(queue))
    }

    pub(super) fn put(&self, sample: Sample) {
        self.0.put(sample);
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A queue that drops its oldest entries rather than wait.
pub(super) struct Queue<T> {
    entries: Mutex<Entries<T>>,
    arrived: Condvar,
    limit: usize,
    limit_bytes: usize,
}

struct Entries<T> {
    queue: VecDeque<T>,
    bytes: usize,
    dropped: u64,
    is_closed: bool,
}

impl<T: Waiting> Entries<T> {
    fn pop(&mut self) -> Option<T> {
        let entry = self.queue.pop_front()?;
        self.bytes -= entry.bytes();
        Some(entry)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked with the lock held was pushing or popping: the queue is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Waiting> Queue<T> {
    /// A queue of at most `limit` entries that hold at most `limit_bytes`, or one that alone holds more.
    pub(super) fn new(limit: usize, limit_bytes: usize) -> Self {
        let entries = Mutex::new(Entries { queue: VecDeque::new(), bytes: 0, dropped: 0, is_closed: false });
        Queue { entries, arrived: Condvar::new(), limit, limit_bytes }
    }

    pub(super) fn put(&self, entry: T) {
        let (mut entries, bytes) = (lock(&self.entries), entry.bytes());
        while entries.queue.len() >= self.limit || entries.bytes.saturating_add(bytes) > self.limit_bytes {
            if entries.pop().is_none() {
                break;
            }
            entries.dropped += 1;
        }
        entries.bytes += bytes;
        entries.queue.push_back(entry);
        drop(entries);
        self.arrived.notify_one();
    }

    /// Nothing more is put in: who waits goes on.
    pub(super) fn close(&self) {
        lock(&self.entries).is_closed = true;
        self.arrived.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.entries).is_closed
    }

    /// The oldest entry, waiting for it at most `wait`. What was put in before the end is still there after it.
    pub(super) fn take(&self, wait: Duration) -> Option<T> {
        // A wait longer than time itself has no end.
        let deadline = Instant::now().checked_add(wait);
        let mut entries = lock(&self.entries);
        loop {
            if let Some(entry) = entries.pop() {
                return Some(entry);
            }
            let left =
                deadline.map_or(LONG_WAIT, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() || entries.is_closed {
                return None;
            }
            entries = self.arrived.wait_timeout(entries, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn dropped(&self) -> u64 {
        lock(&self.entries).dropped
    }
}

/// Both ends of a link's queues.
pub(super) fn open(memory_bytes: usize) -> io::Result<(Shared, Receiver<Request>)> {
    let (requests, receiver) = std::sync::mpsc::sync_channel(REQUESTS);
    let wake = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
    let stats = LinkStats {
        state: LinkState::Connecting,
        session: Stats::default(),
        paths: Vec::new(),
        carrier: crate::carrier::CarrierCounters::default(),
        at: MonoTime::ZERO,
        thread_cpu: Duration::ZERO,
    };
    let shared = Shared {
        requests,
        wake,
        events: Queue::new(EVENTS, usize::MAX),
        memory_bytes,
        stats: Mutex::new(stats),
        numbers: Mutex::new(EndpointNumbers {
            publications: Numbers::of("publication"),
            subscriptions: Numbers::of("subscription"),
        }),
        returned: Mutex::default(),
    };
    Ok((shared, receiver))
}

impl Shared {
    /// Asks something of the link's thread, waiting for a place in the queue. False when the thread is gone.
    pub(super) fn request(&self, request: Request) -> bool {
        let sent = self.requests.send(request).is_ok();
        self.wake();
        sent
    }

    /// Hands samples over without waiting.
    pub(super) fn send(&self, samples: Vec<Outgoing>) -> Result<(), SendError> {
        self.requests.try_send(Request::Send(samples)).map_err(|error| match error {
            TrySendError::Full(_) => SendError::Full,
            TrySendError::Disconnected(_) => SendError::Closed,
        })?;
        self.wake();
        Ok(())
    }

    fn wake(&self) {
        // Fails only when the counter is full: then the thread is awake already.
        let _ = self.wake.write(1);
    }

    /// Readable when there are requests.
    pub(super) fn wake_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Takes the wake-up back, before the requests are read.
    pub(super) fn awake(&self) {
        let _ = self.wake.read();
    }

    /// The numbers that are taken. To be held until the request that uses one is in the queue: the session counts on
    /// numbers that come in turn.
    fn numbers(&self) -> MutexGuard<'_, EndpointNumbers> {
        let mut numbers = lock(&self.numbers);
        let returned = std::mem::take(&mut *lock(&self.returned));
        returned.into_iter().for_each(|endpoint| numbers.give_back(endpoint));
        numbers
    }

    /// Announces a publication; gives its number.
    pub(super) fn advertise(&self, publication: Publication) -> Result<FlowId, EndpointError> {
        check_names(&publication.topic, &publication.type_name)?;
        let mut numbers = self.numbers();
        let flow = numbers.publications.take()?;
        self.request(Request::Advertise(flow, publication));
        Ok(flow)
    }

    /// Announces a subscription; gives its number.
    pub(super) fn subscribe(&self, subscription: Subscription, feed: Feed) -> Result<FlowId, EndpointError> {
        check_names(&subscription.topic, &subscription.type_name)?;
        let mut numbers = self.numbers();
        let id = numbers.subscriptions.take()?;
        self.request(Request::Subscribe(id, subscription, feed));
        Ok(id)
    }

    /// The thread has done with an endpoint.
    pub(super) fn give_back(&self, endpoint: Endpoint) {
        lock(&self.returned).push(endpoint);
    }

    pub(super) fn stats(&self) -> LinkStats {
        lock(&self.stats).clone()
    }

    pub(super) fn set_stats(&self, stats: LinkStats) {
        *lock(&self.stats) = stats;
    }

    /// The thread died. Its end of the requests is gone by now: what is asked or sent from here on fails.
    pub(super) fn on_death(&self, died: &LinkDied) {
        let state = LinkState::Died(died.clone());
        lock(&self.stats).state = state.clone();
        self.events.put(LinkEvent::State(state));
        self.events.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::Qos;

    struct Load(usize);

    impl Waiting for Load {
        fn bytes(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn a_queue_nobody_empties_holds_no_more_than_its_bytes_and_counts_what_gave_way() {
        let queue = Queue::new(100, 1_000);
        for bytes in [400, 400, 300, 2_000, 100] {
            queue.put(Load(bytes));
        }
        let left: Vec<usize> = std::iter::from_fn(|| queue.take(Duration::ZERO)).map(|load| load.0).collect();
        assert_eq!((left, queue.dropped()), (vec![100], 4), "the newest always stays");
        (0..500).for_each(|_| queue.put(Load(1)));
        assert_eq!(queue.dropped(), 404);
    }

    /// LNK-76: a request waits for a place only as long as there is a thread that makes one.
    #[test]
    fn who_waits_for_a_place_or_for_a_sample_goes_on_when_the_thread_is_gone() {
        let (shared, requests) = open(1_000).expect("a descriptor is to be had");
        let queue = Arc::new(Queue::new(1, 1_000));
        let topic = Subscription { topic: "t".into(), type_name: String::new(), qos: Qos::default() };
        shared.subscribe(topic, Feed::of(&queue)).expect("within the limits");
        (1..REQUESTS).for_each(|_| assert!(shared.request(Request::Close), "there is room"));
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| shared.request(Request::Close));
            let waiting = scope.spawn(|| queue.take(Duration::MAX).is_some());
            drop(requests);
            assert!(!asking.join().expect("it asks"), "nobody is there to be asked");
            assert!(!waiting.join().expect("it waits"), "nothing comes any more");
        });
        assert!(queue.is_closed());
        assert_eq!(shared.send(Vec::new()), Err(SendError::Closed));
    }
}
