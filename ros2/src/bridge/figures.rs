//! What passed each topic: ROS2-37.
//!
//! Counters are written by a topic's thread and by the main thread, and read by any.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

/// Counters of a topic at its source.
#[derive(Debug, Default)]
pub(super) struct SourceCount {
    pub(super) offered: AtomicU64,
    pub(super) sent: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) bytes: AtomicU64,
}

/// Counters of a topic at its target.
#[derive(Debug, Default)]
pub(super) struct TargetCount {
    pub(super) received: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) stale: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) bytes: AtomicU64,
}

/// Adds one.
pub(super) fn count(counter: &AtomicU64) {
    add(counter, 1);
}

pub(super) fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

impl SourceCount {
    /// A sample goes to the link: counted as taken before the link can say otherwise.
    pub(super) fn on_sent(&self) {
        count(&self.sent);
    }

    /// Samples that were counted as sent, and that the link refused at once or later.
    pub(super) fn on_refused(&self, samples: u64) {
        self.sent.fetch_sub(samples, Ordering::Relaxed);
        add(&self.refused, samples);
    }
}

/// Counters of all topics there ever were.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    sources: Arc<Mutex<BTreeMap<String, Arc<SourceCount>>>>,
    targets: Arc<Mutex<BTreeMap<String, Arc<TargetCount>>>>,
}

impl Counts {
    pub(super) fn source(&self, topic: &str) -> Arc<SourceCount> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sources.entry(topic.to_owned()).or_default())
    }

    pub(super) fn target(&self, topic: &str) -> Arc<TargetCount> {
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(targets.entry(topic.to_owned()).or_default())
    }

    pub(super) fn read(&self) -> (Vec<SourceFigures>, Vec<TargetFigures>) {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        let source = |(topic, count): (&String, &Arc<SourceCount>)| SourceFigures::of(topic, count);
        let target = |(topic, count): (&String, &Arc<TargetCount>)| TargetFigures::of(topic, count);
        (sources.iter().map(source).collect(), targets.iter().map(target).collect())
    }
}

/// Figures of a topic at its source: offered = sent + refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceFigures {
    /// The topic, without leading slash.
    pub topic: String,
    /// Samples DDS gave.
    pub offered: u64,
    /// Samples the link took.
    pub sent: u64,
    /// Samples it did not take.
    pub refused: u64,
    /// Bytes of the samples the link's queue took.
    pub bytes: u64,
}

impl SourceFigures {
    fn of(topic: &str, count: &SourceCount) -> SourceFigures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SourceFigures {
            topic: topic.to_owned(),
            offered: read(&count.offered),
            sent: read(&count.sent),
            refused: read(&count.refused),
            bytes: read(&count.bytes),
        }
    }
}

/// Figures of a topic at its target: received = written + stale + refused, but for what waits for its order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetFigures {
    /// The topic, without leading slash.
    pub topic: String,
    /// Samples the link gave.
    pub received: u64,
    /// Samples DDS took.
    pub written: u64,
    /// Samples that came too late for their order, or for the second time.
    pub stale: u64,
    /// Samples DDS did not take.
    pub refused: u64,
    /// Bytes of the samples DDS took.
    pub bytes: u64,
}

impl TargetFigures {
    fn of(topic: &str, count: &TargetCount) -> TargetFigures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        TargetFigures {
            topic: topic.to_owned(),
            received: read(&count.received),
            written: read(&count.written),
            stale: read(&count.stale),
            refused: read(&count.refused),
            bytes: read(&count.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_the_link_refuses_later_is_counted_once() {
        let counts = Counts::default();
        let count_of = counts.source("state");
        for _ in 0..5 {
            count(&count_of.offered);
            count_of.on_sent();
        }
        count_of.on_refused(2);
        let (sources, _) = counts.read();
        assert_eq!((sources[0].offered, sources[0].sent, sources[0].refused), (5, 3, 2));
    }
}
