//! A bulk flow of somebody else on the same path, as TCP would send it: what the link must get along with.
//!
//! Two models, each as its specification has it and no more: CUBIC (RFC 9438, with the delay exit of HyStart++,
//! RFC 9406) fills any queue and halves on loss; BBR (Cardwell et al., ACM Queue 14(5), 2016) paces at the largest rate
//! delivered and asks for a quarter more in one round trip of eight. Data is endless and answers are never lost, so
//! what is lost need not be sent again. Real kernels are raced by `tokkyu lab drive --beside`; this one repeats.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Bytes of each frame, as the path counts them.
pub const FRAME_BYTES: usize = 1514;
/// Later packets answered that show one to be lost.
const DUPLICATES: u64 = 3;
const TIMEOUT: Duration = Duration::from_secs(1);

/// How the rival controls its congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RFC 9438.
    Cubic,
    /// Version 1.
    Bbr,
}

#[derive(Clone, Copy)]
struct UnderWay {
    sent_at: MonoTime,
    /// What was delivered when it was sent, and when that was known.
    delivered: u64,
    delivered_at: MonoTime,
}

/// A bulk flow.
pub struct Rival {
    control: Control,
    start: MonoTime,
    end: MonoTime,
    /// The way back takes this long.
    back: Duration,
    next: u64,
    under_way: BTreeMap<u64, UnderWay>,
    answers: VecDeque<(MonoTime, u64)>,
    delivered: u64,
    delivered_at: MonoTime,
    /// Losses of packets below it are one event.
    recovery: u64,
    next_send: MonoTime,
    min_rtt: Duration,
}

enum Control {
    Cubic(Cubic),
    Bbr(Bbr),
}

impl Rival {
    /// A flow that sends during `time` and hears back after `back`.
    pub fn new(algorithm: Algorithm, time: Range<MonoTime>, back: Duration) -> Self {
        let start = time.start;
        Rival {
            control: match algorithm {
                Algorithm::Cubic => Control::Cubic(Cubic::default()),
                Algorithm::Bbr => Control::Bbr(Bbr::default()),
            },
            start,
            end: time.end,
            back,
            next: 0,
            under_way: BTreeMap::new(),
            answers: VecDeque::new(),
            delivered: 0,
            delivered_at: start,
            recovery: 0,
            next_send: start,
            min_rtt: Duration::MAX,
        }
    }

    /// Frames delivered so far.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Frame `number` has reached the other end.
    pub fn on_arrival(&mut self, now: MonoTime, number: u64) {
        self.answers.push_back((now + self.back, number));
    }

    /// When it wants to act.
    pub fn next_time(&self) -> MonoTime {
        let answer = self.answers.front().map_or(MonoTime::MAX, |(at, _)| *at);
        let timeout = self.under_way.values().next().map_or(MonoTime::MAX, |sent| sent.sent_at + TIMEOUT);
        let send = if self.has_window() { self.next_send } else { MonoTime::MAX };
        answer.min(timeout).min(send)
    }

    /// The number of a frame to send now, if there is one. To be asked until there is none.
    pub fn poll(&mut self, now: MonoTime) -> Option<u64> {
        while let Some((_, number)) = self.answers.front().copied().filter(|(at, _)| *at <= now) {
            self.answers.pop_front();
            self.on_answer(now, number);
        }
        if self.under_way.values().next().is_some_and(|sent| sent.sent_at + TIMEOUT <= now) {
            self.under_way.clear();
            self.control.on_loss(now);
        }
        if now >= self.end {
            self.next_send = self.end;
        }
        if now < self.start.max(self.next_send) || !self.has_window() {
            return None;
        }
        let sent = UnderWay { sent_at: now, delivered: self.delivered, delivered_at: self.delivered_at };
        self.under_way.insert(self.next, sent);
        self.next_send = self.next_send.max(now) + self.control.gap(self.min_rtt);
        self.next += 1;
        Some(self.next - 1)
    }

    fn has_window(&self) -> bool {
        self.next_send < self.end && (self.under_way.len() as f64) < self.control.window(self.min_rtt)
    }

    fn on_answer(&mut self, now: MonoTime, number: u64) {
        let Some(sent) = self.under_way.remove(&number) else { return };
        let rtt = now.since(sent.sent_at);
        self.min_rtt = self.min_rtt.min(rtt);
        self.delivered += 1;
        self.delivered_at = now;
        let span_s = now.since(sent.delivered_at).as_secs_f64().max(1e-6);
        let rate = (self.delivered - sent.delivered) as f64 / span_s;
        let round = Round { sent_when_delivered: sent.delivered, delivered: self.delivered, rate };
        self.control.on_delivery(now, rtt, self.min_rtt, round);
        let lost: Vec<u64> =
            self.under_way.range(..number.saturating_sub(DUPLICATES)).map(|(n, _)| *n).collect();
        for lost in lost {
            self.under_way.remove(&lost);
            if lost >= self.recovery {
                self.recovery = self.next;
                self.control.on_loss(now);
            }
        }
    }
}

/// What an answer tells of the rate.
struct Round {
    sent_when_delivered: u64,
    delivered: u64,
    /// Frames a second.
    rate: f64,
}

impl Control {
    fn window(&self, min_rtt: Duration) -> f64 {
        match self {
            Control::Cubic(cubic) => cubic.window,
            Control::Bbr(bbr) => bbr.window(min_rtt),
        }
    }

    fn gap(&self, min_rtt: Duration) -> Duration {
        match self {
            Control::Cubic(_) => Duration::ZERO,
            Control::Bbr(bbr) => bbr.gap(min_rtt),
        }
    }

    fn on_delivery(&mut self, now: MonoTime, rtt: Duration, min_rtt: Duration, round: Round) {
        match self {
            Control::Cubic(cubic) => cubic.on_delivery(now, rtt, min_rtt),
            Control::Bbr(bbr) => bbr.on_delivery(now, min_rtt, round),
        }
    }

    fn on_loss(&mut self, now: MonoTime) {
        if let Control::Cubic(cubic) = self {
            cubic.on_loss(now);
        }
    }
}

/// RFC 9438, window in frames.
struct Cubic {
    window: f64,
    is_starting: bool,
    most: f64,
    epoch: MonoTime,
    reno: f64,
}

impl Default for Cubic {
    fn default() -> Self {
        Cubic { window: 10.0, is_starting: true, most: 0.0, epoch: MonoTime::ZERO, reno: 0.0 }
    }
}

impl Cubic {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;

    fn on_delivery(&mut self, now: MonoTime, rtt: Duration, min_rtt: Duration) {
        if self.is_starting {
            self.window += 1.0;
            if rtt > min_rtt + (min_rtt / 8).max(Duration::from_millis(4)) {
                self.is_starting = false;
                self.begin(now, self.window);
            }
            return;
        }
        let t = (now.since(self.epoch) + min_rtt).as_secs_f64();
        let k = ((self.most - self.most * Self::BETA).max(0.0) / Self::C).cbrt();
        let cubic = Self::C * (t - k).powi(3) + self.most;
        self.reno += 3.0 * (1.0 - Self::BETA) / (1.0 + Self::BETA) / self.window;
        let target = cubic.max(self.reno).clamp(self.window, 1.5 * self.window);
        self.window += (target - self.window) / self.window;
    }

    fn on_loss(&mut self, now: MonoTime) {
        self.is_starting = false;
        let most = self.window;
        self.window = (self.window * Self::BETA).max(2.0);
        self.begin(now, most);
    }

    fn begin(&mut self, now: MonoTime, most: f64) {
        (self.most, self.epoch, self.reno) = (most, now, self.window);
    }
}

/// BBR version 1, rates in frames a second.
struct Bbr {
    /// Largest rate of each of the last ten rounds.
    rates: VecDeque<f64>,
    round_ends: u64,
    phase: BbrPhase,
    /// Startup: largest rate seen, and rounds since it grew.
    full: (f64, u32),
    cycle_since: MonoTime,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BbrPhase {
    Startup,
    Drain,
    Cycle(usize),
}

impl Default for Bbr {
    fn default() -> Self {
        Bbr {
            rates: VecDeque::from([0.0]),
            round_ends: 0,
            phase: BbrPhase::Startup,
            full: (0.0, 0),
            cycle_since: MonoTime::ZERO,
        }
    }
}

impl Bbr {
    const HIGH_GAIN: f64 = 2.885;
    const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

    fn rate(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    fn gain(&self) -> f64 {
        match self.phase {
            BbrPhase::Startup => Self::HIGH_GAIN,
            BbrPhase::Drain => 1.0 / Self::HIGH_GAIN,
            BbrPhase::Cycle(at) => Self::CYCLE[at],
        }
    }

    fn window(&self, min_rtt: Duration) -> f64 {
        let held = if min_rtt == Duration::MAX { 0.0 } else { self.rate() * min_rtt.as_secs_f64() };
        let gain = if self.phase == BbrPhase::Startup { Self::HIGH_GAIN } else { 2.0 };
        (gain * held).max(10.0)
    }

    fn gap(&self, min_rtt: Duration) -> Duration {
        let rate = if min_rtt == Duration::MAX { 0.0 } else { self.gain() * self.rate() };
        if rate > 0.0 { Duration::from_secs_f64(1.0 / rate) } else { Duration::ZERO }
    }

    fn on_delivery(&mut self, now: MonoTime, min_rtt: Duration, round: Round) {
        if round.sent_when_delivered >= self.round_ends {
            self.round_ends = round.delivered;
            self.rates.push_back(0.0);
            if self.rates.len() > 10 {
                self.rates.pop_front();
            }
            self.on_round(now);
        }
        let newest = self.rates.back_mut().expect("there is always one");
        *newest = newest.max(round.rate);
        if let BbrPhase::Cycle(at) = self.phase
            && now.since(self.cycle_since) > min_rtt
        {
            (self.phase, self.cycle_since) = (BbrPhase::Cycle((at + 1) % 8), now);
        }
    }

    fn on_round(&mut self, now: MonoTime) {
        let (most, rounds) = self.full;
        match self.phase {
            BbrPhase::Startup if self.rate() > 1.25 * most => self.full = (self.rate(), 0),
            BbrPhase::Startup if rounds < 2 => self.full = (most, rounds + 1),
            BbrPhase::Startup => self.phase = BbrPhase::Drain,
            BbrPhase::Drain => (self.phase, self.cycle_since) = (BbrPhase::Cycle(2), now),
            BbrPhase::Cycle(_) => {}
        }
    }
}
