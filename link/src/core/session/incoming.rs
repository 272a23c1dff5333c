//! Flows of the peer: who here reads them, and how a complete sample comes to its readers (LNK-13 to LNK-15, LNK-19).
//!
//! ```text
//!  complete ──► readers without order: at once
//!     └───────► the flow's order (keep_all reliable) ──► readers with order: when nothing older is missing
//!  the book is closed on a sample when all its readers had their turn: delivered when one of them got it
//! ```

use super::Session;
use super::endpoint::InEndpoint;
use super::reading::{Incoming, Reading, is_ordered};
use crate::core::event::{Delivered, Event};
use crate::core::inbox::Complete;
use crate::core::memory::Share;
use crate::core::order::{Held, Order};
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{Durability, FlowId, Ledger, MonoTime, Outcome, TraceId};

impl Session {
    /// `reader` reads flow `id` of the peer from now on; of a transient_local flow it gets what was kept (LNK-14).
    pub(super) fn begin_reading(&mut self, now: MonoTime, reader: FlowId, id: FlowId) {
        let begins_at = self.inbox.floor(id);
        let Some(InEndpoint { subscription, .. }) = self.readers.get(&reader) else { return };
        let requested = subscription.qos;
        let Some(incoming) = self.incoming.get_mut(&id) else { return };
        incoming.was_read = true;
        let reading = Reading::new(reader, &requested, &incoming.entry.qos);
        if is_ordered(&incoming.entry.qos) {
            incoming.order.get_or_insert_with(|| Order::starting_at(begins_at));
        }
        let order = incoming.order.as_ref().filter(|_| reading.in_order);
        let mut kept: Vec<Complete> = match requested.durability {
            Durability::Volatile => Vec::new(),
            // What waits for the flow's order comes to an ordered reader with it.
            Durability::TransientLocal => incoming
                .kept
                .iter()
                .filter(|complete| order.is_none_or(|order| order.is_past(complete.id.sequence)))
                .cloned()
                .collect(),
        };
        incoming.readings.push(reading);
        let newest = kept.last().map_or(0, |complete| complete.id.sequence);
        kept.sort_by_key(|complete| complete.id.sequence.wrapping_sub(newest) as i32);
        for complete in kept {
            self.offer(now, &complete, |reading| reading.reader == reader);
        }
    }

    /// A sample is complete, and its flow is known: it goes to its readers.
    pub(super) fn hand_over(&mut self, now: MonoTime, complete: Complete) {
        let id = complete.id;
        let so_far = self.offer(now, &complete, |reading| !reading.in_order);
        self.keep(&complete);
        let Some(order) = self.incoming.get_mut(&id.flow).and_then(|incoming| incoming.order.as_mut()) else {
            return self.conclude(id, so_far);
        };
        if order.is_past(id.sequence) {
            return self.conclude(id, so_far);
        }
        // What everybody waits for needs no room to wait.
        let taken = if order.is_due(id.sequence) { 0 } else { complete.cost() };
        if self.inbox.hold(taken) {
            order.hold(Held { complete, so_far, taken });
            self.release(now, id.flow);
        } else {
            self.conclude(id, so_far);
            self.skip(now, id);
        }
    }

    /// Offers a sample to those readers of its flow that `wanted` holds for. The best of what they make of it.
    fn offer(&mut self, now: MonoTime, complete: &Complete, wanted: impl Fn(&Reading) -> bool) -> Outcome {
        let (age, age_error) = self.age(now, complete.capture, complete.first_packet);
        let (id, capture) = (complete.id, self.clock.told(complete.capture));
        let Some(incoming) = self.incoming.get_mut(&id.flow) else { return Outcome::Dropped };
        let offered = incoming.entry.qos.lifespan;
        let mut best = Outcome::Dropped;
        for reading in incoming.readings.iter_mut().filter(|reading| wanted(reading)) {
            let Some(reader) = self.readers.get_mut(&reading.reader) else { continue };
            let outcome = reading.judge(id.sequence, age, reader.lifespan(offered));
            best = best.min(outcome);
            if outcome == Outcome::Delivered {
                reader.deadline_from = Some(now);
                let payload = complete.payload.clone();
                let subscription = reading.reader;
                let delivered = Delivered { subscription, id, payload, capture, age, age_error, at: now };
                self.events.push_back(Event::Delivered(delivered));
            }
        }
        best
    }

    /// All readers had their turn: the book is closed on the sample.
    fn conclude(&mut self, id: TraceId, outcome: Outcome) {
        match outcome {
            Outcome::Delivered => self.inbox.settle(id.flow, Outcome::Delivered),
            missed => self.miss(id, missed),
        }
    }

    /// Keeps a sample of a transient_local flow for readers that join later, as far as the memory bound allows.
    fn keep(&mut self, complete: &Complete) {
        let Some(incoming) = self.incoming.get_mut(&complete.id.flow) else { return };
        let qos = &incoming.entry.qos;
        if qos.durability != Durability::TransientLocal || incoming.readings.is_empty() {
            return;
        }
        let (depth, cost) = (qos.depth().unwrap_or(u32::MAX) as usize, complete.cost());
        let most = self.inbox.most_kept();
        while incoming.kept.len() >= depth || self.kept_bytes + cost > most {
            let Some(oldest) = incoming.kept.pop_front() else { return };
            self.kept_bytes -= oldest.cost();
            self.inbox.give_back(Share::Rest, oldest.cost());
        }
        if self.inbox.keep(cost) {
            self.kept_bytes += cost;
            incoming.kept.push_back(complete.clone());
        }
    }

    /// Delivers what waited for its order as far as that allows (LNK-13).
    fn release(&mut self, now: MonoTime, flow: FlowId) {
        let next =
            |incoming: &mut BTreeMap<FlowId, Incoming>| incoming.get_mut(&flow)?.order.as_mut()?.release();
        while let Some(held) = next(&mut self.incoming) {
            self.inbox.give_back(Share::Ordered, held.taken);
            let outcome = self.offer(now, &held.complete, |reading| reading.in_order);
            self.conclude(held.complete.id, outcome.min(held.so_far));
        }
    }

    /// A sample will not come: its flow's order goes on without it.
    fn skip(&mut self, now: MonoTime, id: TraceId) {
        match self.incoming.get_mut(&id.flow) {
            Some(incoming) => {
                incoming.order.iter_mut().for_each(|order| order.skip(id.sequence));
                self.release(now, id.flow);
            }
            // The order begins behind it, should the flow turn out to have one.
            None => {
                let sequence = id.sequence.wrapping_add(1);
                self.inbox.raise_floor(TraceId { sequence, ..id });
            }
        }
    }

    /// LNK-24.
    pub(super) fn on_floor(&mut self, now: MonoTime, id: TraceId) {
        self.inbox.on_floor(id);
        if let Some(order) = self.incoming.get_mut(&id.flow).and_then(|incoming| incoming.order.as_mut()) {
            order.on_floor(id.sequence);
            self.release(now, id.flow);
        }
    }

    /// Tells of samples that ended in the inbox.
    pub(super) fn tell_ended(&mut self, now: MonoTime) {
        for (id, outcome) in self.inbox.take_ended() {
            if id.flow != FlowId::SESSION {
                self.events.push_back(Event::Missed { id, outcome });
                self.skip(now, id);
            }
        }
    }

    /// Flows of the peer with a lifespan after which nobody wants their samples.
    pub(super) fn incoming_lifespans(&self) -> BTreeMap<FlowId, Duration> {
        let lifespan = |(id, incoming): (&FlowId, &Incoming)| Some((*id, incoming.lifespan(&self.readers)?));
        self.incoming.iter().filter_map(lifespan).collect()
    }

    /// The peer withdrew this flow: what is incomplete or waits for its order is lost, its readers keep the ledger
    /// (LNK-33).
    pub(super) fn retire(&mut self, mut gone: Incoming) {
        self.let_go(&mut gone);
        let ledger = self.inbox.forget(gone.entry.flow);
        for reading in &gone.readings {
            self.readers.get_mut(&reading.reader).into_iter().for_each(|reader| reader.past += ledger);
        }
    }

    /// Gives up what is kept and what waits for its order.
    pub(super) fn let_go(&mut self, incoming: &mut Incoming) {
        let held: Vec<Held> = incoming.order.take().iter_mut().flat_map(Order::take_all).collect();
        held.into_iter().for_each(|held| self.lose(held));
        for kept in incoming.kept.drain(..) {
            self.kept_bytes -= kept.cost();
            self.inbox.give_back(Share::Rest, kept.cost());
        }
    }

    /// A sample whose turn in the order never comes.
    fn lose(&mut self, held: Held) {
        self.inbox.give_back(Share::Ordered, held.taken);
        let is_delivered = held.so_far == Outcome::Delivered;
        self.conclude(held.complete.id, if is_delivered { Outcome::Delivered } else { Outcome::Lost });
    }

    /// The session ends: what waits for its order or the table is lost.
    pub(super) fn close_incoming(&mut self) {
        for complete in self.inbox.take_all_parked() {
            self.miss(complete.id, Outcome::Lost);
        }
        // Out of the session while it is changed: what is lost is told there.
        let mut incoming = std::mem::take(&mut self.incoming);
        incoming.values_mut().for_each(|flow| self.let_go(flow));
        self.incoming = incoming;
    }

    /// Outcomes of the peer's publications a subscription reads, receiver's side. A sample counts once, delivered when
    /// any of its readers here got it.
    pub fn received_ledger(&self, subscription: FlowId) -> Ledger {
        let past = self.readers.get(&subscription).map_or_else(Ledger::default, |reader| reader.past);
        let read = self.incoming.iter().filter(|(_, incoming)| incoming.is_read_by(subscription));
        read.fold(past, |mut sum, (id, _)| {
            sum += self.inbox.ledger(*id);
            sum
        })
    }
}
