//! How fast the path carries us: read from the spacing of the packets of a burst (LNK-61 to LNK-65).
//!
//! A burst is sent at a known spacing; where it arrives more widely spaced the bottleneck spaced it, and bytes received
//! over time is the capacity it gave us. One-way delay, less that of the burst's first packet, is the queue we built.
//! Both use the receiver's stamps against each other only, so no clocks need to agree.
//!
//! ```text
//!    three saturated samples (a stretched one is two)       path silent
//!  Startup ───────────────────────────► Steady ───────────────────────► (rate halved) Startup
//!     ▲  grows to 1.5 × each sample        │ aims at a queue of a twentieth
//!     └────────────────────────────────────┘ on_path_back
//! ```

use super::arrivals::{Arrivals, Window};
use super::contest::Contest;
use super::loss::OwnLoss;
use super::mark::{LONGEST_SAMPLE, Mark};
use super::probe::{GAIN as PROBE_GAIN, Probe};
use super::rtt::WindowedMin;
use super::window::queue_let_stand;
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// What a first sample that shows more than it hides is grown by.
const STARTUP_GAIN: f64 = 1.5;
/// Packets of the start-up train (LNK-64).
pub const TRAIN: u32 = 48;
/// A shorter one gives no sample of the capacity.
const SHORTEST_TRAIN: u32 = 4;
/// Every so many packets of it ask for feedback.
const TRAIN_PART: u32 = 16;
/// Received more slowly than sent by this: saturated.
const SATURATED: f64 = 1.02;
/// Samples older than this are forgotten while the queue is short.
const MEMORY: Duration = Duration::from_secs(1);
/// A round trip shorter than this does not make the queue bounds tighter: receivers' clocks tick and wake in bursts.
const SHORTEST_SCALE: Duration = Duration::from_millis(2);
/// Never slower: keeps the estimate able to grow again.
const MIN_BPS: f64 = 64e3;
const START_BPS: f64 = 20e6;
/// The smallest rate that can be declared (CON-24): a rate of nothing would divide by zero.
const LEAST_GRANT_BPS: f64 = 1.0;
/// The base of a burst's one-way delay is taken from feedback on its first packets.
const BURST_HEAD: u32 = 24;
/// Flows that gave way count as wanting more for this long.
const HUNGER: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Startup { saturated: u32 },
    Steady,
}

/// We have backed off because of a queue.
#[derive(Clone, Copy, Debug)]
struct Draining {
    since: MonoTime,
    /// Least one-way delay since.
    least: i64,
}

#[derive(Clone, Copy, Debug, Default)]
struct BurstBase {
    burst: u32,
    one_way_nanos: i64,
}

/// One sample of the capacity.
#[derive(Clone, Copy, Debug)]
struct Sample {
    bps: f64,
    saturated: bool,
    /// Came at less than half the rate it was sent at, as a train does: no chance.
    stretched: bool,
}

/// Estimate of the rate the path carries.
pub struct RateEstimator {
    max_bps: f64,
    overhead_bytes: usize,
    rate_bps: f64,
    phase: Phase,
    train_left: u32,
    /// Paced packets were sent since the path came back last.
    is_used: bool,
    anchor: Option<Mark>,
    samples: VecDeque<(MonoTime, f64)>,
    least_one_way: WindowedMin,
    base: Option<BurstBase>,
    draining: Option<Draining>,
    hungry_until: MonoTime,
    probe: Probe,
    contest: Contest,
    /// Capacity as of the samples remembered.
    capacity_bps: f64,
    recent_queues: VecDeque<(MonoTime, i64)>,
    arrivals: Arrivals,
    /// Mean difference of one-way delay from feedback to feedback.
    jitter: Duration,
    last_mark: Option<(u32, i64)>,
    own_queue: Duration,
    foreign_queue: Duration,
}

impl RateEstimator {
    /// `max_bps` bounds the rate for ever; `overhead_bytes` is what a datagram takes on the wire beyond its size.
    pub fn new(max_bps: f64, overhead_bytes: usize) -> Self {
        let max_bps = max_bps.max(LEAST_GRANT_BPS); // no number becomes one, too
        RateEstimator {
            max_bps,
            overhead_bytes,
            rate_bps: START_BPS.min(max_bps),
            phase: Phase::Startup { saturated: 0 },
            train_left: Self::train(max_bps),
            is_used: false,
            anchor: None,
            samples: VecDeque::new(),
            least_one_way: WindowedMin::default(),
            base: None,
            draining: None,
            hungry_until: MonoTime::ZERO,
            probe: Probe::default(),
            contest: Contest::default(),
            capacity_bps: 0.0,
            recent_queues: VecDeque::new(),
            arrivals: Arrivals::default(),
            jitter: Duration::ZERO,
            last_mark: None,
            own_queue: Duration::ZERO,
            foreign_queue: Duration::ZERO,
        }
    }

    /// A train longer than a tenth of a second at the permitted rate would be a queue, not a measurement. Where that
    /// leaves too few packets to measure with there is none: on a slow grant it would be seconds of it, or hours (LNK-75).
    fn train(max_bps: f64) -> u32 {
        let packets = (max_bps / 8.0 / 10.0 / 1500.0) as u32;
        if packets < SHORTEST_TRAIN { 0 } else { packets.min(TRAIN) }
    }

    /// Rate paced packets go at, bit/s on the wire. Unbounded while the train lasts.
    pub fn pacing_bps(&self) -> f64 {
        if self.train_left > 0 { self.max_bps.max(10e9) } else { self.rate_bps }
    }

    /// Whether the next paced packet asks for feedback at once: some of the train do, so that one lost tells no less.
    pub fn wants_answer(&self) -> bool {
        self.train_left % TRAIN_PART == 1
    }

    /// Rate the path is thought to carry, bit/s on the wire.
    pub fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// True until the capacity was seen.
    pub fn is_starting(&self) -> bool {
        self.phase != Phase::Steady
    }

    /// Nothing was ever seen of the capacity.
    pub fn is_unseen(&self) -> bool {
        self.capacity_bps == 0.0
    }

    /// Queue that our burst built, as of the last feedback.
    pub fn own_queue(&self) -> Duration {
        self.own_queue
    }

    /// Queue that stood before our burst began: somebody else's.
    pub fn foreign_queue(&self) -> Duration {
        self.foreign_queue
    }

    /// Rate at which the path is known to carry: not that of a probe for more.
    pub fn known_bps(&self) -> f64 {
        let known = match self.phase {
            // The rate to begin with is a guess: what the first packets show bounds what may be under way.
            Phase::Startup { saturated: 1.. } => self.rate_bps.min(self.capacity_bps * STARTUP_GAIN),
            Phase::Startup { saturated: 0 } => self.rate_bps,
            Phase::Steady if self.contest.is_on() => self.contest.most_delivered(),
            Phase::Steady => self.capacity_bps,
        };
        self.permitted(known)
    }

    /// `bps` within the bounds. What is granted bounds it in any case, also where it is less than our own least:
    /// `clamp` panics there (LNK-75).
    fn permitted(&self, bps: f64) -> f64 {
        bps.max(MIN_BPS).min(self.max_bps)
    }

    /// Mean difference of one-way delay from feedback to feedback.
    pub fn jitter(&self) -> Duration {
        self.jitter
    }

    /// Whether losses now are the path's own and not our queue's (LNK-62).
    pub fn is_calm(&self, min_rtt: Duration) -> bool {
        self.own_queue < scale(min_rtt) * 3 / 20
    }

    /// A paced packet was sent.
    pub fn on_sent(&mut self) {
        self.train_left = self.train_left.saturating_sub(1);
        self.is_used = true;
    }

    /// Feedback on the packet of `mark`; `own_loss` is the path's own loss, `gap` the pause before its burst.
    pub fn on_feedback(&mut self, now: MonoTime, mark: Mark, rtt: Rtt, own_loss: OwnLoss, gap: Duration) {
        self.update_queue(now, &mark, rtt, gap);
        self.contest.on_mark(now, &mark, rtt.smoothed, self.overhead_bytes);
        let Some(sample) = self.sample(mark, own_loss, rtt.min) else { return };
        self.remember(now, sample, rtt);
        match self.phase {
            Phase::Startup { saturated } => self.grow(sample, saturated),
            Phase::Steady => self.steer(now, rtt),
        }
    }

    /// Measures the path anew, as nothing went on it for long (LNK-94). Until that is seen the rate is what it was.
    pub fn on_trial(&mut self) {
        self.is_used = false;
        self.on_path_back();
    }

    /// Whether packets of a train are left to send.
    pub fn has_train(&self) -> bool {
        self.train_left > 0
    }

    /// The path answers again after a silence (LNK-65). A rate that nothing was sent at is not too high.
    pub fn on_path_back(&mut self) {
        let part = if std::mem::take(&mut self.is_used) { 0.5 } else { 1.0 };
        self.rate_bps = self.permitted(self.rate_bps * part);
        self.phase = Phase::Startup { saturated: 0 };
        self.train_left = Self::train(self.max_bps).min((self.rate_bps / 8.0 / 20.0 / 1500.0) as u32);
        self.samples.clear();
        self.anchor = None;
        self.base = None;
    }

    /// A clock jumped (LNK-4): one-way delays from before it tell nothing of queues after it.
    pub fn on_clock_jump(&mut self) {
        self.least_one_way = WindowedMin::default();
        self.recent_queues.clear();
        (self.base, self.draining, self.last_mark) = (None, None, None);
        (self.own_queue, self.foreign_queue) = (Duration::ZERO, Duration::ZERO);
    }

    /// Long packets pass again (LNK-70): what was learned since they did not is void, the rate before it was known.
    pub fn on_hole_over(&mut self, before_bps: f64) {
        self.rate_bps = before_bps;
        self.capacity_bps = before_bps;
        self.arrivals = Arrivals::default();
        self.recent_queues.clear();
        self.own_queue = Duration::ZERO;
        self.is_used = true;
        self.on_path_back();
    }

    fn update_queue(&mut self, now: MonoTime, mark: &Mark, rtt: Rtt, gap: Duration) {
        self.least_one_way.add(now, mark.one_way_nanos);
        let least = self.least_one_way.get().unwrap_or(mark.one_way_nanos);
        let is_new = self.base.is_none_or(|base| base.burst != mark.burst);
        // What our last burst queued must have drained, or we would call our own queue somebody else's.
        if is_new && mark.in_burst < BURST_HEAD && gap > self.own_queue {
            let most = least.saturating_add(scale(rtt.min).as_nanos() as i64);
            self.base = Some(BurstBase { burst: mark.burst, one_way_nanos: mark.one_way_nanos.min(most) });
        }
        let standing = self.standing(now, mark.one_way_nanos, rtt);
        self.rebase(now, mark.burst, standing, least, rtt);
        let base = match self.contest.is_on() {
            true => standing.min(least.saturating_add(most_foreign(rtt.min))).max(least),
            false => self.base.map_or(least, |base| base.one_way_nanos.max(least)),
        };
        self.own_queue = nanos(standing - base);
        self.contest.on_queue(now, nanos(standing - least) > queue_let_stand(rtt.min));
        let moved = self.last_mark.filter(|(burst, _)| *burst == mark.burst);
        if let Some((_, last)) = moved {
            self.jitter = (self.jitter * 15 + Duration::from_nanos(last.abs_diff(mark.one_way_nanos))) / 16;
        }
        self.last_mark = Some((mark.burst, mark.one_way_nanos));
        self.foreign_queue = nanos(base - least);
    }

    /// A queue that does not drain although we sent at 85 % or less for three round trips is not ours: from then on it
    /// counts as the burst's base. At most one round trip of it, or two such senders would fill any queue.
    fn rebase(&mut self, now: MonoTime, burst: u32, standing: i64, least: i64, rtt: Rtt) {
        if let Some(base) = self.base.as_mut().filter(|base| standing < base.one_way_nanos) {
            base.one_way_nanos = standing;
        }
        if self.own_queue <= scale(rtt.min) / 4 {
            self.draining = None;
            return;
        }
        let is_hungry = self.is_hungry(now);
        let draining = self.draining.get_or_insert(Draining { since: now, least: standing });
        draining.least = draining.least.min(standing);
        if now.since(draining.since) > rtt.smoothed * 3 {
            let most = least.saturating_add(scale(rtt.min).as_nanos() as i64);
            self.base = Some(BurstBase { burst, one_way_nanos: draining.least.min(most) });
            if is_hungry && nanos(draining.least - least) > queue_let_stand(rtt.min) {
                self.contest.on_foreign_queue(now);
            }
            self.draining = None;
        }
    }

    /// The least one-way delay of the last quarter round trip: a queue stands, jitter does not.
    fn standing(&mut self, now: MonoTime, one_way_nanos: i64, rtt: Rtt) -> i64 {
        self.recent_queues.push_back((now, one_way_nanos));
        let memory = (rtt.smoothed / 4).max(Duration::from_millis(1)).max(self.jitter * 2);
        while self.recent_queues.front().is_some_and(|(at, _)| now.since(*at) > memory) {
            self.recent_queues.pop_front();
        }
        self.recent_queues.iter().map(|(_, delay)| *delay).min().unwrap_or(one_way_nanos)
    }

    /// Compares the spacing since the anchor, if both are of one burst and far enough apart.
    fn sample(&mut self, mark: Mark, own_loss: OwnLoss, min_rtt: Duration) -> Option<Sample> {
        let is_busy = self.anchor.is_some_and(|anchor| self.never_idled(&anchor, &mark));
        let Some(anchor) = self.anchor.filter(|anchor| is_busy || anchor.burst == mark.burst) else {
            self.anchor = Some(mark);
            return None;
        };
        if mark.number <= anchor.number {
            return None;
        }
        let (packets, least_s) = if self.is_starting() { (TRAIN_PART.into(), 0.5e-3) } else { (64, 1.5e-3) };
        let count = mark.number - anchor.number;
        let received_s = f64::from(mark.received_us.wrapping_sub(anchor.received_us)) * 1e-6;
        // Jitter at the ends of the interval must not be most of it.
        let least_s = self.jitter.as_secs_f64().mul_add(4.0, least_s);
        // On a slow path a few packets take long enough.
        let enough = count >= packets || count >= 4 && received_s >= 0.02;
        if received_s >= LONGEST_SAMPLE.as_secs_f64() {
            self.anchor = Some(mark); // a standstill says nothing of the rate, and must not end the measuring
            return None;
        }
        if !enough || received_s < least_s {
            return None;
        }
        self.anchor = Some(mark);
        let sent_s = mark.sent_at.since(anchor.sent_at).as_secs_f64().max(1e-9);
        let sent_bytes = mark.bytes_sent - anchor.bytes_sent;
        let bits = 8.0 * (sent_bytes + count * self.overhead_bytes as u64) as f64;
        let bytes_received = mark.bytes_received.wrapping_sub(anchor.bytes_received);
        let span = Duration::from_secs_f64(received_s);
        self.arrivals.add(Window { packets: count, sent_bytes, received_bytes: bytes_received.into(), span });
        if self.arrivals.is_mostly_lost() {
            // The few that come do so as they were sent, at any rate; behind a queue they come as it lets them out.
            let delivered =
                bits / received_s * (f64::from(bytes_received) / sent_bytes.max(1) as f64).min(1.0);
            let is_queued = self.own_queue + self.foreign_queue > scale(min_rtt) / 4;
            return is_queued.then_some(Sample { bps: delivered, saturated: true, stretched: true });
        }
        // The spacing, less what a policer or a queue that overflows took: a queue that drops must not look fast.
        let capacity = bits / received_s * self.arrivals.carried(own_loss);
        let saturated = is_busy || received_s > sent_s * SATURATED || capacity * SATURATED < bits / sent_s;
        let bps = if saturated { capacity } else { capacity.min(bits / sent_s) };
        Some(Sample { bps, saturated, stretched: received_s > sent_s * 2.0 })
    }

    /// The queue before the packet of `anchor` outlasted the pause until that of `mark` was sent: whatever bursts they
    /// belong to, the path carried all the time. On a thin path a burst of a few small packets shows nothing else.
    fn never_idled(&self, anchor: &Mark, mark: &Mark) -> bool {
        let least = self.least_one_way.get().unwrap_or(anchor.one_way_nanos);
        let base = self.base.map_or(least, |base| base.one_way_nanos.max(least));
        nanos(anchor.one_way_nanos - base) > mark.sent_at.since(anchor.sent_at) + self.jitter * 4
    }

    /// A saturated sample shows the capacity, any other only that it is no less.
    fn remember(&mut self, now: MonoTime, sample: Sample, rtt: Rtt) {
        if !sample.saturated && sample.bps > self.capacity_bps {
            // It was carried: what was thought before is outdated, not another opinion.
            self.samples.clear();
        }
        let shown = if sample.saturated { sample.bps } else { sample.bps.max(self.capacity_bps) };
        self.samples.push_back((now, shown));
        // With a long queue the old samples are the wrong ones.
        let keep = if self.own_queue > scale(rtt.min) / 4 { rtt.smoothed / 2 } else { MEMORY };
        while self.samples.len() > 3 && self.samples.front().is_some_and(|(at, _)| now.since(*at) > keep) {
            self.samples.pop_front();
        }
        // High, but not the highest: batched receive stamps make single samples too fast.
        let quarter = if self.own_queue > scale(rtt.min) / 4 { 2 } else { 3 };
        let mut sorted: Vec<f64> = self.samples.iter().map(|(_, bps)| *bps).collect();
        sorted.sort_by(f64::total_cmp);
        if let Some(bps) = sorted.get((sorted.len() * quarter / 4).min(sorted.len().saturating_sub(1))) {
            self.capacity_bps = *bps;
        }
    }

    fn grow(&mut self, sample: Sample, saturated: u32) {
        let newest = self.samples.iter().rev().take(2).map(|(_, bps)| *bps).fold(0.0, f64::max);
        let factor = if sample.saturated { 0.97 } else { STARTUP_GAIN };
        self.rate_bps = self.rate_bps.max(factor * newest).min(self.max_bps);
        let proof = if sample.stretched { 2 } else { 1 };
        let saturated = if sample.saturated { saturated + proof } else { 0 };
        self.phase = Phase::Startup { saturated };
        if saturated >= 3 {
            self.phase = Phase::Steady;
            let old = self.samples.len().saturating_sub(3);
            self.samples.drain(..old);
            self.rate_bps = self.permitted(newest * 0.95);
        }
    }

    /// Grows by 3 % while nothing queues, drains when it does (LNK-63).
    fn steer(&mut self, now: MonoTime, rtt: Rtt) {
        let (queue, scale) = (self.own_queue, scale(rtt.min));
        let is_hungry = self.is_hungry(now);
        if let Some(bps) = self.contest.rate_bps(now, is_hungry, rtt.smoothed).filter(|_| queue <= scale / 4)
        {
            self.rate_bps = self.permitted(bps);
            return;
        }
        let probes = self.probe.is_on(now, is_hungry && queue <= scale / 4, self.capacity_bps, rtt.smoothed);
        let gain = if probes {
            PROBE_GAIN
        } else if queue > scale * 3 / 5 {
            0.7
        } else if queue > scale / 4 {
            0.85
        } else if queue > aim(scale) {
            0.97
        } else {
            1.03
        };
        self.rate_bps = self.permitted(self.capacity_bps * gain);
    }

    /// Flows gave way lately.
    pub fn is_hungry(&self, now: MonoTime) -> bool {
        now < self.hungry_until
    }

    /// The flows want more than they are given.
    pub fn on_hungry(&mut self, now: MonoTime) {
        self.hungry_until = now + HUNGER;
    }
}

/// Round trips the estimator needs.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// Smallest of the last ten seconds.
    pub min: Duration,
    /// Smoothed.
    pub smoothed: Duration,
}

fn scale(min_rtt: Duration) -> Duration {
    min_rtt.max(SHORTEST_SCALE)
}

/// Queue of our own from which on we go slower than the capacity.
fn aim(scale: Duration) -> Duration {
    (scale / 20).max(SHORTEST_SCALE / 10)
}

/// Longest queue of others that we send into, nanoseconds.
fn most_foreign(min_rtt: Duration) -> i64 {
    (scale(min_rtt) * 4).as_nanos() as i64
}

fn nanos(value: i64) -> Duration {
    Duration::from_nanos(value.max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A burst whose packets come every `gap_us`, with feedback on each 8th; `gap_us` changes after a standstill.
    fn feed(rate: &mut RateEstimator, numbers: std::ops::Range<u64>, received_us: &mut u32, gap_us: u32) {
        let own = OwnLoss { share: 0.0, dispersion: 1.0 };
        let rtt = Rtt { min: Duration::from_millis(40), smoothed: Duration::from_millis(40) };
        for number in numbers {
            *received_us += gap_us;
            let sent_at = MonoTime::from_millis(number);
            let mark = Mark {
                number,
                burst: 1,
                in_burst: number as u32,
                sent_at,
                bytes_sent: number * 1_403,
                received_us: *received_us,
                bytes_received: number as u32 * 1_403,
                one_way_nanos: 0,
            };
            if number.is_multiple_of(8) {
                rate.on_feedback(sent_at, mark, rtt, own, Duration::ZERO);
            }
        }
    }

    #[test]
    fn packets_of_which_most_are_lost_raise_no_rate_however_fast_the_rest_comes() {
        let own = OwnLoss { share: 0.95, dispersion: 1.0 };
        let rtt = Rtt { min: Duration::from_millis(1), smoothed: Duration::from_millis(1) };
        let mut rate = RateEstimator::new(10e9, 97);
        let mut sent_us = 0.0;
        for number in 1..20_000u64 {
            // As fast as it is thought to go; one of twenty comes, when it was sent.
            sent_us += 12_000.0 * 1e6 / rate.rate_bps();
            let sent_at = MonoTime::from_nanos((sent_us * 1e3) as u64);
            let bytes_received = (number / 20 * 1_403) as u32;
            let (bytes_sent, received_us) = (number * 1_403, sent_us as u32);
            let mark = Mark {
                number,
                burst: 1,
                in_burst: number as u32,
                sent_at,
                bytes_sent,
                received_us,
                bytes_received,
                one_way_nanos: 0,
            };
            if number.is_multiple_of(20) {
                rate.on_feedback(sent_at, mark, rtt, own, Duration::ZERO);
            }
        }
        assert!(rate.rate_bps() < 10.0 * START_BPS, "{}", rate.rate_bps());
    }

    /// Sent at 4 Mbit/s into a queue that lets 1 Mbit/s out and drops the rest.
    #[test]
    fn what_a_full_queue_lets_out_is_the_rate_also_where_it_drops_most() {
        let own = OwnLoss { share: 0.05, dispersion: 1.0 };
        let rtt = Rtt { min: Duration::from_millis(20), smoothed: Duration::from_millis(100) };
        let mut rate = RateEstimator::new(10e9, 97);
        for number in 0..400u64 {
            let sent_at = MonoTime::from_millis(1_000) + Duration::from_millis(3) * number as u32;
            let mark = Mark {
                number,
                burst: 1,
                in_burst: number as u32,
                sent_at,
                bytes_sent: number * 1_403,
                received_us: number as u32 * 3_000,
                bytes_received: (number / 4 * 1_403) as u32,
                one_way_nanos: 80_000_000.min(number as i64 * 10_000_000),
            };
            if number.is_multiple_of(4) {
                rate.on_feedback(sent_at, mark, rtt, own, Duration::ZERO);
            }
        }
        assert!((0.6e6..1.1e6).contains(&rate.rate_bps()), "{}", rate.rate_bps());
    }

    #[test]
    fn after_a_black_hole_the_rate_begins_at_half_of_what_it_was_before() {
        let mut rate = RateEstimator::new(1e9, 97);
        feed(&mut rate, 1..400, &mut 0, 3_000);
        rate.on_hole_over(30e6);
        assert_eq!((rate.rate_bps(), rate.is_starting()), (15e6, true));
    }

    #[test]
    fn each_silence_halves_a_rate_that_was_used_and_no_other() {
        let mut rate = RateEstimator::new(1e9, 97);
        (0..8).for_each(|_| rate.on_path_back());
        assert_eq!(rate.rate_bps(), START_BPS);
        rate.on_sent();
        (0..8).for_each(|_| rate.on_path_back());
        assert_eq!(rate.rate_bps(), START_BPS / 2.0);
    }

    #[test]
    fn a_standstill_within_a_burst_does_not_end_the_measuring() {
        let mut rate = RateEstimator::new(1e9, 97);
        let mut received_us = 0;
        // 12 kbit a packet: 10 Mbit/s, then 4.
        feed(&mut rate, 1..400, &mut received_us, 1_200);
        assert!((9e6..11e6).contains(&rate.rate_bps()), "{}", rate.rate_bps());
        received_us += 1_500_000;
        feed(&mut rate, 400..2_000, &mut received_us, 3_000);
        assert!((3.5e6..4.5e6).contains(&rate.rate_bps()), "{}", rate.rate_bps());
    }
}
