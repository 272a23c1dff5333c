//! [`Path`]: wires policer, bottleneck, loss and delay line of one direction together, and keeps its ledger.
use core::cmp::Ordering;
use core::time::Duration;
use std::collections::BinaryHeap;

use tokkyu_contract::time::MonoTime;

use super::bottleneck::Bottleneck;
use super::chance::{Chance, Verdict};
use super::counters::Counters;
use super::loss::Taken;
use super::policer::Bucket;
use super::profile::{DirectionProfile, Outage};

/// One direction of a network: packets go in with [`offer`](Path::offer) and come out with [`take_due`](Path::take_due).
///
/// `P` is whatever stands for a packet; it is cloned only when the profile duplicates.
pub struct Path<P> {
    start: MonoTime,
    chance: Chance,
    outages: Vec<Outage>,
    policer: Option<Bucket>,
    bottleneck: Bottleneck,
    delay: Duration,
    /// Exit of the last packet that kept its place: no later one may leave before it.
    last_exit: MonoTime,
    under_way: BinaryHeap<UnderWay<P>>,
    /// Offers and copies so far; breaks ties so that packets due at one time leave in the order offered.
    sequence: u64,
    counters: Counters,
}

/// What became of a packet when it was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It will come out `copies` times (1, or 2 when duplicated).
    Carried {
        /// How often.
        copies: u8,
    },
    /// It will not come out; the counters say why.
    Gone,
}

/// A packet at the far end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due<P> {
    /// When the model lets it out: the caller's clock minus this is the caller's own lateness.
    pub at: MonoTime,
    /// The packet.
    pub packet: P,
    /// Its frame bytes as offered.
    pub frame_bytes: usize,
    /// The bit of the frame to flip (bit 0 is the lowest of byte 0), always beyond
    /// [`HEADER_BYTES`](super::HEADER_BYTES). A checksum over the payload then fails: the receiving kernel drops such
    /// a UDP packet unless the caller mends its checksum.
    pub corrupt_bit: Option<u64>,
}

struct UnderWay<P> {
    sequence: u64,
    due: Due<P>,
}

impl<P> Path<P> {
    /// A path whose schedules and trace count from [`MonoTime::ZERO`], as in virtual time.
    pub fn new(profile: &DirectionProfile, seed: u64) -> Self {
        Path::starting_at(profile, seed, MonoTime::ZERO)
    }

    /// A path whose schedules and trace count from `start`.
    pub fn starting_at(profile: &DirectionProfile, seed: u64, start: MonoTime) -> Self {
        Path {
            start,
            chance: Chance::new(profile, seed),
            outages: profile.outages.clone(),
            policer: profile.policer.map(Bucket::new),
            bottleneck: Bottleneck::new(&profile.capacity, profile.queue_bytes),
            delay: profile.delay,
            last_exit: MonoTime::ZERO,
            under_way: BinaryHeap::new(),
            sequence: 0,
            counters: Counters::default(),
        }
    }

    /// Puts a frame of `frame_bytes` (Ethernet header and IP packet, no preamble, no checksum) on the path at `now`.
    /// Times must not decrease from call to call.
    pub fn offer(&mut self, now: MonoTime, frame_bytes: usize, packet: P) -> Fate
    where
        P: Clone,
    {
        let bytes = frame_bytes as u64;
        self.counters.offered += 1;
        self.counters.offered_bytes += bytes;
        self.counters.largest_frame_bytes = self.counters.largest_frame_bytes.max(bytes);
        let verdict = self.chance.next(bytes);
        let Some(through_ps) = self.cross(now, bytes, &verdict) else {
            return Fate::Gone;
        };
        self.send_on(through_ps, verdict, frame_bytes, packet)
    }

    /// When the next packet comes out, if any is under way.
    pub fn next_due(&self) -> Option<MonoTime> {
        self.under_way.peek().map(|next| next.due.at)
    }

    /// Takes the next packet that is out by `now`, in order of exit.
    pub fn take_due(&mut self, now: MonoTime) -> Option<Due<P>> {
        if self.next_due()? > now {
            return None;
        }
        let due = self.under_way.pop()?.due;
        self.counters.delivered += 1;
        self.counters.delivered_bytes += due.frame_bytes as u64;
        Some(due)
    }

    /// The ledger so far.
    pub fn counters(&self) -> Counters {
        Counters { queue_high_water_bytes: self.bottleneck.high_water_bytes(), ..self.counters }
    }

    /// Everything up to the delay line: when the last bit has left the bottleneck, or `None` with the loss counted.
    fn cross(&mut self, now: MonoTime, bytes: u64, verdict: &Verdict) -> Option<u64> {
        let since_start = now.since(self.start);
        if self.is_out(since_start, bytes) {
            self.counters.lost_outage += 1;
            return None;
        }
        if self.policer.as_mut().is_some_and(|bucket| !bucket.admits(since_start, bytes)) {
            self.counters.policed += 1;
            return None;
        }
        let Some(through_ps) = self.bottleneck.pass(ps_of(since_start), bytes) else {
            self.counters.tail_dropped += 1;
            return None;
        };
        if self.is_out(span_of(through_ps), bytes) {
            self.counters.lost_outage += 1;
            return None;
        }
        match verdict.taken {
            None => return Some(through_ps),
            Some(Taken::Random) => self.counters.lost_random += 1,
            Some(Taken::Burst) => self.counters.lost_burst += 1,
        }
        None
    }

    fn send_on(&mut self, through_ps: u64, verdict: Verdict, frame_bytes: usize, packet: P) -> Fate
    where
        P: Clone,
    {
        let at = self.exit_time(through_ps, &verdict);
        self.counters.corrupted += u64::from(verdict.corrupt_bit.is_some());
        let due = Due { at, packet, frame_bytes, corrupt_bit: verdict.corrupt_bit };
        if !verdict.duplicate {
            self.enter(due);
            return Fate::Carried { copies: 1 };
        }
        self.counters.duplicated += 1;
        self.enter(due.clone());
        self.enter(due);
        Fate::Carried { copies: 2 }
    }

    fn exit_time(&mut self, through_ps: u64, verdict: &Verdict) -> MonoTime {
        if through_ps == u64::MAX {
            return MonoTime::MAX;
        }
        let undisturbed = self.start + span_of(through_ps) + self.delay;
        let in_order = undisturbed.offset(verdict.jitter_ns).max(self.last_exit);
        match verdict.held_back {
            None => {
                self.last_exit = in_order;
                in_order
            }
            Some(extra) => {
                self.counters.reordered += 1;
                in_order + extra
            }
        }
    }

    fn enter(&mut self, due: Due<P>) {
        self.under_way.push(UnderWay { sequence: self.sequence, due });
        self.sequence += 1;
    }

    fn is_out(&self, since_start: Duration, frame_bytes: u64) -> bool {
        self.outages.iter().any(|outage| outage.covers(since_start, frame_bytes))
    }
}

/// Picoseconds of a span; saturates after 213 days.
pub(super) fn ps_of(span: Duration) -> u64 {
    u64::try_from(span.as_nanos().saturating_mul(1_000)).unwrap_or(u64::MAX)
}

/// The span of picoseconds, rounded up to whole nanoseconds.
fn span_of(ps: u64) -> Duration {
    Duration::from_nanos(ps.div_ceil(1_000))
}

impl<P> UnderWay<P> {
    fn key(&self) -> (MonoTime, u64) {
        (self.due.at, self.sequence)
    }
}

/// Reversed, because [`BinaryHeap`] gives its greatest first and the earliest must come out.
impl<P> Ord for UnderWay<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<P> PartialOrd for UnderWay<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for UnderWay<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<P> Eq for UnderWay<P> {}
