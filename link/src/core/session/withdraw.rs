//! Endpoints that go while the session goes on (LNK-31 to LNK-35): what of them is given up at once, and what only when
//! the peer knows.
//!
//! ```text
//!  publication withdrawn ──► its samples dropped ──► table without it ──► confirmed: its part of the peer's memory is free
//!  last reader withdrawn ──► kept and order go with the table that tells ──► confirmed: the next reader is a first one
//! ```

use super::Session;
use crate::core::event::Endpoint;
use crate::core::outbox::OutFlow;
use tokkyu_contract::{FlowId, Ledger, MonoTime, Outcome};

/// What waits until the peer has seen that endpoints went.
#[derive(Debug, Default)]
pub(super) struct Leave {
    /// Bytes the peer may hold of publications that went, each with the number of the table that tells so (LNK-32).
    held: Vec<(u32, usize)>,
    /// The table that tells that the last reader of these flows of the peer went (LNK-35).
    to_be_seen: Option<(u32, Vec<FlowId>)>,
}

impl Leave {
    pub(super) fn bytes_at_receiver(&self) -> usize {
        self.held.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The next table waits for one that the peer must see.
    pub(super) fn is_to_be_seen(&self) -> bool {
        self.to_be_seen.is_some()
    }

    /// The peer does not know yet that the last reader of its flow went.
    pub(super) fn is_to_be_seen_unread(&self, flow: FlowId) -> bool {
        self.to_be_seen.as_ref().is_some_and(|(_, unread)| unread.contains(&flow))
    }

    /// The peer has table `sequence`, and with it what older ones told. Gives the flows that it was to see unread.
    fn on_seen(&mut self, sequence: u32) -> Option<Vec<FlowId>> {
        let is_told = |by: u32| (sequence.wrapping_sub(by) as i32) >= 0;
        self.held.retain(|(by, _)| !is_told(*by));
        self.to_be_seen.take_if(|(by, _)| is_told(*by)).map(|(_, unread)| unread)
    }
}

impl Session {
    /// Withdraws a publication: its samples that are not confirmed are dropped, what it kept goes, its place is free
    /// (LNK-32). Gives its ledger, which closes; None when there is no such publication. Where the last samples matter,
    /// wait for [`Session::is_drained`].
    pub fn withdraw_publication(&mut self, flow: FlowId) -> Option<Ledger> {
        let at = self.place(flow)?;
        let held = if self.flows[at].keeps_all() { self.flows[at].outstanding_bytes() } else { 0 };
        self.flows[at].drop_all();
        self.report_ended();
        let gone = self.flows.remove(at);
        if held > 0 {
            self.leave.held.push((self.flows[0].next_sequence(), held));
        }
        self.writers.remove(&flow);
        self.told.remove(&Endpoint::Publication(flow));
        self.writer_numbers.give_back(flow);
        self.table_dirty = true;
        Some(gone.ledger())
    }

    /// Whether a publication has nothing under way, confirmed or given up: withdrawn now, it loses nothing. True for one
    /// that is not there.
    pub fn is_drained(&self, flow: FlowId) -> bool {
        self.place(flow).is_none_or(|at| OutFlow::is_drained(&self.flows[at]))
    }

    /// Withdraws a subscription: it gets nothing from now on, its place is free (LNK-34). Gives its ledger; what was
    /// incomplete counts as lost. None when there is no such subscription.
    pub fn withdraw_subscription(&mut self, subscription: FlowId) -> Option<Ledger> {
        let mut ledger = self.received_ledger(subscription);
        self.readers.remove(&subscription)?;
        (0..ledger.open()).for_each(|_| ledger.settle(Outcome::Lost));
        self.incoming.values_mut().for_each(|incoming| incoming.stop_reading(subscription));
        self.told.remove(&Endpoint::Subscription(subscription));
        self.reader_numbers.give_back(subscription);
        self.table_dirty = true;
        Some(ledger)
    }

    /// A table is about to tell which flows nobody here reads any more: what is kept of them and their order go
    /// (LNK-35).
    pub(super) fn let_go_unread(&mut self) {
        // Out of the session while it is changed: what is lost is told there.
        let mut incoming = std::mem::take(&mut self.incoming);
        let mut to_be_seen = Vec::new();
        for unread in incoming.values_mut().filter_map(|flow| flow.take_unread().then_some(flow)) {
            self.let_go(unread);
            to_be_seen.extend(unread.welcomes_first().then_some(unread.entry.flow));
        }
        self.incoming = incoming;
        if !to_be_seen.is_empty() {
            self.leave.to_be_seen = Some((self.flows[0].next_sequence(), to_be_seen));
        }
    }

    /// What became of a table of ours.
    pub(super) fn on_table_ended(&mut self, sequence: u32, outcome: Outcome) {
        if outcome != Outcome::Delivered {
            return; // a newer one tells as much
        }
        if let Some(unread) = self.leave.on_seen(sequence) {
            // What has begun of them ends nowhere: the peer dropped it too (LNK-34).
            unread.into_iter().for_each(|flow| self.inbox.give_up_all(flow, Outcome::Dropped));
            let now: MonoTime = self.last_seen;
            self.match_readers(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_peer_may_hold_is_free_when_a_table_at_least_as_new_is_there() {
        let mut leave =
            Leave { held: vec![(u32::MAX, 10), (0, 20), (1, 40)], to_be_seen: Some((0, vec![FlowId(3)])) };
        assert_eq!(leave.on_seen(u32::MAX), None);
        assert_eq!((leave.bytes_at_receiver(), leave.is_to_be_seen()), (60, true));
        assert_eq!(leave.on_seen(0), Some(vec![FlowId(3)]));
        assert_eq!((leave.bytes_at_receiver(), leave.is_to_be_seen()), (40, false));
        assert_eq!(leave.on_seen(7), None, "told once");
        assert_eq!(leave.bytes_at_receiver(), 0);
    }
}
