//! Holding one's own against flows that fill the queue (LNK-68). One that backs off from a queue others keep ends with
//! nothing; so, while the queue is proven to be somebody else's, the rate follows what was delivered and not the queue.
//!
//! ```text
//!           a queue did not drain while we backed off, and the flows want more
//!  Alone ──────────────────────────────────────────────────────────────────────► Contesting
//!    ▲                         on_queue: short for a second                          │
//!    └───────────────────────────────────────────────────────────────────────────────┘
//! ```

use super::mark::{LONGEST_SAMPLE, Mark};
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Gains of round trips one after the other, as BBR's (Cardwell et al., ACM Queue 14(5), 2016): ask for more, let what
/// that queued drain, hold. Held a little below one, so that the queue of senders who all contest, or of one whom
/// nobody contests any more, goes away.
const CYCLE: [f64; 8] = [1.25, 0.75, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97];
/// Round trips whose largest delivered rate counts.
const REMEMBERED: u32 = 10;
/// Without a queue for so long nobody contests.
const PEACE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Alone,
    Contesting { since: MonoTime },
}

/// Whether others fill the queue, and the rate that holds our share.
#[derive(Debug)]
pub struct Contest {
    state: State,
    anchor: Option<Mark>,
    delivered: VecDeque<(MonoTime, f64)>,
    last_queue: MonoTime,
}

impl Default for Contest {
    fn default() -> Self {
        Contest { state: State::Alone, anchor: None, delivered: VecDeque::new(), last_queue: MonoTime::ZERO }
    }
}

impl Contest {
    /// Others fill the queue.
    pub fn is_on(&self) -> bool {
        self.state != State::Alone
    }

    /// Feedback on a packet. What came within half a round trip of a burst counts: in less, packets of ours stand in a
    /// row whatever others send.
    pub fn on_mark(&mut self, now: MonoTime, mark: &Mark, srtt: Duration, overhead_bytes: usize) {
        let Some(anchor) = self.anchor.filter(|anchor| anchor.burst == mark.burst) else {
            self.anchor = Some(*mark);
            return;
        };
        let span = Duration::from_micros(u64::from(mark.received_us.wrapping_sub(anchor.received_us)));
        if span >= LONGEST_SAMPLE {
            self.anchor = Some(*mark);
        } else if mark.number > anchor.number && span >= srtt / 2 {
            let bytes = u64::from(mark.bytes_received.wrapping_sub(anchor.bytes_received));
            let share = bytes as f64 / (mark.bytes_sent - anchor.bytes_sent).max(1) as f64;
            let overhead = (mark.number - anchor.number) as f64 * overhead_bytes as f64 * share.min(1.0);
            self.on_delivered(now, 8.0 * (bytes as f64 + overhead) / span.as_secs_f64(), srtt);
            self.anchor = Some(*mark);
        }
    }

    fn on_delivered(&mut self, now: MonoTime, bps: f64, srtt: Duration) {
        self.delivered.push_back((now, bps));
        let is_old = |at: MonoTime| now.since(at) > srtt * REMEMBERED;
        while self.delivered.len() > 1 && self.delivered.front().is_some_and(|(at, _)| is_old(*at)) {
            self.delivered.pop_front();
        }
    }

    /// A queue did not drain although we backed off, while the flows wanted more.
    pub fn on_foreign_queue(&mut self, now: MonoTime) {
        if !self.is_on() {
            self.state = State::Contesting { since: now };
        }
        self.last_queue = now;
    }

    /// The queue now, whoever keeps it.
    pub fn on_queue(&mut self, now: MonoTime, is_long: bool) {
        if is_long {
            self.last_queue = now;
        } else if now.since(self.last_queue) > PEACE {
            self.state = State::Alone;
        }
    }

    /// The rate to send at while others fill the queue. Asks for more when `is_hungry`.
    pub fn rate_bps(&self, now: MonoTime, is_hungry: bool, srtt: Duration) -> Option<f64> {
        let State::Contesting { since } = self.state else { return None };
        let turn = now.since(since).as_nanos() / srtt.as_nanos().max(1);
        let gain = if is_hungry { CYCLE[(turn % CYCLE.len() as u128) as usize] } else { 1.0 };
        Some(self.most_delivered() * gain)
    }

    /// Largest rate delivered lately.
    pub fn most_delivered(&self) -> f64 {
        self.delivered.iter().map(|(_, bps)| *bps).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRTT: Duration = Duration::from_millis(50);

    fn at(millis: u64) -> MonoTime {
        MonoTime::from_millis(millis)
    }

    #[test]
    fn alone_it_has_no_opinion() {
        let mut contest = Contest::default();
        contest.on_delivered(at(1), 5e6, SRTT);
        contest.on_queue(at(2), true);
        assert_eq!(contest.rate_bps(at(3), true, SRTT), None);
    }

    #[test]
    fn in_a_contest_it_holds_the_largest_rate_delivered_and_asks_for_more_when_hungry() {
        let mut contest = Contest::default();
        contest.on_delivered(at(1_000), 80e6, SRTT);
        contest.on_delivered(at(1_100), 40e6, SRTT);
        contest.on_foreign_queue(at(1_100));
        assert_eq!(contest.rate_bps(at(1_100), true, SRTT), Some(100e6));
        assert_eq!(contest.rate_bps(at(1_150), true, SRTT), Some(60e6));
        assert_eq!(contest.rate_bps(at(1_150), false, SRTT), Some(80e6));
        contest.on_delivered(at(1_600), 40e6, SRTT);
        assert_eq!(contest.most_delivered(), 40e6, "what is older than ten round trips is forgotten");
    }

    #[test]
    fn a_second_without_a_queue_ends_it() {
        let mut contest = Contest::default();
        contest.on_foreign_queue(at(1_000));
        contest.on_queue(at(1_900), false);
        contest.on_queue(at(1_950), true);
        contest.on_queue(at(2_940), false);
        assert!(contest.is_on());
        contest.on_queue(at(2_960), false);
        assert!(!contest.is_on());
    }
}
