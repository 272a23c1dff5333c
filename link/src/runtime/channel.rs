//! Queues between applications and the link's thread: bounded, and neither side waits for the other.
//!
//! Locks are held for a push or a pop, never across a system call, so the real-time thread is not kept waiting by an
//! application thread for longer than that.

use super::{LinkEvent, LinkState, LinkStats, Sample, SendError};
use crate::core::limits::{check_names, next_endpoint};
use crate::core::{EndpointError, Publication, Stats, Subscription};
use nix::sys::eventfd::{EfdFlags, EventFd};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokkyu_contract::MonoTime;

/// Requests that wait for the link's thread at most: a tick of many cameras many times over.
const REQUESTS: usize = 1024;
/// Events that wait for the application at most.
const EVENTS: usize = 4096;
/// A waiting thread looks again after this.
const LONG_WAIT: Duration = Duration::from_secs(3600);

/// What an application asks of the link's thread.
pub(super) enum Request {
    Advertise(Publication),
    Subscribe(Subscription, Arc<Queue<Sample>>),
    Send(Vec<Outgoing>),
    Rebind(SocketAddr),
    Close,
}

/// A sample to publish.
pub(super) struct Outgoing {
    pub(super) publication: usize,
    pub(super) capture: MonoTime,
    pub(super) payload: bytes::Bytes,
}

/// What both sides hold.
pub(super) struct Shared {
    requests: SyncSender<Request>,
    wake: EventFd,
    pub(super) events: Queue<LinkEvent>,
    stats: Mutex<LinkStats>,
    announced: Mutex<Announced>,
    /// Bytes of samples that wait for the application at most, for each subscription.
    pub(super) memory_bytes: usize,
}

/// How many endpoints the application has.
#[derive(Default)]
struct Announced {
    publications: usize,
    subscriptions: usize,
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
        let entries = Mutex::new(Entries { queue: VecDeque::new(), bytes: 0, dropped: 0 });
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
            if left.is_zero() {
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
        announced: Mutex::default(),
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

    /// Announces a publication; gives its number, counted from 0.
    pub(super) fn advertise(&self, publication: Publication) -> Result<usize, EndpointError> {
        check_names(&publication.topic, &publication.type_name)?;
        // Held until the request is in the queue: the thread numbers publications as they arrive there.
        let mut announced = lock(&self.announced);
        let number = announced.publications;
        next_endpoint("publication", number)?;
        announced.publications += 1;
        self.request(Request::Advertise(publication));
        Ok(number)
    }

    /// Announces a subscription.
    pub(super) fn subscribe(
        &self,
        subscription: Subscription,
        queue: Arc<Queue<Sample>>,
    ) -> Result<(), EndpointError> {
        check_names(&subscription.topic, &subscription.type_name)?;
        let mut announced = lock(&self.announced);
        next_endpoint("subscription", announced.subscriptions)?;
        announced.subscriptions += 1;
        self.request(Request::Subscribe(subscription, queue));
        Ok(())
    }

    pub(super) fn stats(&self) -> LinkStats {
        lock(&self.stats).clone()
    }

    pub(super) fn set_stats(&self, stats: LinkStats) {
        *lock(&self.stats) = stats;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
