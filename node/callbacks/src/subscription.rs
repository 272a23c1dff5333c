//! Subscriptions: from links to callbacks.

mod callback;
mod delivery;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use tokkyu_contract::Class;
use tokkyu_graph::{Command, Listening, Origin, Payload, Receipts, Subscriber};
use tokkyu_topic::{Doorbell, MAX_DEPTH, Near, Reader, Terms};

use crate::link::{Link, Taken, Way};
use crate::log::Log;
use crate::nearby;
use crate::network::Network;
use crate::outlet::NEARBY;
use crate::port::{Borrower, OpenError, port};
use crate::queue::{Queue, Step, TaskId, Work};
use crate::sync::{Mutex, MutexGuard};

pub(crate) use callback::{Callback, Complain, typed, viewing};
pub use delivery::Delivery;

/// What the network's thread and the queue's threads share of a subscription.
struct Shared {
    terms: Terms,
    queue: Arc<Queue>,
    source: u32,
    changes: Mutex<Changes>,
    has_changes: AtomicBool,
    /// Samples that went with links that were gone and too many.
    dropped: Mutex<u64>,
    /// Links there are, and whether both ends know of each.
    linked: Mutex<Vec<(Arc<Origin>, bool)>>,
}

/// Links that are gone whose samples still wait, at most (NODE-101): a publisher may come and go any number of times while no callback is called.
const GONE: usize = 16;

/// What the queue's threads have not looked at yet.
#[derive(Default)]
struct Changes {
    /// Links more, and those of them that are gone already.
    links: Vec<Link>,
    /// Former ones that are gone: each is once.
    gone: Vec<u32>,
}

impl Shared {
    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock()
    }

    fn tell(&self) {
        self.has_changes.store(true, Ordering::Release);
        self.queue.ring(self.source);
    }

    fn add(&self, link: Link) {
        self.changes().links.push(link);
        self.tell();
    }

    /// Those that were taken out end, and what waited in them is counted. Not with a lock held: their samples may be the program's own objects.
    fn drop_links(&self, links: Vec<Link>) {
        let waiting: u64 = links.iter().map(|link| u64::from(link.waiting())).sum();
        *self.dropped.lock() += waiting;
    }

    fn linked(&self) -> MutexGuard<'_, Vec<(Arc<Origin>, bool)>> {
        self.linked.lock()
    }

    /// As deep a queue as is wanted, or as the topic allows.
    fn open(&self, lender: &str) -> Result<Box<dyn Borrower>, OpenError> {
        match port().borrow(lender, self.terms.depth) {
            Err(OpenError::Deepest(most)) => port().borrow(lender, most),
            other => other,
        }
    }
}

impl Shared {
    /// A publisher of another node of this program.
    fn join_nearby(&self, origin: &Arc<Origin>, name: &str) -> Result<Listening, String> {
        let channel = nearby::find(name).ok_or("its publisher has ended")?;
        let reader = tokkyu_graph::join(&channel, self.terms, &(self.queue.clone() as _), self.source)
            .map_err(|error| error.to_string())?;
        self.linked().push((origin.clone(), false));
        self.add(Link::of_slots(origin.clone(), reader));
        Ok(Listening { bell: NEARBY.to_owned(), source: self.source, receipts: None })
    }
}

impl Subscriber for Shared {
    fn terms(&self) -> Terms {
        self.terms
    }

    fn bell(&self) -> (Arc<dyn Doorbell>, u32) {
        (self.queue.clone(), self.source)
    }

    fn on_publisher(&self, origin: Arc<Origin>, reader: Reader<Payload>) {
        self.linked().push((origin.clone(), true));
        self.add(Link::of_slots(origin, reader));
    }

    fn borrow(&self, origin: &Arc<Origin>, lender: &str) -> Result<Listening, String> {
        if nearby::is_name(lender) {
            return self.join_nearby(origin, lender);
        }
        let bell = self.queue.bell_name()?.to_owned();
        let borrower = self.open(lender).map_err(|error| error.to_string())?;
        let receipt = self.terms.reliable.then(|| self.queue.receipt()).transpose()?;
        let depth = borrower.depth();
        let receipts = receipt.as_ref().map(|receipt| Receipts { word: receipt.number(), depth });
        self.linked().push((origin.clone(), false));
        self.add(Link::of_process(origin.clone(), borrower, receipt));
        Ok(Listening { bell, source: self.source, receipts })
    }

    fn on_linked(&self, link: u32) {
        let mut linked = self.linked();
        let borrowed = linked.iter_mut().find(|(origin, _)| origin.link == link);
        borrowed.into_iter().for_each(|(_, is_known)| *is_known = true);
    }

    fn on_gone(&self, link: u32) {
        self.linked().retain(|(origin, _)| origin.link != link);
        let mut changes = self.changes();
        let spare = if mark_gone(&mut changes.links, link) {
            take_spare(&mut changes.links)
        } else {
            changes.gone.push(link);
            Vec::new()
        };
        drop(changes);
        self.drop_links(spare);
        self.tell();
    }
}

/// Instructions of a step before the callback, and of a callback that reads its message: about so many, whatever the compiler makes of them.
const STEP_BYTES: usize = 1536;
const CALL_BYTES: usize = 512;

/// The part that belongs to whichever thread calls the callback. On as few cache lines as it can be.
#[repr(align(64))]
struct Delivering {
    shared: Arc<Shared>,
    log: Arc<Log>,
    links: Vec<Link>,
    /// The link whose turn it is.
    turn: usize,
    scratch: Vec<u8>,
    callback: Callback,
}

impl Delivering {
    fn absorb_changes(&mut self) {
        // Looked at first: most often there are none, and a write takes the line away from who asks what the subscription is.
        if !self.shared.has_changes.load(Ordering::Acquire) {
            return;
        }
        self.absorb();
    }

    #[cold]
    fn absorb(&mut self) {
        self.shared.has_changes.store(false, Ordering::Release);
        let Changes { links, gone } = core::mem::take(&mut *self.shared.changes());
        for number in gone {
            mark_gone(&mut self.links, number);
        }
        self.links.extend(links);
        self.shared.drop_links(take_spare(&mut self.links));
    }
}

/// False: there is none of that number.
fn mark_gone(links: &mut [Link], number: u32) -> bool {
    let link = links.iter_mut().find(|link| link.origin.link == number);
    link.map(|link| link.is_gone = true).is_some()
}

/// Takes out those that are gone and have nothing, and the oldest that are gone beyond [`GONE`].
fn take_spare(links: &mut Vec<Link>) -> Vec<Link> {
    let has_rest = |link: &Link| link.is_gone && link.has_waiting();
    let mut spare = links.iter().filter(|link| has_rest(link)).count().saturating_sub(GONE);
    let is_spare = |link: &mut Link| {
        let is_oldest = has_rest(link) && spare > 0;
        spare -= usize::from(is_oldest);
        is_oldest || link.is_gone && !link.has_waiting()
    };
    links.extract_if(.., is_spare).collect()
}

/// The next sample, or nothing, also where it could not be read.
#[inline(always)]
fn take<'l>(way: &'l mut Way, origin: &Origin, log: &Log) -> Option<Taken<'l>> {
    way.take().unwrap_or_else(|error| {
        let Origin { topic, callerid, .. } = origin;
        log.error(format_args!("{topic} from {callerid}: a message cannot be read: {error}"));
        None
    })
}

/// Calls the callback with the next sample of this link. False: there is none.
#[inline(always)]
fn deliver(link: &mut Link, log: &Log, scratch: &mut Vec<u8>, callback: &mut Callback) -> bool {
    let Link { origin, way, .. } = link;
    let Some(sample) = take(way, origin, log) else { return false };
    callback.call(&mut Delivery { sample: &sample, origin, scratch });
    true
}

impl Work for Delivering {
    fn step(&mut self) -> Step {
        self.absorb_changes();
        let first = self.turn.min(self.links.len());
        for at in (first..self.links.len()).chain(0..first) {
            // Before the callback, which may panic.
            self.turn = at + 1;
            if deliver(&mut self.links[at], &self.log, &mut self.scratch, &mut self.callback) {
                return if self.links.iter().any(Link::has_waiting) { Step::More } else { Step::Called };
            }
        }
        self.links.retain(|link| !link.is_over());
        Step::Idle
    }

    fn add_to(&self, near: &mut Near) {
        near.add_to_write(self);
        near.add_bytes(<Delivering as Work>::step as *const u8, STEP_BYTES);
        near.add(&self.shared.has_changes);
        // The one that was read last.
        if let Some(link) = self.turn.checked_sub(1).and_then(|at| self.links.get(at)) {
            link.add_to(near);
        }
        near.add(&*self.callback);
        near.add_bytes(self.callback.code(), CALL_BYTES);
    }

    fn has_waiting(&mut self) -> bool {
        self.absorb_changes();
        self.links.iter().any(Link::has_waiting)
    }

    fn discard(&mut self) {
        self.absorb_changes();
        for at in 0..self.links.len() {
            // Those that wait now: a publisher may go on meanwhile, and its queue is no deeper.
            let mut left = MAX_DEPTH;
            let Link { origin, way, .. } = &mut self.links[at];
            while left > 0 && take(way, origin, &self.log).is_some() {
                left -= 1;
            }
        }
    }
}

/// A subscription, for as long as it lives. Once it is dropped its callback is not called any more.
pub struct Subscription {
    network: Weak<Network>,
    topic: String,
    shared: Arc<Shared>,
    task: TaskId,
}

impl Subscription {
    pub(crate) fn add(
        network: &Arc<Network>,
        log: &Arc<Log>,
        topic: String,
        queue: Arc<Queue>,
        class: Class,
        terms: Terms,
        callback: Callback,
    ) -> (Subscription, Arc<dyn Subscriber>) {
        let source = queue.source();
        let shared = Arc::new(Shared {
            terms,
            queue: queue.clone(),
            source,
            changes: Mutex::default(),
            has_changes: AtomicBool::new(false),
            dropped: Mutex::default(),
            linked: Mutex::default(),
        });
        let (links, scratch) = (Vec::new(), Vec::new());
        let work = Delivering { shared: shared.clone(), log: log.clone(), links, turn: 0, scratch, callback };
        let task = queue.add(source, class, Box::new(work));
        let subscription =
            Subscription { network: Arc::downgrade(network), topic, shared: shared.clone(), task };
        (subscription, shared)
    }

    /// The topic's global name.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Publishers that it is linked to just now.
    pub fn publishers(&self) -> u32 {
        self.shared.linked().iter().filter(|(_, is_known)| *is_known).count() as u32
    }

    /// Samples that were dropped unread because their publishers had gone, more than 16 of them, before a callback was called.
    pub fn dropped_with_publishers(&self) -> u64 {
        *self.shared.dropped.lock()
    }

    /// Where the samples of those publishers come from.
    pub fn origins(&self) -> Vec<Arc<Origin>> {
        let linked = self.shared.linked();
        linked.iter().filter(|(_, is_known)| *is_known).map(|(origin, _)| origin.clone()).collect()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(network) = self.network.upgrade() {
            let subscriber: Arc<dyn Subscriber> = self.shared.clone();
            network.ask(Command::Unsubscribe { topic: self.topic.clone(), subscriber });
        }
        self.shared.queue.remove(self.task);
    }
}

#[cfg(test)]
mod tests;
