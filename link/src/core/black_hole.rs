//! Whether the path carries long packets (LNK-70). A black hole for them, as a smaller MTU on the way makes where nobody
//! tells of it (RFC 2923 §2.1, RFC 8899 §4.3), looks like a path that is alive: short packets are answered.
//!
//! ```text
//!           MANY long packets lost in a row, over LEAST_SPAN, short ones between them answered
//!   Clear ──────────────────────────────────────────────────────────────────────────────────► Hole
//!     ▲                               a long packet answered                                    │
//!     └─────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//! Fed with the fate of each packet in order of packet number. In `Hole` a long packet goes each `FEELER_INTERVAL`, to
//! find the end of it.

use super::sent::Sent;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Long packets lost in a row: no burst of losses is that long and spares all short ones.
const MANY: u32 = 24;
/// From so many on, what is learned of the path may be the hole's doing.
const SUSPICIOUS: u32 = 8;
/// Between the first of them and the finding.
const LEAST_SPAN: Duration = Duration::from_millis(500);
/// Of the long ones, those with a short one before them that was answered: at the end of an outage, in which short ones are
/// lost too, the next long one is answered as well.
const BETWEEN_ANSWERS: u32 = 5;
/// Between two long packets in a hole.
const FEELER_INTERVAL: Duration = Duration::from_millis(50);
/// A packet is long when it has no less than this fewer bytes than the longest: fragments are, and samples of one packet
/// that nearly fill it.
const NEARLY: usize = 128;

/// What the fate of a packet showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Long packets may be lost for their length: what is known of the path is worth keeping.
    Suspicion,
    /// They are.
    Hole,
    /// They pass again.
    Over,
}

/// Watches for the black hole; see the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlackHole {
    is_hole: bool,
    lost_in_a_row: u32,
    /// When the first of them was sent.
    since: MonoTime,
    /// How often a short one was answered and the next long one lost.
    between_answers: u32,
    was_short_answered: bool,
    next_feeler: MonoTime,
}

/// Whether a packet of `bytes` is long, of `longest` at most.
pub fn is_long(bytes: usize, longest: usize) -> bool {
    bytes > longest_short(longest)
}

/// Bytes of the longest packet that is not.
pub fn longest_short(longest: usize) -> usize {
    longest.saturating_sub(NEARLY)
}

impl BlackHole {
    /// Long packets are lost.
    pub fn is_hole(&self) -> bool {
        self.is_hole
    }

    /// A packet was answered, or given up; a long one or not.
    pub fn on_fate(&mut self, now: MonoTime, sent: &Sent, is_lost: bool, is_long: bool) -> Option<Finding> {
        match (is_long, is_lost) {
            (true, true) => self.on_long_lost(sent),
            (true, false) => return self.on_long_answered(),
            (false, false) => self.was_short_answered = true,
            (false, true) => {}
        }
        if self.is_hole {
            return None;
        }
        let is_many = self.lost_in_a_row >= MANY && self.between_answers >= BETWEEN_ANSWERS;
        if is_many && now.since(self.since) >= LEAST_SPAN {
            self.is_hole = true;
            return Some(Finding::Hole);
        }
        (is_long && self.lost_in_a_row == SUSPICIOUS).then_some(Finding::Suspicion)
    }

    fn on_long_lost(&mut self, sent: &Sent) {
        if self.lost_in_a_row == 0 {
            (self.since, self.between_answers) = (sent.at, 0);
        }
        self.between_answers += u32::from(std::mem::take(&mut self.was_short_answered));
        self.lost_in_a_row = self.lost_in_a_row.saturating_add(1);
    }

    /// A long packet was answered, if only after it had been given up.
    pub fn on_long_answered(&mut self) -> Option<Finding> {
        let was_hole = std::mem::take(self).is_hole;
        was_hole.then_some(Finding::Over)
    }

    /// Packets are shorter from now on, and what is long is another.
    pub fn on_shortened(&mut self) {
        *self = BlackHole::default();
    }

    /// Whether the next long packet is due.
    pub fn wants_feeler(&self, now: MonoTime) -> bool {
        now >= self.next_feeler
    }

    /// A long packet was sent into the hole, or there was none to send.
    pub fn on_feeler(&mut self, now: MonoTime) {
        self.next_feeler = now + FEELER_INTERVAL;
    }

    /// When to look again.
    pub fn deadline(&self) -> MonoTime {
        if self.is_hole { self.next_feeler } else { MonoTime::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(ms: u64) -> Sent {
        let mut sent = Sent::default();
        sent.at = MonoTime::from_millis(ms);
        sent
    }

    /// Long packets each 20 ms from `from` on that are lost, and short ones that are answered, until it shows something.
    fn lose(hole: &mut BlackHole, from: u64, short: bool) -> Option<(u64, Finding)> {
        (from..from + 5_000).step_by(20).find_map(|ms| {
            let now = MonoTime::from_millis(ms + 50);
            let found = hole.on_fate(now, &sent(ms), true, true).filter(|found| *found != Finding::Suspicion);
            let found = found.or_else(|| short.then(|| hole.on_fate(now, &sent(ms), false, false)).flatten());
            found.map(|found| (ms - from, found))
        })
    }

    #[test]
    fn long_packets_lost_while_short_ones_pass_are_a_hole_and_the_first_that_passes_ends_it() {
        let mut hole = BlackHole::default();
        assert_eq!(lose(&mut hole, 1_000, true), Some((460, Finding::Hole)));
        assert_eq!(hole.on_fate(MonoTime::from_millis(1_600), &sent(1_590), true, true), None);
        assert_eq!(
            hole.on_fate(MonoTime::from_millis(1_700), &sent(1_690), false, true),
            Some(Finding::Over)
        );
        assert!(!hole.is_hole());
    }

    #[test]
    fn an_outage_loses_short_ones_too_and_is_none_also_at_its_end() {
        let mut hole = BlackHole::default();
        assert_eq!(lose(&mut hole, 1_000, false), None);
        let now = MonoTime::from_millis(9_000);
        let answers = (0..50).filter_map(|_| hole.on_fate(now, &sent(8_990), false, false));
        assert_eq!(answers.count(), 0);
        assert_eq!(hole.on_fate(now, &sent(8_990), false, true), None);
    }

    #[test]
    fn one_long_packet_in_twenty_that_passes_is_loss_and_no_hole() {
        let mut hole = BlackHole::default();
        for n in 0..1_000 {
            let now = MonoTime::from_millis(n * 10);
            let found = hole.on_fate(now, &sent(n * 10), n % 20 != 0, true);
            assert!(matches!(found, None | Some(Finding::Suspicion)), "{found:?}");
            assert_eq!(hole.on_fate(now, &sent(n * 10), false, false), None);
        }
    }

    #[test]
    fn a_suspicion_is_told_once_in_each_run_of_losses() {
        let mut hole = BlackHole::default();
        let mut suspicions = |run: u64| {
            let mut found = |n| hole.on_fate(MonoTime::from_millis(n), &sent(n), true, true);
            let count = (run..run + 20).filter(|n| found(*n) == Some(Finding::Suspicion)).count();
            hole.on_long_answered();
            count
        };
        assert_eq!([suspicions(0), suspicions(100)], [1, 1]);
    }
}
