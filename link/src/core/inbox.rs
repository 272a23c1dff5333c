//! Samples on their way in: reassembly within a memory bound whatever the peer sends (LNK-3, LNK-6, LNK-21).

use super::fec::{Codec, parity_shards};
use super::outbox::{LENGTH_BYTES, MAX_SHARDS};
use crate::wire::{Fragment, Whole};
use bytes::Bytes;
use std::collections::BTreeMap;
use tokkyu_contract::{FlowId, Ledger, MonoTime, Outcome, PeerTime, TraceId};

/// Largest sample (LNK-6).
pub const MAX_SAMPLE_BYTES: usize = 64 << 20;
/// Flows a peer may send (LNK-6).
const MAX_FLOWS: usize = 1024;
/// Sequence numbers remembered below the highest of a flow: what is older counts as a duplicate.
const REMEMBERED: u32 = 1 << 14;

/// A sample all of whose bytes are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Flow and sequence number.
    pub id: TraceId,
    /// Publisher's clock at capture.
    pub capture: PeerTime,
    /// When its first packet came.
    pub first_packet: MonoTime,
    /// The payload.
    pub payload: Bytes,
}

struct Partial {
    k: usize,
    shard_bytes: usize,
    shards: Vec<u8>,
    have: Vec<bool>,
    count: usize,
    data_count: usize,
    capture: PeerTime,
    first_packet: MonoTime,
}

/// What is known of one flow of the peer.
#[derive(Default)]
struct InFlow {
    settled: Sequences,
    ledger: Ledger,
}

/// Sequence numbers that came to an end: all below `floor`, and those marked above.
#[derive(Default)]
struct Sequences {
    next: u32,
    bits: Vec<u64>,
}

impl Sequences {
    fn contains(&self, sequence: u32) -> bool {
        let ahead = sequence.wrapping_sub(self.next) as i32;
        if ahead >= 0 {
            return false;
        }
        ahead.unsigned_abs() > REMEMBERED || self.bit(sequence).is_some_and(|(word, bit)| word & bit != 0)
    }

    fn bit(&self, sequence: u32) -> Option<(u64, u64)> {
        let at = sequence % REMEMBERED;
        self.bits.get(at as usize / 64).map(|word| (*word, 1 << (at % 64)))
    }

    fn insert(&mut self, sequence: u32) {
        self.bits.resize(REMEMBERED as usize / 64, 0);
        let ahead = sequence.wrapping_sub(self.next) as i32;
        if ahead >= 0 {
            for skipped in 0..(ahead as u32 + 1).min(REMEMBERED) {
                self.set(sequence.wrapping_sub(skipped), false);
            }
            self.next = sequence.wrapping_add(1);
        }
        self.set(sequence, true);
    }

    fn set(&mut self, sequence: u32, value: bool) {
        let at = sequence % REMEMBERED;
        let (word, bit) = (&mut self.bits[at as usize / 64], 1u64 << (at % 64));
        if value { *word |= bit } else { *word &= !bit }
    }
}

/// Reassembly of all flows.
pub struct Inbox {
    partials: BTreeMap<TraceId, Partial>,
    flows: BTreeMap<FlowId, InFlow>,
    codec: Codec,
    memory_bytes: usize,
    memory_limit: usize,
    pushed_out: Vec<TraceId>,
    violations: u64,
    duplicates: u64,
}

impl Inbox {
    /// An inbox that never holds more than `memory_limit` bytes of incomplete samples.
    pub fn new(memory_limit: usize) -> Self {
        let mut codec = Codec::default();
        codec.warm_up();
        Inbox {
            partials: BTreeMap::new(),
            flows: BTreeMap::new(),
            codec,
            memory_bytes: 0,
            memory_limit,
            pushed_out: Vec::new(),
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

    /// Bytes of incomplete samples held.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Outcomes of a flow so far.
    pub fn ledger(&self, flow: FlowId) -> Ledger {
        self.flows.get(&flow).map_or_else(Ledger::default, |f| f.ledger)
    }

    /// Takes in a whole sample.
    pub fn on_sample(&mut self, now: MonoTime, whole: &Whole<'_>, capture: PeerTime) -> Option<Complete> {
        let flow = self.flow(whole.id.flow)?;
        if flow.settled.contains(whole.id.sequence) {
            self.duplicates += 1;
            return None;
        }
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
        let flow = self.flow(shard.id.flow)?;
        if flow.settled.contains(shard.id.sequence) {
            self.duplicates += 1;
            return None;
        }
        if !self.partials.contains_key(&shard.id) {
            self.begin(now, shard, shards, capture)?;
        }
        let partial = self.partials.get_mut(&shard.id)?;
        if partial.k != k || partial.shard_bytes != shard.shard.len() {
            self.violations += 1;
            return None;
        }
        if std::mem::replace(&mut partial.have[index], true) {
            self.duplicates += 1;
            return None;
        }
        partial.shards[index * partial.shard_bytes..][..partial.shard_bytes].copy_from_slice(shard.shard);
        partial.count += 1;
        partial.data_count += usize::from(index < k);
        if partial.count < k { None } else { self.complete(shard.id) }
    }

    fn flow(&mut self, id: FlowId) -> Option<&mut InFlow> {
        if self.flows.len() >= MAX_FLOWS && !self.flows.contains_key(&id) {
            self.violations += 1;
            return None;
        }
        Some(self.flows.entry(id).or_default())
    }

    fn begin(&mut self, now: MonoTime, shard: &Fragment<'_>, shards: usize, capture: PeerTime) -> Option<()> {
        let bytes = shards * shard.shard.len();
        if bytes > self.memory_limit {
            self.violations += 1;
            return None;
        }
        while self.memory_bytes + bytes > self.memory_limit {
            let (&oldest, _) = self.partials.iter().min_by_key(|(_, partial)| partial.first_packet)?;
            self.give_up(oldest, Outcome::Dropped);
            self.pushed_out.push(oldest);
        }
        self.memory_bytes += bytes;
        let partial = Partial {
            k: usize::from(shard.k),
            shard_bytes: shard.shard.len(),
            shards: vec![0; bytes],
            have: vec![false; shards],
            count: 0,
            data_count: 0,
            capture,
            first_packet: now,
        };
        self.partials.insert(shard.id, partial);
        self.flow(shard.id.flow)?.ledger.offer();
        Some(())
    }

    fn complete(&mut self, id: TraceId) -> Option<Complete> {
        let mut partial = self.partials.remove(&id)?;
        self.memory_bytes -= partial.shards.len();
        let mut coded = Ok(());
        if partial.data_count < partial.k {
            coded = self.codec.decode(partial.k, partial.shard_bytes, &mut partial.shards, &partial.have);
        }
        let data_bytes = partial.k * partial.shard_bytes;
        let payload = coded.ok().and_then(|()| payload_of(partial.shards, data_bytes));
        let flow = self.flow(id.flow)?;
        flow.settled.insert(id.sequence);
        if payload.is_none() {
            flow.ledger.settle(Outcome::Dropped);
            self.violations += 1;
        }
        Some(Complete { id, capture: partial.capture, first_packet: partial.first_packet, payload: payload? })
    }

    /// Settles the outcome of a complete sample.
    pub fn settle(&mut self, flow: FlowId, outcome: Outcome) {
        if let Some(flow) = self.flows.get_mut(&flow) {
            flow.ledger.settle(outcome);
        }
    }

    fn give_up(&mut self, id: TraceId, outcome: Outcome) {
        let Some(partial) = self.partials.remove(&id) else { return };
        self.memory_bytes -= partial.shards.len();
        if let Some(flow) = self.flows.get_mut(&id.flow) {
            flow.settled.insert(id.sequence);
            flow.ledger.settle(outcome);
        }
    }

    /// Gives up incomplete samples for which `is_over` (capture stamp, arrival of the first packet) holds.
    pub fn expire(&mut self, is_over: impl Fn(FlowId, PeerTime, MonoTime) -> bool) -> Vec<TraceId> {
        let over: Vec<TraceId> = self
            .partials
            .iter()
            .filter(|(id, partial)| is_over(id.flow, partial.capture, partial.first_packet))
            .map(|(id, _)| *id)
            .collect();
        for id in &over {
            self.give_up(*id, Outcome::Expired);
        }
        over
    }

    /// Samples dropped for others since this was asked last.
    pub fn take_pushed_out(&mut self) -> Vec<TraceId> {
        std::mem::take(&mut self.pushed_out)
    }

    /// The session is over: what is incomplete is lost.
    pub fn close(&mut self) {
        let open: Vec<TraceId> = self.partials.keys().copied().collect();
        for id in open {
            self.give_up(id, Outcome::Lost);
        }
    }

    /// True when samples are incomplete.
    pub fn has_partials(&self) -> bool {
        !self.partials.is_empty()
    }
}

/// The payload of the data shards: their length stands in the last four bytes. Taken without a copy.
fn payload_of(shards: Vec<u8>, data_bytes: usize) -> Option<Bytes> {
    let (body, length) = shards[..data_bytes].split_last_chunk::<LENGTH_BYTES>()?;
    let bytes = u32::from_le_bytes(*length) as usize;
    (bytes <= body.len()).then(|| Bytes::from(shards).slice(..bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(sequence: u32) -> TraceId {
        TraceId { flow: FlowId(1), sequence }
    }

    fn shards_of(payload: &[u8], shard_bytes: usize) -> (usize, Vec<Vec<u8>>) {
        let k = (payload.len() + LENGTH_BYTES).div_ceil(shard_bytes);
        let mut data = payload.to_vec();
        data.resize(k * shard_bytes - LENGTH_BYTES, 0);
        data.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        let parity = Codec::default().encode(k, shard_bytes, data.chunks(shard_bytes)).unwrap();
        let all = [data, parity].concat();
        (k, all.chunks(shard_bytes).map(<[u8]>::to_vec).collect())
    }

    fn fragment(sequence: u32, k: usize, index: usize, shard: &[u8]) -> Fragment<'_> {
        Fragment { id: id(sequence), capture_us: 0, k: k as u16, index: index as u16, shard }
    }

    fn give(inbox: &mut Inbox, f: Fragment<'_>) -> Option<Complete> {
        inbox.on_fragment(MonoTime::from_millis(1), &f, PeerTime::ZERO)
    }

    #[test]
    fn any_k_shards_complete_a_sample_once() {
        let payload: Vec<u8> = (0..1000u32).map(|i| i as u8).collect();
        let (k, shards) = shards_of(&payload, 64);
        let mut inbox = Inbox::new(1 << 20);
        let mut complete = None;
        for index in (3..k + 3).rev() {
            assert_eq!(complete, None);
            complete = give(&mut inbox, fragment(0, k, index, &shards[index]));
        }
        assert_eq!(complete.unwrap().payload, payload);
        assert_eq!(give(&mut inbox, fragment(0, k, 0, &shards[0])), None, "a sample comes once");
        inbox.settle(FlowId(1), Outcome::Delivered);
        assert!(inbox.ledger(FlowId(1)).closes());
        assert_eq!((inbox.memory_bytes(), inbox.duplicates()), (0, 1));
    }

    #[test]
    fn memory_stays_bounded_and_what_is_pushed_out_is_dropped() {
        let mut inbox = Inbox::new(20_000);
        for sequence in 0..100 {
            give(&mut inbox, fragment(sequence, 10, 0, &[1; 100]));
            assert!(inbox.memory_bytes() <= 20_000);
        }
        inbox.close();
        let ledger = inbox.ledger(FlowId(1));
        assert!(ledger.closes(), "{ledger}");
        assert_eq!((ledger.dropped, ledger.lost), (93, 7), "2 600 bytes each: seven fit");
    }

    #[test]
    fn a_sample_larger_than_the_bound_is_refused_not_looped_over() {
        let mut inbox = Inbox::new(1_000);
        assert_eq!(give(&mut inbox, fragment(0, 100, 0, &[1; 100])), None);
        assert_eq!(inbox.memory_bytes(), 0);
    }

    #[test]
    fn shards_that_contradict_each_other_are_violations() {
        let mut inbox = Inbox::new(1 << 20);
        give(&mut inbox, fragment(0, 10, 0, &[1; 100]));
        give(&mut inbox, fragment(0, 11, 1, &[1; 100]));
        give(&mut inbox, fragment(0, 10, 1, &[1; 98]));
        give(&mut inbox, fragment(0, 10, 999, &[1; 100]));
        give(&mut inbox, fragment(0, 1, 0, &[1; 100]));
        assert_eq!(inbox.violations(), 4);
    }

    #[test]
    fn a_length_beyond_the_shards_is_not_delivered() {
        let mut inbox = Inbox::new(1 << 20);
        let bad = [0xff; 64];
        assert_eq!(give(&mut inbox, fragment(0, 2, 0, &bad)), None);
        assert_eq!(give(&mut inbox, fragment(0, 2, 1, &bad)), None);
        assert_eq!(inbox.violations(), 1);
        assert!(inbox.ledger(FlowId(1)).closes());
    }

    #[test]
    fn sequences_are_remembered_over_a_wrap_and_a_jump() {
        let mut seen = Sequences::default();
        for sequence in [u32::MAX - 1, u32::MAX, 1] {
            seen.insert(sequence);
        }
        assert!(seen.contains(1) && !seen.contains(0) && !seen.contains(2));
        seen.insert(500_000);
        assert!(seen.contains(1), "far behind counts as seen");
        assert!(!seen.contains(499_999));
    }
}
