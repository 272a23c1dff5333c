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
