//! A sample on its way out: how it is cut into packets, and what it still needs.
//!
//! ```text
//!            first packet            all first packets          k shards acknowledged
//!  Waiting ───────────────► Begun ──────────────────► Sent ─────────────────────────► settled delivered
//!     │  gives way (LNK-11, LNK-12)   │ lifespan over (LNK-2)      │
//!     └──► settled dropped            └──► settled expired ◄───────┘      session closed ──► settled lost
//! ```

use super::fec::{Codec, parity_shards};
use super::memory::{SAMPLE_BYTES, SHARD_BYTES, coded_cost, whole_cost};
use super::parity::Expectation;
use super::path::PathId;
use crate::wire::{Frame, HEADER_LEN};
use bytes::Bytes;
use std::collections::VecDeque;
use tokkyu_contract::{MonoTime, Outcome, TraceId};

/// Most data shards of a sample (LNK-6).
pub const MAX_SHARDS: usize = 16_384;
/// The length of a coded sample's payload, its last four bytes (LNK-21).
pub const LENGTH_BYTES: usize = 4;

/// Repairs of a sample beyond twice its data, when nothing of it is answered (LNK-45).
const SPARE_REPAIRS: usize = 32;
/// Further ones for each of its shards that was answered.
const REPAIRS_EACH_ANSWER: usize = 4;

/// Whether a shard is sent for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// For the first time.
    First,
    /// It was lost before.
    Again,
}

/// What of a sample is to be sent, the more urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToSend {
    /// A shard again.
    Repairs,
    /// The rest of it.
    Rest,
    /// All of it.
    Waiting,
    /// Nothing.
    Nothing,
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
    /// The path that it goes on (LNK-92).
    path: PathId,
    /// Counts its stays on paths: what is learned of packets of an earlier one is not of this (LNK-93).
    stay: u8,
    /// Other paths that a copy of it was sent on, a bit for each (LNK-91).
    copied: u8,
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
    /// Repairs queued so far, and since when they are counted.
    repaired: usize,
    repaired_since: Option<MonoTime>,
    superseded: bool,
    /// Shards it may have in all.
    limit: usize,
    topped_up: bool,
    /// The most it takes here or at the receiver (LNK-7).
    pub(super) cost: usize,
}

impl OutSample {
    /// A sample, cut as `cut` says.
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
            path: cut.path,
            stay: 0,
            copied: 0,
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
            repaired: 0,
            repaired_since: None,
            superseded: false,
            limit: k,
            topped_up: false,
            cost,
        }
    }

    /// The path that it goes on; elsewhere go copies.
    pub fn path(&self) -> PathId {
        self.path
    }

    /// Which of its stays on paths this is.
    pub fn stay(&self) -> u8 {
        self.stay
    }

    /// Its turn on `path` was: there as a copy, or where it goes.
    pub fn was_sent_on(&self, path: PathId) -> bool {
        if path == self.path { self.is_sent() } else { self.copied & path.bit() != 0 }
    }

    /// A copy of it was sent on `path`.
    pub fn on_copied(&mut self, path: PathId) {
        self.copied |= path.bit();
    }

    /// It goes on `path` from now on: what was sent of it elsewhere and is not acknowledged counts as lost (LNK-93).
    pub fn move_to(&mut self, path: PathId) {
        (self.path, self.stay) = (path, self.stay.wrapping_add(1));
        self.lost = (0..self.next as u16).filter(|index| !self.acked[usize::from(*index)]).collect();
        self.repairs.clear();
        (self.under_way, self.repairs_under_way, self.repaired, self.repaired_since) = (0, 0, 0, None);
    }

    /// Travels in one SAMPLE frame.
    pub fn is_whole(&self) -> bool {
        self.k == 1
    }

    /// Its packets are longer than `cut` makes them.
    pub fn is_longer_than(&self, cut: Cut) -> bool {
        self.shard_bytes > if self.is_whole() { cut.whole_bytes } else { cut.shard_bytes }
    }

    /// The same sample in shorter packets, as if nothing of it had been sent (LNK-87). None when they would be too many.
    pub fn cut_anew(&self, cut: Cut) -> Option<OutSample> {
        let fits = self.payload.len() <= cut.whole_bytes || cut.shards(self.payload.len()) <= MAX_SHARDS;
        let anew = || OutSample::new(self.id, self.capture, self.expires, self.payload.clone(), cut);
        fits.then(|| OutSample { stay: self.stay.wrapping_add(1), ..anew() })
    }

    /// Gave way to a newer one: it is not repaired any more.
    pub fn is_superseded(&self) -> bool {
        self.superseded
    }

    /// What was sent of it may be sent once more: nothing was, or its flow is reliable and it gave way to none.
    pub fn may_begin_anew(&self, is_reliable: bool) -> bool {
        self.is_waiting() || is_reliable && !self.superseded
    }

    /// Bytes of each of its shards: what is known of one of other shards is not of this cut (LNK-87).
    pub fn shard_bytes(&self) -> usize {
        self.shard_bytes
    }

    /// What of it is to be sent next.
    pub fn to_send(&self) -> ToSend {
        if !self.repairs.is_empty() {
            ToSend::Repairs
        } else if self.next == 0 {
            ToSend::Waiting
        } else if self.next < self.target {
            ToSend::Rest
        } else {
            ToSend::Nothing
        }
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

    /// First sendings still to do, in bytes.
    pub fn unsent_bytes(&self) -> usize {
        (self.target - self.next.min(self.target)) * self.shard_bytes
    }

    /// The payload of a whole sample.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Bytes of all its packets on the wire, parity left out, where each has `around` bytes around what it carries. A
    /// small picture takes much more than its payload: its shards are all of the same size.
    pub fn wire_bytes(&self, around: usize) -> usize {
        self.k * (self.shard_bytes + around)
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
    pub fn take_shard(&mut self) -> Option<(u16, Sending)> {
        if let Some(index) = self.repairs.pop_front() {
            return Some((index, Sending::Again));
        }
        if self.next < self.target {
            self.next += 1;
            return Some((self.next as u16 - 1, Sending::First));
        }
        None
    }

    /// The bytes of shard `index`; parity is computed when the first of it is wanted. None if it cannot be coded.
    pub fn shard(&mut self, index: u16, codec: &mut Codec) -> Option<&[u8]> {
        let index = usize::from(index);
        if index < self.k {
            let at = index * self.shard_bytes;
            let whole = self.coded_bytes() - self.tail.len();
            return match at < whole {
                true => self.payload.get(at..at + self.shard_bytes),
                false => self.tail.get(at - whole..at - whole + self.shard_bytes),
            };
        }
        if self.parity.is_empty() {
            let data = data_shards(&self.payload, &self.tail, self.shard_bytes);
            self.parity = codec.encode(self.k, self.shard_bytes, data, self.limit - self.k).ok()?;
        }
        let at = (index - self.k) * self.shard_bytes;
        self.parity.get(at..at + self.shard_bytes)
    }

    /// A packet with one of its shards is on its way.
    pub fn on_sent(&mut self, sending: Sending) {
        self.under_way += 1;
        self.repairs_under_way += usize::from(sending == Sending::Again);
    }

    /// Of all data shards, the payload's end, zeros and length included.
    fn coded_bytes(&self) -> usize {
        self.k * self.shard_bytes
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

    /// Queues as many repairs as `expected` says are missing and the way may cost (LNK-41), within LNK-45.
    pub fn plan_repairs(&mut self, now: MonoTime, expected: &Expectation) {
        if self.superseded {
            return;
        }
        let first = self.under_way.saturating_sub(self.repairs_under_way) + (self.target - self.next);
        let short = self.k as f64 - self.acked_count as f64 - expected.of_first(first);
        if short <= 0.0 {
            return;
        }
        let wanted = expected.to_send(short.ceil() as usize, self.lost.len());
        let most = self.most_repairs(now);
        while self.repairs.len() + self.repairs_under_way < wanted && self.repaired < most {
            let Some(index) = self.lost.pop() else { return };
            if !self.acked[usize::from(index)] {
                self.repairs.push_back(index);
                self.repaired += 1;
            }
        }
    }

    /// Repairs it may have had by `now` (LNK-45): plenty for any path that carries some of it, and for one that carries
    /// none as many a second as it has data.
    fn most_repairs(&mut self, now: MonoTime) -> usize {
        let since = *self.repaired_since.get_or_insert(now);
        let each_second = (now.since(since).as_secs_f64() * self.k as f64) as usize;
        2 * self.k + SPARE_REPAIRS + REPAIRS_EACH_ANSWER * self.acked_count + each_second
    }

    /// How it ended, if it has.
    pub(super) fn outcome(&self, now: MonoTime, reliable: bool) -> Option<Outcome> {
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
    pub(super) fn supersede(&mut self) {
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
    /// For the packets of this path.
    path: PathId,
    /// Longest payload of one SAMPLE frame.
    pub whole_bytes: usize,
    /// Bytes of a shard, even.
    pub shard_bytes: usize,
    /// The longest payload of one frame, and bytes of a shard, that it may come to be cut for later (LNK-87).
    least: (usize, usize),
}

impl Cut {
    /// For datagrams of `bytes` on `path`, of `least` if that takes no longer ones or another path takes its place.
    pub fn of(path: PathId, bytes: usize, least: usize) -> Cut {
        let of = |bytes: usize| {
            let room = bytes - HEADER_LEN;
            // Even: the code works on 16-bit symbols.
            (room - Frame::SAMPLE_OVERHEAD, (room - Frame::FRAGMENT_OVERHEAD) & !1)
        };
        let (whole_bytes, shard_bytes) = of(bytes);
        Cut { path, whole_bytes, shard_bytes, least: of(least) }
    }

    /// The path whose packets it is for.
    pub fn path(&self) -> PathId {
        self.path
    }

    /// Memory a sample of `payload_bytes` may come to take at either end, all its parity included (LNK-7).
    pub fn memory_bytes(&self, payload_bytes: usize) -> usize {
        match payload_bytes <= self.whole_bytes {
            true => whole_cost(payload_bytes),
            false => coded_cost(self.shards(payload_bytes), self.shard_bytes),
        }
    }

    /// The same, however it may come to be cut (LNK-87).
    pub fn most_memory_bytes(&self, payload_bytes: usize) -> usize {
        let now = self.memory_bytes(payload_bytes);
        if payload_bytes <= self.least.0 { now } else { now.max(self.most_cut_anew(payload_bytes)) }
    }

    /// In shards that may be as short as the least: no more in all than the payload and one shard, and of parity no more
    /// shards than there are of the least nor longer ones than these.
    fn most_cut_anew(&self, payload_bytes: usize) -> usize {
        let k = (payload_bytes + LENGTH_BYTES).div_ceil(self.least.1);
        if self.least.1 >= self.shard_bytes || k > MAX_SHARDS {
            return 0; // it never is
        }
        let data = payload_bytes + LENGTH_BYTES + self.shard_bytes + k * SHARD_BYTES;
        data + (parity_shards(k) + 1) * (self.shard_bytes + SHARD_BYTES) + SAMPLE_BYTES
    }

    fn shards(&self, payload_bytes: usize) -> usize {
        (payload_bytes + LENGTH_BYTES).div_ceil(self.shard_bytes)
    }
}

/// The longest payload of a sample that takes `memory_bytes` at most, where one `counts` so much.
pub fn most_payload(memory_bytes: usize, counts: impl Fn(usize) -> usize) -> usize {
    let (mut fits, mut beyond) = (0, memory_bytes + 1);
    while fits + 1 < beyond {
        let middle = fits.midpoint(beyond);
        match counts(middle) <= memory_bytes {
            true => fits = middle,
            false => beyond = middle,
        }
    }
    fits
}
