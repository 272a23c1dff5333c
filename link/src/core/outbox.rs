//! Samples on their way out: one queue a flow (LNK-10 to LNK-14), and what each sample still needs.
//!
//! ```text
//!            first packet            all first packets          k shards acknowledged
//!  Waiting ───────────────► Begun ──────────────────► Sent ─────────────────────────► settled delivered
//!     │  gives way (LNK-11, LNK-12)   │ lifespan over (LNK-2)      │
//!     └──► settled dropped            └──► settled expired ◄───────┘      session closed ──► settled lost
//! ```

use super::fec::{Codec, parity_shards};
use super::kept::Kept;
use super::memory::{coded_cost, whole_cost};
use super::outstanding::Outstanding;
use super::parity::Expectation;
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, History, Ledger, MonoTime, Outcome, Qos, Reliability, TraceId};

/// Most data shards of a sample (LNK-6).
pub const MAX_SHARDS: usize = 16_384;
/// The length of a coded sample's payload, its last four bytes (LNK-21).
pub const LENGTH_BYTES: usize = 4;

/// A sample that gave way.
const STARVED: u32 = 1 << 16;
/// Longest pause that counts as the time between two samples.
const LONGEST_GAP: Duration = Duration::from_secs(1);

/// Whether a shard is sent for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// For the first time.
    First,
    /// It was lost before.
    Again,
}

/// A sample that is published.
#[derive(Clone, Debug)]
pub struct OutSample {
    /// Flow and sequence number.
    pub id: TraceId,
    /// When it was captured.
    pub capture: MonoTime,
    /// When its lifespan ends.
    pub expires: MonoTime,
    payload: Bytes,
    /// Data shards that are not whole slices of the payload: its end, zeros, the length (LNK-21).
    tail: Vec<u8>,
    parity: Vec<u8>,
    /// Data shards; 1 when it travels in one SAMPLE frame.
    pub k: usize,
    shard_bytes: usize,
    acked: Vec<bool>,
    acked_count: usize,
    under_way: usize,
    next: usize,
    target: usize,
    lost: Vec<u16>,
    repairs: VecDeque<u16>,
    /// Of the shards under way, those sent again.
    repairs_under_way: usize,
    superseded: bool,
    began_at: Option<MonoTime>,
    /// Shards it may have in all.
    limit: usize,
    topped_up: bool,
    /// The most it takes here or at the receiver (LNK-7).
    cost: usize,
}

impl OutSample {
    /// A sample cut for packets of `max_datagram` bytes.
    pub fn new(id: TraceId, capture: MonoTime, expires: MonoTime, payload: Bytes, cut: Cut) -> Self {
        let (k, shard_bytes, tail) = if payload.len() <= cut.whole_bytes {
            (1, payload.len(), Vec::new())
        } else {
            let k = cut.shards(payload.len());
            (k, cut.shard_bytes, tail_of(&payload, k * cut.shard_bytes, cut.shard_bytes))
        };
        let shards = if k == 1 { 1 } else { k + parity_shards(k) };
        let cost = cut.most_memory_bytes(payload.len());
        OutSample {
            id,
            capture,
            expires,
            payload,
            tail,
            parity: Vec::new(),
            k,
            shard_bytes,
            acked: vec![false; shards],
            acked_count: 0,
            under_way: 0,
            next: 0,
            target: k,
            lost: Vec::new(),
            repairs: VecDeque::new(),
            repairs_under_way: 0,
            superseded: false,
            began_at: None,
            limit: k,
            topped_up: false,
            cost,
        }
    }

    /// Travels in one SAMPLE frame.
    pub fn is_whole(&self) -> bool {
        self.k == 1
    }

    /// Nothing of it was sent yet.
    pub fn is_waiting(&self) -> bool {
        self.next == 0
    }

    /// Sent at least once in full, waiting for confirmation.
    pub fn is_sent(&self) -> bool {
        self.next >= self.target
    }

    /// Enough shards arrived.
    pub fn is_confirmed(&self) -> bool {
        self.acked_count >= self.k
    }

    /// When its first packet went out.
    pub fn began_at(&self) -> Option<MonoTime> {
        self.began_at
    }

    /// A shard waits to be sent again.
    pub fn has_repairs(&self) -> bool {
        !self.repairs.is_empty()
    }

    /// First sendings still to do, in bytes.
    pub fn unsent_bytes(&self) -> usize {
        (self.target - self.next.min(self.target)) * self.shard_bytes
    }

    /// The payload of a whole sample.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Bytes of memory it takes.
    pub fn memory_bytes(&self) -> usize {
        let again = size_of::<u16>() * (self.lost.len() + self.repairs.len());
        self.payload.len() + self.tail.len() + self.parity.len() + self.acked.len() + again + 256
    }

    /// Gives the sample `m` parity shards beyond its data, before its first packet; never more than `limit` later.
    pub fn set_parity(&mut self, m: usize, limit: usize) {
        if !self.is_whole() {
            self.limit = self.k + limit.min(parity_shards(self.k));
            self.target = (self.k + m).min(self.limit);
        }
    }

    /// Adds the parity `wanted` (of shards needed and spare under way) gives, once (LNK-43). True if any was added.
    pub fn top_up(&mut self, wanted: impl Fn(usize, usize) -> usize) -> bool {
        if self.topped_up || self.is_whole() || self.superseded || !self.is_sent() || self.is_confirmed() {
            return false;
        }
        self.topped_up = true;
        let (acked, under_way) = self.progress();
        let before = self.target;
        self.target = (before + wanted(self.k - acked, under_way)).min(self.limit).max(before);
        self.target > before
    }

    /// Shards acknowledged, and sent but not answered yet, those still to be sent included.
    pub fn progress(&self) -> (usize, usize) {
        (self.acked_count, self.under_way + self.repairs.len() + (self.target - self.next))
    }

    /// The next shard to send: a repair first. None when everything is sent.
    pub fn take_shard(&mut self, now: MonoTime) -> Option<(u16, Sending)> {
        if let Some(index) = self.repairs.pop_front() {
            return Some((index, Sending::Again));
        }
        if self.next < self.target {
            self.began_at.get_or_insert(now);
            self.next += 1;
            return Some((self.next as u16 - 1, Sending::First));
        }
        None
    }

    /// The bytes of shard `index`; parity is computed when the first of it is wanted. None if it cannot be coded.
    pub fn shard(&mut self, index: u16, codec: &mut Codec) -> Option<&[u8]> {
        let index = usize::from(index);
        if index < self.k {
            return data_shards(&self.payload, &self.tail, self.shard_bytes).nth(index);
        }
        if self.parity.is_empty() {
            let data = data_shards(&self.payload, &self.tail, self.shard_bytes);
            self.parity = codec.encode(self.k, self.shard_bytes, data).ok()?;
        }
        self.parity.chunks_exact(self.shard_bytes).nth(index - self.k)
    }

    /// A packet with one of its shards is on its way.
    pub fn on_sent(&mut self, sending: Sending) {
        self.under_way += 1;
        self.repairs_under_way += usize::from(sending == Sending::Again);
    }

    fn on_answered(&mut self, sending: Sending) {
        self.under_way = self.under_way.saturating_sub(1);
        self.repairs_under_way -= usize::from(sending == Sending::Again).min(self.repairs_under_way);
    }

    /// Shard `index` arrived.
    pub fn on_acked(&mut self, index: u16, sending: Sending) {
        self.on_answered(sending);
        self.on_arrived_after_all(index);
    }

    /// Shard `index`, given up before, has arrived.
    pub fn on_arrived_after_all(&mut self, index: u16) {
        let Some(acked) = self.acked.get_mut(usize::from(index)) else { return };
        if !std::mem::replace(acked, true) {
            self.acked_count += 1;
        }
    }

    /// The packet with shard `index` is given up.
    pub fn on_lost(&mut self, index: u16, sending: Sending) {
        self.on_answered(sending);
        if !self.acked[usize::from(index)] {
            self.lost.push(index);
        }
    }

    /// Queues as many repairs as `expected` says are missing and the way may cost (LNK-41).
    pub fn plan_repairs(&mut self, expected: &Expectation) {
        if self.superseded {
            return;
        }
        let first = self.under_way - self.repairs_under_way + (self.target - self.next);
        let short = self.k as f64 - self.acked_count as f64 - expected.of_first(first);
        if short <= 0.0 {
            return;
        }
        let wanted = expected.to_send(short.ceil() as usize, self.lost.len());
        while self.repairs.len() + self.repairs_under_way < wanted {
            let Some(index) = self.lost.pop() else { return };
            if !self.acked[usize::from(index)] {
                self.repairs.push_back(index);
            }
        }
    }

    /// How it ended, if it has.
    fn outcome(&self, now: MonoTime, reliable: bool) -> Option<Outcome> {
        let answered = self.is_sent() && self.under_way == 0;
        if self.is_confirmed() {
            Some(Outcome::Delivered)
        } else if now >= self.expires {
            Some(Outcome::Expired)
        } else if answered && self.superseded {
            Some(Outcome::Dropped)
        } else if answered && !reliable {
            Some(Outcome::Lost)
        } else {
            None
        }
    }

    /// Finishes its first transmission, but is not repaired any more (LNK-11).
    fn supersede(&mut self) {
        self.superseded = true;
        self.repairs.clear();
    }
}

/// The coded sample behind the last whole slice of the payload: the payload's end, zeros, the length.
fn tail_of(payload: &[u8], coded_bytes: usize, shard_bytes: usize) -> Vec<u8> {
    let whole = payload.len() / shard_bytes * shard_bytes;
    let mut tail = Vec::with_capacity(coded_bytes - whole);
    tail.extend_from_slice(&payload[whole..]);
    tail.resize(coded_bytes - whole - LENGTH_BYTES, 0);
    tail.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    tail
}

fn data_shards<'a>(payload: &'a [u8], tail: &'a [u8], shard_bytes: usize) -> impl Iterator<Item = &'a [u8]> {
    payload.chunks_exact(shard_bytes.max(1)).chain(tail.chunks_exact(shard_bytes.max(1)))
}

/// How samples are cut into packets.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Longest payload of one SAMPLE frame.
    pub whole_bytes: usize,
    /// Bytes of a shard, even.
    pub shard_bytes: usize,
}

impl Cut {
    /// Memory a sample of `payload_bytes` may come to take at either end, all its parity included (LNK-7).
    pub fn most_memory_bytes(&self, payload_bytes: usize) -> usize {
        match payload_bytes <= self.whole_bytes {
            true => whole_cost(payload_bytes),
            false => coded_cost(self.shards(payload_bytes), self.shard_bytes),
        }
    }

    fn shards(&self, payload_bytes: usize) -> usize {
        (payload_bytes + LENGTH_BYTES).div_ceil(self.shard_bytes)
    }

    /// The longest payload of a sample that takes `memory_bytes` at most.
    pub fn most_payload(&self, memory_bytes: usize) -> usize {
        let (mut fits, mut beyond) = (0, memory_bytes + 1);
        while fits + 1 < beyond {
            let middle = fits.midpoint(beyond);
            match self.most_memory_bytes(middle) <= memory_bytes {
                true => fits = middle,
                false => beyond = middle,
            }
        }
        fits
    }
}

/// A publication.
pub struct OutFlow {
    /// Number of the flow.
    pub id: FlowId,
    /// Class of the flow.
    pub class: Class,
    /// Offered QoS.
    pub qos: Qos,
    /// Time between two samples, declared or seen.
    pub period: Option<Duration>,
    period_is_declared: bool,
    /// Samples not settled, in order of sequence number without holes.
    samples: VecDeque<Option<OutSample>>,
    /// What they and those before them may take at the receiver.
    outstanding: Outstanding,
    first_sequence: u32,
    /// Samples a late joiner would get, newest last.
    kept: Kept,
    ledger: Ledger,
    ended: Vec<(u32, Outcome)>,
    last_publish: Option<MonoTime>,
    /// Time its samples have waited for their turn, summed (LNK-51).
    pub waited: Duration,
    /// How often its samples gave way lately, in units of [`STARVED`] (LNK-51).
    pub starved: u32,
    /// A reader wants it.
    pub wanted: bool,
    /// A floor of at least this number is to be told.
    floor_owed: Option<u32>,
}

/// Publishing was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// A sample over the limits of LNK-6.
    #[error("sample of {bytes} bytes is larger than the link takes ({limit} bytes)")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A keep_all flow for whose samples there is no room, here or at the peer (LNK-9).
    #[error(
        "{limit} bytes of samples are not confirmed yet: the flow keeps all samples, and the memory bounds of both ends hold no more"
    )]
    Full {
        /// Bytes that all flows that keep all may have unconfirmed together.
        limit: usize,
    },
    /// A keep_all flow that is too many numbers ahead of its oldest open sample.
    #[error(
        "{limit} samples of the flow are not confirmed yet: it keeps all samples, and the receiver tells no more apart"
    )]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// No such publication.
    #[error("no such publication")]
    UnknownFlow,
}

impl OutFlow {
    /// A flow without samples.
    pub fn new(id: FlowId, class: Class, qos: Qos, period: Option<Duration>) -> Self {
        OutFlow {
            id,
            class,
            qos,
            period,
            period_is_declared: period.is_some(),
            samples: VecDeque::new(),
            outstanding: Outstanding::default(),
            first_sequence: 0,
            kept: Kept::default(),
            ledger: Ledger::default(),
            ended: Vec::new(),
            last_publish: None,
            waited: Duration::ZERO,
            starved: 0,
            wanted: false,
            floor_owed: None,
        }
    }

    /// Sequence number the next sample gets.
    pub fn next_sequence(&self) -> u32 {
        self.first_sequence.wrapping_add(self.samples.len() as u32)
    }

    /// Outcomes so far.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// When something was published last.
    pub fn last_publish(&self) -> Option<MonoTime> {
        self.last_publish
    }

    /// Losses are made good.
    pub fn is_reliable(&self) -> bool {
        self.qos.reliability == Reliability::Reliable
    }

    /// Its samples never give way: publishing is refused instead (LNK-11).
    pub fn keeps_all(&self) -> bool {
        self.qos.history == History::KeepAll
    }

    fn is_ordered(&self) -> bool {
        self.keeps_all() && self.is_reliable()
    }

    /// Samples not settled, oldest first.
    pub fn samples(&self) -> impl Iterator<Item = &OutSample> {
        self.samples.iter().flatten()
    }

    /// Samples not settled, oldest first.
    pub fn samples_mut(&mut self) -> impl Iterator<Item = &mut OutSample> {
        self.samples.iter_mut().flatten()
    }

    /// The sample numbered `sequence`, if it is not settled.
    pub fn get_mut(&mut self, sequence: u32) -> Option<&mut OutSample> {
        let at = sequence.wrapping_sub(self.first_sequence) as usize;
        self.samples.get_mut(at)?.as_mut()
    }

    /// The sample numbered `sequence`, if it is not settled.
    pub fn get(&self, sequence: u32) -> Option<&OutSample> {
        let at = sequence.wrapping_sub(self.first_sequence) as usize;
        self.samples.get(at)?.as_ref()
    }

    /// Samples settled since this was asked last.
    pub fn take_ended(&mut self) -> Vec<(u32, Outcome)> {
        std::mem::take(&mut self.ended)
    }

    /// Takes a sample in; older ones give way to it as the history says.
    pub fn push(&mut self, now: MonoTime, sample: OutSample) {
        self.ledger.offer();
        self.learn_period(now);
        self.outstanding.push(sample.cost);
        self.samples.push_back(Some(sample));
        if let History::KeepLast { depth } = self.qos.history {
            let open = self.samples().count();
            self.give_way(now, open.saturating_sub(depth as usize));
        }
    }

    /// Counts a sample that no reader wants: it is offered and dropped.
    pub fn push_unwanted(&mut self, now: MonoTime) {
        self.ledger.offer();
        self.learn_period(now);
        self.outstanding.push(0);
        self.samples.push_back(None);
        self.end(self.next_sequence().wrapping_sub(1), Outcome::Dropped);
        self.forget_settled();
    }

    fn end(&mut self, sequence: u32, outcome: Outcome) {
        self.ledger.settle(outcome);
        self.ended.push((sequence, outcome));
        if outcome != Outcome::Delivered {
            self.owe_floor_of(sequence.wrapping_add(1));
            if self.is_ordered() && self.wanted {
                self.outstanding.give_up(sequence.wrapping_sub(self.first_sequence) as usize);
            }
        }
    }

    /// Keeps a payload for late joiners, in at most `limit_bytes` with the others.
    pub fn keep(&mut self, now: MonoTime, capture: MonoTime, payload: Bytes, limit_bytes: usize) {
        self.kept.push(now, capture, payload, &self.qos, limit_bytes);
    }

    /// What a reader that joins at `now` gets.
    pub fn kept_for_late_joiner(&self, now: MonoTime) -> Vec<(MonoTime, Bytes)> {
        self.kept.alive(now, &self.qos)
    }

    /// Bytes kept for late joiners.
    pub fn kept_bytes(&self) -> usize {
        self.kept.bytes()
    }

    fn learn_period(&mut self, now: MonoTime) {
        if let (Some(last), false) = (self.last_publish, self.period_is_declared) {
            // After a pause the next sample says nothing of the time between samples.
            let longest = self.period.map_or(Duration::MAX, |period| (period * 8).max(LONGEST_GAP));
            let gap = now.since(last).min(longest);
            self.period = Some(self.period.map_or(gap, |period| (period * 7 + gap) / 8));
        }
        self.last_publish = Some(now);
    }

    /// The oldest `count` open samples give way (LNK-11).
    fn give_way(&mut self, now: MonoTime, count: usize) {
        let oldest: Vec<u32> = self.samples().take(count).map(|sample| sample.id.sequence).collect();
        for sequence in oldest {
            match self.get_mut(sequence) {
                Some(sample) if !sample.is_waiting() => sample.supersede(),
                _ => self.drop_waiting(now, sequence),
            }
        }
    }

    /// All waiting samples but the newest give way (LNK-12).
    pub fn keep_newest(&mut self, now: MonoTime) {
        let newest = self.next_sequence().wrapping_sub(1);
        let waiting: Vec<u32> = self
            .samples()
            .filter(|sample| sample.is_waiting() && sample.id.sequence != newest)
            .map(|sample| sample.id.sequence)
            .collect();
        waiting.into_iter().for_each(|sequence| self.drop_waiting(now, sequence));
    }

    /// A sample that never had its turn still counts as having waited, or the flow would lose every round.
    fn drop_waiting(&mut self, now: MonoTime, sequence: u32) {
        if let Some(sample) = self.get(sequence) {
            self.on_turn(now.since(sample.capture));
            self.starved += STARVED;
        }
        self.settle(sequence, Outcome::Dropped);
    }

    /// One of its samples had its turn after waiting for `waited`.
    pub fn on_turn(&mut self, waited: Duration) {
        self.waited = self.waited * 7 / 8 + waited;
        self.starved = self.starved * 15 / 16;
    }

    /// Settles a sample.
    pub fn settle(&mut self, sequence: u32, outcome: Outcome) {
        let at = sequence.wrapping_sub(self.first_sequence) as usize;
        if self.samples.get_mut(at).and_then(Option::take).is_some() {
            self.end(sequence, outcome);
            self.forget_settled();
        }
    }

    /// Settles what is too old (LNK-2), what will not be repaired any more, and what is confirmed.
    pub fn sweep(&mut self, now: MonoTime) {
        let reliable = self.is_reliable();
        let over: Vec<(u32, Outcome)> = self
            .samples()
            .filter_map(|sample| Some((sample.id.sequence, sample.outcome(now, reliable)?)))
            .collect();
        for (sequence, outcome) in over {
            self.settle(sequence, outcome);
        }
    }

    /// Settles everything as lost: the session is over.
    pub fn close(&mut self) {
        let open: Vec<u32> = self.samples().map(|sample| sample.id.sequence).collect();
        open.into_iter().for_each(|sequence| self.settle(sequence, Outcome::Lost));
    }

    fn forget_settled(&mut self) {
        while self.samples.front().is_some_and(Option::is_none) {
            self.samples.pop_front();
            self.outstanding.pop(self.first_sequence);
            self.first_sequence = self.first_sequence.wrapping_add(1);
        }
    }

    /// Bytes the receiver may come to hold of this flow (LNK-9).
    pub fn outstanding_bytes(&self) -> usize {
        self.outstanding.bytes()
    }

    /// Numbers from the oldest the receiver may hold on.
    pub fn open_numbers(&self) -> usize {
        self.outstanding.numbers()
    }

    /// The receiver knows that nothing below `floor` comes.
    pub fn on_floor_confirmed(&mut self, floor: u32) {
        self.outstanding.on_floor_confirmed(floor);
    }

    /// Whether a reader wants it. Gives what was so before.
    pub fn set_wanted(&mut self, wanted: bool) -> bool {
        if !wanted {
            self.outstanding.on_unwanted();
        }
        std::mem::replace(&mut self.wanted, wanted)
    }

    /// When the next sample expires.
    pub fn next_expiry(&self) -> MonoTime {
        self.samples().map(|sample| sample.expires).min().unwrap_or(MonoTime::MAX)
    }

    /// The lowest sequence number that may still come (LNK-24), when a reader that waits for order must be told: it
    /// joined, or a sample ended without having been delivered.
    pub fn take_floor(&mut self) -> Option<TraceId> {
        let is_ordered = self.is_ordered();
        let reached = self.first_sequence;
        self.floor_owed
            .take_if(|owed| is_ordered && self.wanted && (reached.wrapping_sub(*owed) as i32) >= 0)?;
        Some(TraceId { flow: self.id, sequence: reached })
    }

    /// A reader joined, or a floor was lost on the way: tell it.
    pub fn owe_floor(&mut self) {
        self.owe_floor_of(self.first_sequence);
    }

    /// Numbers wrap: of two floors the later one counts.
    fn owe_floor_of(&mut self, floor: u32) {
        let is_later = |owed: u32| (floor.wrapping_sub(owed) as i32) > 0;
        if self.floor_owed.is_none_or(is_later) {
            self.floor_owed = Some(floor);
        }
    }
}
