//! Samples on their way in: reassembly within a memory bound whatever the peer sends (LNK-3, LNK-6 to LNK-8, LNK-21).
//!
//! ```text
//!            first shard          k shards            hand over
//!            ───────────► Partial ────────► Complete ───────────► the session: delivered, late, or held for its order
//!                            │                  │ flow not in the peer's table yet (LNK-18)
//!         pushed out, refused│expired           └──► Parked ──► taken when the table comes, or pushed out
//!                            └──► ended: told by take_ended
//! ```

mod complete;
mod partial;
mod room;

use super::fec::{Codec, parity_shards};
use super::memory::{FLOW_BYTES, Memory, SAMPLE_BYTES, Share, coded_cost};
use super::sample::MAX_SHARDS;
use super::sequences::Sequences;
use crate::wire::{Fragment, Whole};
use bytes::Bytes;
pub use complete::Complete;
use partial::Partial;
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{FlowId, Ledger, MonoTime, Outcome, PeerTime, TraceId};

/// Largest sample (LNK-6).
pub const MAX_SAMPLE_BYTES: usize = 64 << 20;
/// Flows a peer may send (LNK-6), and the session's own.
const MAX_FLOWS: usize = super::limits::MAX_ENDPOINTS + 1;
/// Flows a peer may send whatever the memory bound.
const LEAST_FLOWS: usize = 6;
/// Incomplete samples that are looked at for the fewest missing.
const MOST_LOOKED_AT: usize = 16;
/// Samples that wait for the peer's table at most (LNK-18): all of them are looked at when it comes.
const MAX_PARKED: usize = 4096;
/// The table is with the samples or it is lost and repaired: after this nobody will name their flow.
const PARKED_FOR: Duration = Duration::from_secs(1);

// What is counted for a sample covers what keeps track of it: nodes of trees are at least half full.
const _: () = assert!(
    2 * size_of::<(TraceId, Partial)>() + 2 * size_of::<(u64, TraceId)>() + 64 <= SAMPLE_BYTES
        && 2 * size_of::<(u64, super::order::Held)>() + 64 <= SAMPLE_BYTES
);
const _: () = assert!(2 * size_of::<(FlowId, InFlow)>() + 2048 + 600 <= FLOW_BYTES);

/// What is known of one flow of the peer.
#[derive(Default)]
struct InFlow {
    settled: Sequences,
    ledger: Ledger,
    /// No older sample comes any more, or none that the flow's order could wait for.
    floor: Option<u32>,
}

/// Reassembly of all flows.
pub struct Inbox {
    partials: BTreeMap<TraceId, Partial>,
    /// The partials that others may push out, by arrival.
    oldest: BTreeMap<u64, TraceId>,
    /// Samples of flows that no table names yet, by arrival.
    parked: BTreeMap<u64, Complete>,
    /// Bytes of what others may push out.
    yielding: usize,
    stamp: u64,
    flows: BTreeMap<FlowId, InFlow>,
    /// Flows the peer's table names, and the session's own.
    listed: BTreeMap<FlowId, Share>,
    unlisted: usize,
    /// Flows it does not name are withdrawn before this number, and to come from it on. None before the first table.
    next: Option<FlowId>,
    max_flows: usize,
    codec: Codec,
    memory: Memory,
    ended: Vec<(TraceId, Outcome)>,
    violations: u64,
    duplicates: u64,
}

impl Inbox {
    /// An inbox that never holds more than `bound` bytes.
    pub fn new(bound: usize) -> Self {
        let memory = Memory::new(bound);
        Inbox {
            partials: BTreeMap::new(),
            oldest: BTreeMap::new(),
            parked: BTreeMap::new(),
            yielding: 0,
            stamp: 0,
            flows: BTreeMap::new(),
            listed: BTreeMap::from([(FlowId::SESSION, Share::Rest)]),
            unlisted: 0,
            next: None,
            max_flows: (memory.half() / 4 / FLOW_BYTES).clamp(LEAST_FLOWS, MAX_FLOWS),
            codec: Codec::default(),
            memory,
            ended: Vec::new(),
            violations: 0,
            duplicates: 0,
        }
    }

    /// Packets dropped because the peer exceeded a limit or contradicted itself.
    pub fn violations(&self) -> u64 {
        self.violations
    }

    /// Shards and samples that had arrived before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Bytes in use of the bound.
    pub fn memory_bytes(&self) -> usize {
        self.memory.used()
    }

    /// Bytes of samples: incomplete, parked, held for their order or kept. The rest in use keeps track of flows.
    pub fn sample_bytes(&self) -> usize {
        self.memory.used() - self.flows.len() * FLOW_BYTES
    }

    /// Outcomes of a flow so far.
    pub fn ledger(&self, flow: FlowId) -> Ledger {
        self.flows.get(&flow).map_or_else(Ledger::default, |f| f.ledger)
    }

    /// Samples that ended here since this was asked last: expired, pushed out, refused or not decodable.
    pub fn take_ended(&mut self) -> Vec<(TraceId, Outcome)> {
        std::mem::take(&mut self.ended)
    }

    /// True when samples are incomplete.
    pub fn has_partials(&self) -> bool {
        !self.partials.is_empty()
    }

    /// Samples that are incomplete.
    pub fn partials(&self) -> usize {
        self.partials.len()
    }

    /// Takes in a whole sample.
    pub fn on_sample(&mut self, now: MonoTime, whole: &Whole<'_>, capture: PeerTime) -> Option<Complete> {
        if self.is_over(whole.id)? {
            self.duplicates += 1;
            return None;
        }
        let flow = self.flow(whole.id.flow)?;
        flow.settled.insert(whole.id.sequence);
        flow.ledger.offer();
        let payload = Bytes::copy_from_slice(whole.payload);
        Some(Complete { id: whole.id, capture, first_packet: now, payload })
    }

    /// Takes in a shard; gives the sample when it is the last one needed.
    pub fn on_fragment(
        &mut self,
        now: MonoTime,
        shard: &Fragment<'_>,
        capture: PeerTime,
    ) -> Option<Complete> {
        let k = usize::from(shard.k);
        let index = usize::from(shard.index);
        let shards = k + parity_shards(k);
        if !(2..=MAX_SHARDS).contains(&k) || index >= shards || k * shard.shard.len() > MAX_SAMPLE_BYTES {
            self.violations += 1;
            return None;
        }
        if self.is_over(shard.id)? {
            self.duplicates += 1;
            return None;
        }
        if !self.partials.contains_key(&shard.id) {
            self.begin(now, shard, capture)?;
        }
        let have = self.partials.get(&shard.id)?.shard_bytes;
        if have > shard.shard.len() {
            self.begin_anew(shard)?;
        } else if have < shard.shard.len() {
            self.duplicates += 1; // of the cut before, late
            return None;
        }
        let partial = self.partials.get_mut(&shard.id)?;
        if partial.k != k {
            self.violations += 1;
            return None;
        }
        if !partial.put(index, shard.shard) {
            self.duplicates += 1;
            return None;
        }
        if partial.missing() > 0 { None } else { self.complete(shard.id) }
    }

    /// Whether the sample came to an end before, or below its flow's floor. None when the flow was withdrawn, or is one
    /// too many.
    fn is_over(&mut self, id: TraceId) -> Option<bool> {
        if self.is_withdrawn(id.flow) {
            return None; // it was under way (LNK-33)
        }
        let is_ordered = self.share(id.flow) == Share::Ordered;
        let flow = self.flow(id.flow)?;
        let is_below = |floor: u32| (id.sequence.wrapping_sub(floor) as i32) < 0;
        Some(flow.settled.contains(id.sequence) || is_ordered && flow.floor.is_some_and(is_below))
    }

    fn begin(&mut self, now: MonoTime, shard: &Fragment<'_>, capture: PeerTime) -> Option<()> {
        if shard.id.flow == FlowId::SESSION {
            self.give_up_tables_before(shard.id)?;
        }
        let is_begun = self.make_partial(now, shard, capture);
        // Offered whether there is room or not.
        self.flow(shard.id.flow)?.ledger.offer();
        if !is_begun {
            self.refuse(shard.id);
        }
        is_begun.then_some(())
    }

    /// Its sender cut it anew, in shorter shards (LNK-87): what is here of it is of no use any more.
    fn begin_anew(&mut self, shard: &Fragment<'_>) -> Option<()> {
        let Partial { first_packet, capture, .. } = self.remove(shard.id)?;
        let is_begun = self.make_partial(first_packet, shard, capture);
        if !is_begun {
            self.refuse(shard.id);
        }
        is_begun.then_some(())
    }

    /// Makes room for a sample that has begun. False when there is none.
    fn make_partial(&mut self, first_packet: MonoTime, shard: &Fragment<'_>, capture: PeerTime) -> bool {
        let (id, share) = (shard.id, self.share(shard.id.flow));
        let cost = coded_cost(usize::from(shard.k), shard.shard.len());
        if !self.make_room(share, cost) {
            return false;
        }
        // Neither what has its own half nor the table gives way to others.
        let yields = share == Share::Rest && id.flow != FlowId::SESSION;
        let stamp = yields.then(|| self.next_stamp());
        if let Some(stamp) = stamp {
            self.oldest.insert(stamp, id);
            self.yielding += cost;
        }
        let mut partial = Partial::new(first_packet, shard, capture, share);
        partial.stamp = stamp;
        self.partials.insert(id, partial);
        true
    }

    fn next_stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }

    fn remove(&mut self, id: TraceId) -> Option<Partial> {
        let partial = self.partials.remove(&id)?;
        let cost = partial.cost();
        self.memory.give_back(partial.share, cost);
        if let Some(stamp) = partial.stamp {
            self.oldest.remove(&stamp);
            self.yielding -= cost;
        }
        Some(partial)
    }

    fn complete(&mut self, id: TraceId) -> Option<Complete> {
        let Some(complete) = self.remove(id)?.complete(id, &mut self.codec) else {
            self.violations += 1;
            self.end(id, Outcome::Dropped);
            return None;
        };
        self.flow(id.flow)?.settled.insert(id.sequence);
        Some(complete)
    }

    /// Shards that must come before any incomplete sample can be complete; none when there is no such sample, or so many
    /// that to look at them would take longer than it saves.
    pub fn fewest_missing(&self) -> Option<usize> {
        if self.partials.len() > MOST_LOOKED_AT {
            return None;
        }
        self.partials.values().map(Partial::missing).min()
    }

    /// Settles the outcome of a complete sample.
    pub fn settle(&mut self, flow: FlowId, outcome: Outcome) {
        if let Some(flow) = self.flows.get_mut(&flow) {
            flow.ledger.settle(outcome);
        }
    }

    /// A sample that was offered ends here.
    fn end(&mut self, id: TraceId, outcome: Outcome) {
        if let Some(flow) = self.flows.get_mut(&id.flow) {
            flow.settled.insert(id.sequence);
            flow.ledger.settle(outcome);
            self.ended.push((id, outcome));
        }
    }

    fn give_up(&mut self, id: TraceId, outcome: Outcome) {
        if self.remove(id).is_some() {
            self.end(id, outcome);
        }
    }

    /// There is no room for a sample. It is over: what is acknowledged of it will not be sent again.
    fn refuse(&mut self, id: TraceId) {
        self.violations += 1;
        self.end(id, Outcome::Dropped);
    }

    /// Gives up incomplete samples for which `is_over` (capture stamp, arrival of the first packet) holds.
    pub fn expire(&mut self, is_over: impl Fn(FlowId, PeerTime, MonoTime) -> bool) {
        let over: Vec<TraceId> = self
            .partials
            .iter()
            .filter(|(id, partial)| is_over(id.flow, partial.capture, partial.first_packet))
            .map(|(id, _)| *id)
            .collect();
        over.into_iter().for_each(|id| self.give_up(id, Outcome::Expired));
    }

    /// The session is over: what is incomplete is lost.
    pub fn close(&mut self) {
        let open: Vec<TraceId> = self.partials.keys().copied().collect();
        open.into_iter().for_each(|id| self.give_up(id, Outcome::Lost));
        // The end of the session tells that, not an event for each.
        self.ended.clear();
    }
}

#[cfg(test)]
mod tests;
