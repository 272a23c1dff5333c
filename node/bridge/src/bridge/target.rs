//! The target's side of a topic: the link gives, its publisher here takes. NODE-91 to NODE-93, NODE-96, NODE-98.
//!
//! One thread for each topic, which may wait for the master and for nothing else: publishing never waits. What waits for it
//! meanwhile is the link's subscriber queue, which holds `depth` samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_bridge::order::{Numbered, Order};
use tokkyu_contract::TraceId;
use tokkyu_link::carrier::clock;
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_link::core::Delivered;
use tokkyu_link::runtime::{Sample, Subscriber};
use tokkyu_node::raw::Publisher;
use tokkyu_node::{Kind, Node, NodeError, PublishError, PublisherOptions};

use super::figures::{Counted, TargetFigures};
use super::ros::Notice;
use crate::graph::Opening;
use crate::names;

/// Between two looks at whether the thread is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Between two looks while a sample waits for another.
const LOOK_SOON: Duration = Duration::from_millis(5);
/// Missed numbers that wait for the thread at most.
const MISSED: usize = 1024;
/// Longest time in which a topic that goes publishes what waits.
const FINISH_MAX: Duration = Duration::from_secs(1);
/// For so long a publisher that goes stays: what was published and is not sent ends with it.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// An estimate of the age that may be off by more is none.
const ERROR_MAX: Duration = Duration::from_secs(1);

/// What a topic's thread works with.
pub(super) struct Sink {
    pub(super) opening: Opening,
    pub(super) node: Node,
    pub(super) subscriber: Subscriber,
    pub(super) figures: Arc<Counted<TargetFigures>>,
    pub(super) fifo_priority: Option<u8>,
    pub(super) notices: Sender<Notice>,
    /// The topic's thread before this one: it is published by one at a time.
    pub(super) former: Option<TargetThread>,
}

/// The thread that publishes one topic. Dropping it waits for its end.
pub(super) struct TargetThread {
    missed: SyncSender<TraceId>,
    is_over: Arc<AtomicBool>,
    readers: Arc<AtomicU32>,
    thread: Option<JoinHandle<()>>,
}

impl TargetThread {
    pub(super) fn start(sink: Sink) -> std::io::Result<TargetThread> {
        let (missed, told) = sync_channel(MISSED);
        let (is_over, readers) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
        let order = Order::new(&sink.opening.qos, sink.opening.class);
        let publishing = Publishing { order, sink, told, is_over: is_over.clone(), readers: readers.clone() };
        let builder = std::thread::Builder::new().name("bridge-target".to_owned());
        let thread = builder.spawn(move || publishing.run())?;
        Ok(TargetThread { missed, is_over, readers, thread: Some(thread) })
    }

    /// The topic goes: the thread publishes what waits for it, then ends. Does not wait for that.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Whether a node other than a bridge subscribes to the topic.
    pub(super) fn is_wanted(&self) -> bool {
        self.readers.load(Ordering::Relaxed) > 0
    }

    /// A sample of the peer's will never come; it may be of this topic.
    pub(super) fn on_missed(&self, id: TraceId) {
        // A thread that is so far behind goes on after its hold time.
        let _ = self.missed.try_send(id);
    }
}

impl Drop for TargetThread {
    fn drop(&mut self) {
        self.end();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Publishing {
    sink: Sink,
    order: Order<Delivered>,
    told: Receiver<TraceId>,
    is_over: Arc<AtomicBool>,
    readers: Arc<AtomicU32>,
}

impl Publishing {
    fn run(mut self) {
        let real_time =
            RealTime { fifo_priority: self.sink.fifo_priority, lock_memory: false, cores: Vec::new() };
        realtime::apply(&real_time);
        drop(self.sink.former.take());
        let publisher = match self.advertise() {
            Ok(publisher) => publisher,
            Err(error) => {
                let (topic, why) = (self.sink.opening.topic.name.clone(), error.to_string());
                let _ = self.sink.notices.send(Notice::NotOpened { topic, why });
                return;
            }
        };
        while !self.is_over.load(Ordering::Relaxed) {
            let wait = if self.order.deadline().is_some() { LOOK_SOON } else { LOOK_EVERY };
            let sample = self.sink.subscriber.receive(wait);
            self.turn(&publisher, sample);
        }
        self.finish(&publisher);
    }

    /// Waits until the master knows.
    fn advertise(&self) -> Result<Publisher, NodeError> {
        let Opening { topic, global, qos, class, size_bytes, .. } = &self.sink.opening;
        let kind = Kind {
            datatype: topic.type_name.clone(),
            md5sum: topic.md5sum.clone(),
            definition: topic.definition.clone(),
        };
        let readers = Arc::clone(&self.readers);
        let on_change = move |node: &str, is_new: bool| match (names::is_bridge(node), is_new) {
            (true, _) => {}
            (false, true) => drop(readers.fetch_add(1, Ordering::Relaxed)),
            (false, false) => drop(readers.fetch_sub(1, Ordering::Relaxed)),
        };
        let options = PublisherOptions {
            is_latched: self.sink.opening.is_kept(),
            class: Some(*class),
            slot_bytes: usize::try_from(*size_bytes).unwrap_or(0),
            on_change: Some(Box::new(on_change)),
            ..PublisherOptions::with_depth(qos.depth().unwrap_or(0))
        };
        self.sink.node.advertise_raw(global, kind, options)
    }

    fn turn(&mut self, publisher: &Publisher, sample: Option<Sample>) {
        let now = clock::now();
        let mut due = Vec::new();
        if let Some(Sample { session, delivered }) = sample {
            self.sink.figures.lock().delivered += 1;
            let (TraceId { flow, sequence }, capture) = (delivered.id, delivered.capture);
            due = self.order.on_sample(now, Numbered { session, flow, sequence, capture, sample: delivered });
            self.sink.figures.lock().stale += self.order.take_stale();
        }
        while let Ok(id) = self.told.try_recv() {
            due.extend(self.order.on_missed(id.flow, id.sequence));
        }
        due.extend(self.order.on_time(now));
        due.iter().for_each(|delivered| self.publish(publisher, delivered));
    }

    /// Publishes what the link has given already: who publishes once may go at once.
    fn finish(&mut self, publisher: &Publisher) {
        let until = clock::now() + FINISH_MAX;
        while clock::now() < until
            && let Some(sample) = self.sink.subscriber.receive(Duration::ZERO)
        {
            self.turn(publisher, Some(sample));
        }
        self.order.finish().iter().for_each(|delivered| self.publish(publisher, delivered));
        if self.sink.node.is_ok() && self.readers.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(LAST_WORDS);
        }
    }

    fn publish(&self, publisher: &Publisher, delivered: &Delivered) {
        let lifespan = self.sink.opening.qos.lifespan;
        if lifespan.is_some_and(|lifespan| age_of(delivered) > lifespan) {
            self.sink.figures.lock().stale += 1;
            return;
        }
        let published = loan_and_publish(publisher, &delivered.payload);
        let mut figures = self.sink.figures.lock();
        match published {
            Ok(()) => {
                figures.published += 1;
                figures.bytes += delivered.payload.len() as u64;
            }
            Err(error) => {
                figures.refused += 1;
                let (topic, what) = (self.sink.opening.topic.name.clone(), error.to_string());
                let _ = self.sink.notices.send(Notice::Topic { topic, what });
            }
        }
    }
}

fn loan_and_publish(publisher: &Publisher, payload: &[u8]) -> Result<(), PublishError> {
    let mut loan = publisher.loan(payload.len())?;
    loan.copy_from_slice(payload);
    loan.publish().map(drop)
}

/// A sample's age now. Before the peer's clock is known it counts as new.
fn age_of(delivered: &Delivered) -> Duration {
    match delivered.age_error <= ERROR_MAX {
        true => delivered.age + clock::now().since(delivered.at),
        false => Duration::ZERO,
    }
}
