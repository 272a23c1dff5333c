//! Room in the inbox (LNK-8, LNK-18): who gives way to whom, which flows are known, and what waits for the table.

use super::{Complete, InFlow, Inbox, MAX_PARKED, PARKED_FOR};
use crate::core::memory::{FLOW_BYTES, Share};
use std::collections::{BTreeMap, BTreeSet};
use tokkyu_contract::{FlowId, Ledger, MonoTime, Outcome, TraceId};

impl Inbox {
    /// Which half of the bound the samples of a flow take. Unknown ones the one where the oldest gives way.
    pub(super) fn share(&self, flow: FlowId) -> Share {
        self.listed.get(&flow).copied().unwrap_or(Share::Rest)
    }

    /// The peer had this flow and has it no more (LNK-31).
    pub(super) fn is_withdrawn(&self, flow: FlowId) -> bool {
        let is_before = |next: FlowId| (flow.0.wrapping_sub(next.0) as i16) < 0;
        !self.listed.contains_key(&flow) && self.next.is_some_and(is_before)
    }

    /// The state of a flow. None when it is one more than there may be.
    pub(super) fn flow(&mut self, id: FlowId) -> Option<&mut InFlow> {
        if !self.flows.contains_key(&id) && !self.admit(id) {
            self.violations += 1;
            return None;
        }
        self.flows.get_mut(&id)
    }

    fn admit(&mut self, id: FlowId) -> bool {
        let is_listed = self.listed.contains_key(&id);
        // Flows nobody announced must not take the places of those that are.
        let has_place = is_listed || self.unlisted < self.max_flows / 2;
        if !has_place || self.flows.len() >= self.max_flows || !self.make_room(Share::Rest, FLOW_BYTES) {
            return false;
        }
        self.unlisted += usize::from(!is_listed);
        self.flows.insert(id, InFlow::default());
        true
    }

    /// Takes `bytes` of `share`. In the rest, the oldest gives way when that makes enough room.
    pub(super) fn make_room(&mut self, share: Share, bytes: usize) -> bool {
        if share == Share::Rest && bytes > self.memory.free(share) + self.yielding {
            return false;
        }
        while !self.memory.take(share, bytes) {
            if share == Share::Ordered || !self.push_out_oldest() {
                return false;
            }
        }
        true
    }

    fn push_out_oldest(&mut self) -> bool {
        let partial = self.oldest.first_key_value().map(|(stamp, id)| (*stamp, *id));
        let parked = self.parked.first_key_value().map(|(stamp, _)| *stamp);
        match (partial, parked) {
            (Some((stamp, id)), parked) if parked.is_none_or(|parked| stamp < parked) => {
                self.give_up(id, Outcome::Dropped);
            }
            (_, Some(_)) => self.drop_oldest_parked(),
            _ => return false,
        }
        true
    }

    /// Of the table only the newest is wanted, so one incomplete table is enough. None when `id` is not the newest.
    pub(super) fn give_up_tables_before(&mut self, id: TraceId) -> Option<()> {
        let Some(have) = self.partials_of(FlowId::SESSION).pop() else { return Some(()) };
        if (id.sequence.wrapping_sub(have.sequence) as i32) < 0 {
            return None;
        }
        self.give_up(have, Outcome::Dropped);
        Some(())
    }

    /// Takes bytes for a sample that waits for its order. False, and a violation, when its half is full (LNK-8).
    pub fn hold(&mut self, bytes: usize) -> bool {
        let is_held = self.memory.take(Share::Ordered, bytes);
        self.violations += u64::from(!is_held);
        is_held
    }

    /// Takes bytes for a sample kept for readers that join later.
    pub fn keep(&mut self, bytes: usize) -> bool {
        self.make_room(Share::Rest, bytes)
    }

    /// Gives back what [`Inbox::hold`] or [`Inbox::keep`] took.
    pub fn give_back(&mut self, share: Share, bytes: usize) {
        self.memory.give_back(share, bytes);
    }

    /// Bytes that samples kept for readers that join later may take together.
    pub fn most_kept(&self) -> usize {
        self.memory.half() / 4
    }

    /// A complete sample of a flow that no table names yet waits for one, or is dropped.
    pub fn park(&mut self, complete: Complete) {
        if self.parked.len() >= MAX_PARKED {
            self.drop_oldest_parked();
        }
        let cost = complete.cost();
        if !self.make_room(Share::Rest, cost) {
            return self.end(complete.id, Outcome::Dropped);
        }
        self.yielding += cost;
        let stamp = self.next_stamp();
        self.parked.insert(stamp, complete);
    }

    fn unpark(&mut self, stamp: u64) -> Option<Complete> {
        let complete = self.parked.remove(&stamp)?;
        self.memory.give_back(Share::Rest, complete.cost());
        self.yielding -= complete.cost();
        Some(complete)
    }

    fn drop_oldest_parked(&mut self) {
        let oldest = self.parked.first_key_value().map(|(stamp, _)| *stamp);
        if let Some(complete) = oldest.and_then(|stamp| self.unpark(stamp)) {
            self.end(complete.id, Outcome::Dropped);
        }
    }

    /// Drops samples that waited for the table for too long.
    pub fn expire_parked(&mut self, now: MonoTime) {
        let is_old = |complete: &Complete| now.since(complete.first_packet) > PARKED_FOR;
        while self.parked.first_key_value().is_some_and(|(_, complete)| is_old(complete)) {
            self.drop_oldest_parked();
        }
    }

    /// Takes the samples out whose flow the table names now, oldest first.
    pub fn take_parked(&mut self) -> Vec<Complete> {
        let named = |complete: &Complete| self.listed.contains_key(&complete.id.flow);
        let stamps: Vec<u64> =
            self.parked.iter().filter(|(_, complete)| named(complete)).map(|(stamp, _)| *stamp).collect();
        stamps.into_iter().filter_map(|stamp| self.unpark(stamp)).collect()
    }

    /// The session is over: gives what still waits for a table.
    pub fn take_all_parked(&mut self) -> Vec<Complete> {
        let stamps: Vec<u64> = self.parked.keys().copied().collect();
        stamps.into_iter().filter_map(|stamp| self.unpark(stamp)).collect()
    }

    /// The peer's table names these flows. What is incomplete of one that became ordered moves to that half; of one that
    /// is no longer ordered it is given up, so that tables in turn do not move it to and fro.
    pub fn on_table(&mut self, listed: BTreeMap<FlowId, Share>, next: FlowId) {
        let ordered = |flows: &BTreeMap<FlowId, Share>| -> BTreeSet<FlowId> {
            flows.iter().filter(|(_, share)| **share == Share::Ordered).map(|(flow, _)| *flow).collect()
        };
        let (before, after) = (ordered(&self.listed), ordered(&listed));
        self.listed = listed;
        self.listed.insert(FlowId::SESSION, Share::Rest);
        self.next = Some(next);
        self.forget_withdrawn();
        self.unlisted = self.flows.keys().filter(|flow| !self.listed.contains_key(flow)).count();
        for flow in before.difference(&after) {
            self.partials_of(*flow).into_iter().for_each(|id| self.give_up(id, Outcome::Dropped));
        }
        for flow in after.difference(&before) {
            self.partials_of(*flow).into_iter().for_each(|id| self.make_ordered(id));
        }
    }

    /// Flows that came and went between two tables: nobody read them.
    fn forget_withdrawn(&mut self) {
        let gone: Vec<FlowId> = self.flows.keys().copied().filter(|flow| self.is_withdrawn(*flow)).collect();
        gone.into_iter().for_each(|flow| _ = self.forget(flow));
    }

    /// Nothing of a flow is known any more; what is incomplete of it, or waits for a table, is lost. Gives its outcomes.
    pub fn forget(&mut self, flow: FlowId) -> Ledger {
        self.give_up_all(flow, Outcome::Lost);
        let parked = self.parked.iter().filter(|(_, complete)| complete.id.flow == flow);
        let stamps: Vec<u64> = parked.map(|(stamp, _)| *stamp).collect();
        for complete in stamps.into_iter().filter_map(|stamp| self.unpark(stamp)).collect::<Vec<_>>() {
            self.end(complete.id, Outcome::Lost);
        }
        let Some(known) = self.flows.remove(&flow) else { return Ledger::default() };
        self.memory.give_back(Share::Rest, FLOW_BYTES);
        known.ledger
    }

    /// What is incomplete of a flow is given up.
    pub fn give_up_all(&mut self, flow: FlowId, outcome: Outcome) {
        self.partials_of(flow).into_iter().for_each(|id| self.give_up(id, outcome));
    }

    fn partials_of(&self, flow: FlowId) -> Vec<TraceId> {
        let at = |sequence| TraceId { flow, sequence };
        self.partials.range(at(0)..=at(u32::MAX)).map(|(id, _)| *id).collect()
    }

    fn make_ordered(&mut self, id: TraceId) {
        let Some(mut partial) = self.remove(id) else { return };
        if !self.hold(partial.cost()) {
            return self.end(id, Outcome::Dropped);
        }
        (partial.share, partial.stamp) = (Share::Ordered, None);
        self.partials.insert(id, partial);
    }

    /// Where the order of a flow begins, as far as that is known.
    pub fn floor(&self, flow: FlowId) -> u32 {
        self.flows.get(&flow).and_then(|flow| flow.floor).unwrap_or(0)
    }

    /// No sample of the flow older than this comes any more (LNK-24). Also kept for a flow that no table names yet.
    pub fn on_floor(&mut self, id: TraceId) {
        let means_nothing = self.is_withdrawn(id.flow) || self.listed.get(&id.flow) == Some(&Share::Rest);
        if means_nothing || !self.raise_floor(id) {
            return;
        }
        if self.share(id.flow) == Share::Ordered {
            let below: Vec<TraceId> = self.below(id).collect();
            below.into_iter().for_each(|id| self.give_up(id, Outcome::Expired));
        }
    }

    /// True when the floor was lower before.
    pub fn raise_floor(&mut self, id: TraceId) -> bool {
        if self.is_withdrawn(id.flow) {
            return false;
        }
        let Some(flow) = self.flow(id.flow) else { return false };
        let is_news = flow.floor.is_none_or(|floor| (id.sequence.wrapping_sub(floor) as i32) > 0);
        if is_news {
            flow.floor = Some(id.sequence);
        }
        is_news
    }

    /// Incomplete samples of a flow with a lower number, which may have wrapped.
    fn below(&self, id: TraceId) -> impl Iterator<Item = TraceId> {
        let at = |sequence| TraceId { flow: id.flow, sequence };
        let first = id.sequence.wrapping_sub(1 << 31);
        let is_wrapped = first > id.sequence;
        let before_wrap = is_wrapped.then(|| self.partials.range(at(first)..=at(u32::MAX)));
        let lowest = if is_wrapped { 0 } else { first };
        before_wrap.into_iter().flatten().chain(self.partials.range(at(lowest)..id)).map(|(id, _)| *id)
    }
}
