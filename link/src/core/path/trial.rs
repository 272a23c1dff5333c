//! Measuring a path that is nobody's home (LNK-94).
//!
//! ```text
//!            10 s after samples were sent last              the train is sent
//!   Resting ──────────────────────────────────► Under way ────────────────────► Resting
//! ```

use std::time::Duration;
use tokkyu_contract::{MonoTime, TraceId};

/// What is known of a path is no older than this when it is needed.
const INTERVAL: Duration = Duration::from_secs(10);

/// A trial: shards of a sample of another path, in a train.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trial {
    /// Due then, unless samples are sent before. From the start.
    next: MonoTime,
    is_under_way: bool,
    /// The sample copied, and its next shard.
    sample: Option<(TraceId, u16)>,
}

impl Trial {
    /// A packet with samples went: what they show is as good.
    pub fn on_sample(&mut self, now: MonoTime) {
        self.next = now + INTERVAL;
    }

    /// Whether a trial is due. True once: it is under way from then on.
    pub fn begins(&mut self, now: MonoTime) -> bool {
        let begins = !self.is_under_way && now >= self.next;
        self.is_under_way |= begins;
        begins
    }

    /// Whether one is under way.
    pub fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// All of the train went.
    pub fn on_end(&mut self, now: MonoTime) {
        *self = Trial { next: now + INTERVAL, ..Trial::default() };
    }

    /// The shard to copy next of `newest`, which has `shards`; None when all went.
    pub fn next_shard(&mut self, newest: TraceId, shards: usize) -> Option<u16> {
        let index = self.sample.filter(|(id, _)| *id == newest).map_or(0, |(_, index)| index);
        if usize::from(index) >= shards {
            return None;
        }
        self.sample = Some((newest, index + 1));
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::FlowId;

    #[test]
    fn a_trial_is_due_at_the_start_and_ten_seconds_after_samples_or_a_trial() {
        let at = |ms| MonoTime::from_millis(ms);
        let mut trial = Trial::default();
        assert!(trial.begins(at(5)) && !trial.begins(at(5)) && trial.is_under_way());
        trial.on_end(at(100));
        assert!(!trial.is_under_way() && !trial.begins(at(10_099)));
        trial.on_sample(at(5_000));
        assert!(!trial.begins(at(14_999)) && trial.begins(at(15_000)));
    }

    #[test]
    fn each_shard_of_a_sample_is_copied_once_and_a_newer_sample_begins_with_its_first() {
        let sample = |sequence| TraceId { flow: FlowId(1), sequence };
        let mut trial = Trial::default();
        let copied: Vec<_> = (0..4).map(|_| trial.next_shard(sample(7), 3)).collect();
        assert_eq!(copied, [Some(0), Some(1), Some(2), None]);
        assert_eq!(trial.next_shard(sample(8), 3), Some(0));
    }
}
