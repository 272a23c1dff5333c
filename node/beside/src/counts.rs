//! What has crossed.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use tokkyu_monitor_topics::Direction;

/// Of one topic; whoever carries it counts.
#[derive(Debug, Default)]
pub struct Counts {
    pub(crate) carried: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) refused: AtomicU64,
}

/// The same, to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The topic.
    pub topic: String,
    /// Who publishes it.
    pub direction: Direction,
    /// Messages that went over.
    pub carried: u64,
    /// Messages that were written over before they were read here.
    pub lost: u64,
    /// Messages that are too long for the other side, or found no room here.
    pub refused: u64,
}

impl Counts {
    pub(crate) fn tell(&self, topic: &str, direction: Direction) -> Count {
        let [carried, lost, refused] =
            [&self.carried, &self.lost, &self.refused].map(|count| count.load(Relaxed));
        Count { topic: topic.to_owned(), direction, carried, lost, refused }
    }
}

/// One more.
pub(crate) fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Relaxed);
}
