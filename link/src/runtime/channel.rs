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
}

/// How many endpoints the application has.
#[derive(Default)]
struct Announced {
    publications: usize,
    subscriptions: usize,
}

/// A queue that drops its oldest entry rather than wait.
pub(super) struct Queue<T> {
    entries: Mutex<Entries<T>>,
    arrived: Condvar,
    limit: usize,
}

struct Entries<T> {
    queue: VecDeque<T>,
    dropped: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked with the lock held was pushing or popping: the queue is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Queue<T> {
    pub(super) fn new(limit: usize) -> Self {
        let entries = Mutex::new(Entries { queue: VecDeque::new(), dropped: 0 });
        Queue { entries, arrived: Condvar::new(), limit }
    }

    pub(super) fn put(&self, entry: T) {
        let mut entries = lock(&self.entries);
        if entries.queue.len() >= self.limit {
            entries.queue.pop_front();
            entries.dropped += 1;
        }
        entries.queue.push_back(entry);
        drop(entries);
        self.arrived.notify_one();
    }

    pub(super) fn take(&self, wait: Duration) -> Option<T> {
        let deadline = Instant::now() + wait;
        let mut entries = lock(&self.entries);
        loop {
            if let Some(entry) = entries.queue.pop_front() {
                return Some(entry);
            }
            let left = deadline.saturating_duration_since(Instant::now());
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
pub(super) fn open() -> io::Result<(Shared, Receiver<Request>)> {
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
        events: Queue::new(EVENTS),
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
