//! What we may have at the peer (LNK-9): checked before a sample is taken.

use super::Session;
use crate::core::inbox::MAX_SAMPLE_BYTES;
use crate::core::memory::ASSUMED_BOUND;
use crate::core::outbox::{OutFlow, PublishError};
use crate::core::sample::{LENGTH_BYTES, MAX_SHARDS, most_payload};
use crate::core::sequences::REMEMBERED;
use bytes::Bytes;
use tokkyu_contract::MonoTime;

/// Numbers a flow that keeps all may be ahead of its oldest open sample: half of what a receiver tells apart (LNK-9).
const MAX_OPEN_NUMBERS: usize = REMEMBERED as usize / 2;

impl Session {
    /// A sample must fit the peer's memory beside others (LNK-9). Before the table only our own bound is known.
    pub(super) fn check_size(&self, at: usize, bytes: usize) -> Result<(), PublishError> {
        let bound = self.config.memory_bytes.min(self.peer_memory.unwrap_or(usize::MAX));
        let share = if self.flows[at].keeps_all() { bound / 2 } else { bound / 4 };
        let (cut, keeps_all) = (self.cut(at), self.flows[at].keeps_all());
        let counts =
            |bytes: usize| if keeps_all { cut.most_memory_bytes(bytes) } else { cut.memory_bytes(bytes) };
        let longest = MAX_SHARDS.min(MAX_SAMPLE_BYTES / cut.shard_bytes) * cut.shard_bytes - LENGTH_BYTES;
        if bytes <= longest && counts(bytes) <= share {
            return Ok(());
        }
        Err(PublishError::TooLarge { bytes, limit: longest.min(most_payload(share, counts)) })
    }

    /// A flow that keeps all is refused rather than have its samples give way (LNK-9, LNK-11).
    pub(super) fn check_room(&self, at: usize, bytes: usize) -> Result<(), PublishError> {
        let (out, cost) = (&self.flows[at], self.cut(at).most_memory_bytes(bytes));
        if !out.keeps_all() || !out.wanted {
            return Ok(());
        }
        if out.open_numbers() >= MAX_OPEN_NUMBERS {
            return Err(PublishError::TooMany { limit: MAX_OPEN_NUMBERS });
        }
        let (budget, bound) = (self.keep_all_budget(), self.config.memory_bytes);
        match self.keep_all_held() + cost > budget || self.memory_out() + cost > bound {
            true => Err(PublishError::Full { limit: budget }),
            false => Ok(()),
        }
    }

    /// What all flows that keep all may have at the receiver together (LNK-9).
    fn keep_all_budget(&self) -> usize {
        self.config.memory_bytes.min(self.peer_memory.unwrap_or(ASSUMED_BOUND)) / 2
    }

    fn keep_all_held(&self) -> usize {
        let there = self.flows.iter().filter(|flow| flow.keeps_all()).map(OutFlow::outstanding_bytes);
        there.sum::<usize>() + self.leave.bytes_at_receiver()
    }

    /// What a late joiner gets: of a flow that keeps all, the newest the budget has room for (LNK-9).
    pub(super) fn kept_within_budget(&self, now: MonoTime, at: usize) -> Vec<(MonoTime, Bytes)> {
        let mut kept = self.flows[at].kept_for_late_joiner(now);
        if self.flows[at].keeps_all() {
            let mut room = self.keep_all_budget().saturating_sub(self.keep_all_held());
            let cut = self.cut(at);
            let fits = |(_, payload): &&(MonoTime, Bytes)| {
                let left = room.checked_sub(cut.most_memory_bytes(payload.len()));
                room = left.unwrap_or(room);
                left.is_some()
            };
            let numbers = MAX_OPEN_NUMBERS.saturating_sub(self.flows[at].open_numbers());
            let fitting = kept.iter().rev().take_while(fits).take(numbers).count();
            kept.drain(..kept.len() - fitting);
        }
        kept
    }
}
