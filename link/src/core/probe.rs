//! Asking for a larger share of a path that others fill too (LNK-63).

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// A probe's rate, of the capacity known.
pub const GAIN: f64 = 1.25;
/// A share grown by this is worth asking again soon.
const SUCCESS: f64 = 1.05;
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Asks for a larger share of a path that is full: a quarter more for a round trip (as BBR does in one of eight), after
/// a pause that doubles as long as asking gains nothing.
///
/// ```text
///           hungry, pause over                      round trip over, or queue
///  Resting ────────────────────► Probing until ... ───────────────────────────► Resting, pause 8 round trips when the
///                                                                               share grew, else twice as long
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    next: MonoTime,
    until: Option<MonoTime>,
    pause: Duration,
    before_bps: f64,
}

impl Probe {
    /// Whether to probe now: `may` when the flows are hungry and no queue forbids it.
    pub fn is_on(&mut self, now: MonoTime, may: bool, capacity_bps: f64, srtt: Duration) -> bool {
        match self.until {
            Some(until) if may && now < until => true,
            Some(_) => {
                let grew = capacity_bps > self.before_bps * SUCCESS;
                let shortest = (srtt * 8).min(LONGEST_PAUSE);
                self.pause = if grew { shortest } else { (self.pause * 2).clamp(shortest, LONGEST_PAUSE) };
                (self.until, self.next) = (None, now + self.pause);
                false
            }
            None if may && now >= self.next => {
                (self.until, self.before_bps) = (Some(now + srtt * 3 / 2), capacity_bps);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRTT: Duration = Duration::from_millis(50);

    /// Asks every 10 ms for `seconds`; gives how many probes began. `gain` is what the share grows by in each.
    fn probes(seconds: u64, gain: f64) -> usize {
        let (mut probe, mut capacity, mut was_on, mut count) = (Probe::default(), 100.0, false, 0);
        for tick in 0..seconds * 100 {
            let on = probe.is_on(MonoTime::from_millis(1_000 + tick * 10), true, capacity, SRTT);
            if on && !was_on {
                count += 1;
                capacity *= gain;
            }
            was_on = on;
        }
        count
    }

    #[test]
    fn asking_in_vain_becomes_rare_and_asking_with_success_does_not() {
        let (vain, with_success) = (probes(60, 1.0), probes(60, 1.1));
        assert!((6..=12).contains(&vain), "pauses double up to ten seconds: {vain}");
        assert!(with_success > 100, "every eight round trips: {with_success}");
    }

    #[test]
    fn a_queue_ends_a_probe_at_once() {
        let mut probe = Probe::default();
        let now = MonoTime::from_millis(1_000);
        assert!(probe.is_on(now, true, 1.0, SRTT));
        assert!(!probe.is_on(now + Duration::from_millis(1), false, 1.0, SRTT));
        assert!(!probe.is_on(now + Duration::from_millis(2), true, 1.0, SRTT), "the pause comes first");
    }
}
