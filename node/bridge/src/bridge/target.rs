//! The target's side of a topic: the link gives, its publisher here takes. NODE-91 to NODE-93, NODE-96, NODE-98.
//!
//! One thread for each topic, which may wait for the master and for nothing else: publishing never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use tokkyu_bridge::target::{Incoming, Intake, TargetThread, Turn, age_of};
use tokkyu_link::carrier::clock;
use tokkyu_link::core::Delivered;
use tokkyu_node::raw::Publisher;
use tokkyu_node::{Kind, Node, NodeError, PublishError, PublisherOptions};

use super::figures::{Counted, TargetFigures};
use super::ros::Notice;
use crate::graph::Opening;
use crate::names;

/// For so long a publisher that goes stays: what was published and is not sent ends with it.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What a topic's thread works with.
pub(super) struct Sink {
    pub(super) opening: Opening,
    pub(super) node: Node,
    pub(super) figures: Arc<Counted<TargetFigures>>,
    pub(super) notices: Sender<Notice>,
}

/// A topic that is published here, or will be when the master answers. Dropping it waits for the end of its thread.
pub(super) struct Target {
    pub(super) thread: TargetThread,
    readers: Arc<AtomicU32>,
}

impl Target {
    pub(super) fn start(incoming: Incoming, sink: Sink) -> std::io::Result<Target> {
        let readers = Arc::<AtomicU32>::default();
        let publishing = Publishing { sink, readers: Arc::clone(&readers) };
        let thread = TargetThread::start("bridge-target", incoming, move |intake| publishing.run(intake))?;
        Ok(Target { thread, readers })
    }

    /// Whether a node other than a bridge subscribes to the topic.
    pub(super) fn is_wanted(&self) -> bool {
        self.readers.load(Ordering::Relaxed) > 0
    }
}

struct Publishing {
    sink: Sink,
    readers: Arc<AtomicU32>,
}

impl Publishing {
    fn run(self, mut intake: Intake) {
        let publisher = match self.advertise() {
            Ok(publisher) => publisher,
            Err(error) => {
                let (topic, why) = (self.sink.opening.topic.name.clone(), error.to_string());
                let _ = self.sink.notices.send(Notice::NotOpened { topic, why });
                return;
            }
        };
        while let Some(turn) = intake.turn() {
            self.count(&turn);
            turn.due.iter().for_each(|delivered| self.publish(&publisher, delivered));
        }
        if self.sink.node.is_ok() && self.readers.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(LAST_WORDS);
        }
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

    fn count(&self, turn: &Turn) {
        let mut figures = self.sink.figures.lock();
        figures.delivered += turn.delivered;
        figures.stale += turn.stale;
    }

    fn publish(&self, publisher: &Publisher, delivered: &Delivered) {
        let lifespan = self.sink.opening.qos.lifespan;
        if lifespan.is_some_and(|lifespan| age_of(delivered, clock::now()) > lifespan) {
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
