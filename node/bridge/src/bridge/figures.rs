//! What passed each topic: NODE-98.
//!
//! Each topic's figures have a lock of their own, held for a few additions: whoever reads them sees a ledger that closes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// Topics whose figures are kept; beyond that those go that are not open.
const KEPT_MAX: usize = 1024;

/// Figures of a topic at its source: offered = sent + refused + unwanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceFigures {
    /// The topic, without leading slash.
    pub topic: String,
    /// Samples of its publishers.
    pub offered: u64,
    /// Samples the link took.
    pub sent: u64,
    /// Samples it did not take, those of another type, and a bridge's.
    pub refused: u64,
    /// Samples nobody at the other end wanted.
    pub unwanted: u64,
    /// Bytes of the samples the link took.
    pub bytes: u64,
}

/// Figures of a topic at its target: delivered = published + stale + refused, but for what waits for its order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetFigures {
    /// The topic, without leading slash.
    pub topic: String,
    /// Samples the link gave.
    pub delivered: u64,
    /// Samples published here.
    pub published: u64,
    /// Samples that came too late, for their order or at all, or for the second time.
    pub stale: u64,
    /// Samples there was no memory for.
    pub refused: u64,
    /// Bytes of the samples published.
    pub bytes: u64,
}

/// Figures that a topic's thread writes and the main thread reads.
#[derive(Debug, Default)]
pub(super) struct Counted<T>(Mutex<T>);

impl<T> Counted<T> {
    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a sample of a source ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Sent(usize),
    Refused,
    Unwanted,
}

impl Counted<SourceFigures> {
    pub(super) fn count(&self, fate: Fate) {
        let mut figures = self.lock();
        figures.offered += 1;
        match fate {
            Fate::Sent(bytes) => {
                figures.sent += 1;
                figures.bytes += bytes as u64;
            }
            Fate::Refused => figures.refused += 1,
            Fate::Unwanted => figures.unwanted += 1,
        }
    }

    /// The link refused samples after it had taken them.
    pub(super) fn on_refused(&self, samples: u64) {
        let mut figures = self.lock();
        let samples = samples.min(figures.sent);
        figures.sent -= samples;
        figures.refused += samples;
    }
}

/// The figures of all topics, by name.
#[derive(Debug)]
pub(super) struct Register<T>(BTreeMap<String, Arc<Counted<T>>>);

impl<T: Clone> Register<T> {
    pub(super) fn new() -> Register<T> {
        Register(BTreeMap::new())
    }

    /// Those of a topic: what it had when it was there before goes on.
    pub(super) fn of(&mut self, topic: &str, first: T) -> Arc<Counted<T>> {
        if self.0.len() >= KEPT_MAX {
            self.0.retain(|name, figures| name == topic || Arc::strong_count(figures) > 1);
        }
        let begin = || Arc::new(Counted(Mutex::new(first)));
        self.0.entry(topic.to_owned()).or_insert_with(begin).clone()
    }

    pub(super) fn read(&self) -> Vec<T> {
        self.0.values().map(|figures| figures.lock().clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_of_a_source_closes_whatever_the_link_says_later() {
        let mut register = Register::new();
        let figures = register.of("state", SourceFigures::default());
        for fate in [Fate::Sent(5), Fate::Sent(5), Fate::Refused, Fate::Unwanted] {
            figures.count(fate);
        }
        figures.on_refused(1);
        figures.on_refused(7);
        let SourceFigures { offered, sent, refused, unwanted, .. } = register.read()[0].clone();
        assert_eq!((offered, sent, refused, unwanted), (4, 0, 3, 1));
    }

    #[test]
    fn figures_go_on_when_a_topic_comes_back_and_do_not_grow_without_end() {
        let mut register = Register::new();
        let open = register.of("open", SourceFigures::default());
        open.count(Fate::Refused);
        for n in 0..2 * KEPT_MAX {
            register.of(&n.to_string(), SourceFigures::default());
        }
        assert_eq!(register.of("open", SourceFigures::default()).lock().refused, 1);
        assert!(register.read().len() <= KEPT_MAX);
    }
}
