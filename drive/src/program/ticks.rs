//! Absolute ticks: when each sample of a stream is due, and the sleep until then.
//!
//! Runs in the threads that send. A tick is `first + n × period` on `CLOCK_MONOTONIC`, so a late wake-up shifts no later
//! tick, and a sample sent late has the age it deserves (DRV-73).

use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use super::StopFlag;

/// Longest sleep without a look at the flag.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Further behind than this the machine was asleep or hopelessly loaded: ticks are left out instead of made up for.
const FURTHEST_BEHIND: Duration = Duration::from_secs(1);

/// Due times of one stream.
#[derive(Clone, Debug)]
pub(crate) struct Ticks {
    first: MonoTime,
    period: Duration,
    next: u32,
}

impl Ticks {
    /// Ticks from `first` on, `period` apart (above 0).
    pub(crate) fn new(first: MonoTime, period: Duration) -> Ticks {
        Ticks { first, period, next: 0 }
    }

    /// Time between two ticks.
    pub(crate) fn period(&self) -> Duration {
        self.period
    }

    /// When the next tick is.
    pub(crate) fn due(&self) -> MonoTime {
        self.first + self.period.saturating_mul(self.next)
    }

    /// The tick is done. Gives how many of the following are left out because they lie too far in the past.
    pub(crate) fn advance(&mut self, now: MonoTime) -> u32 {
        self.next = self.next.saturating_add(1);
        let behind = now.since(self.due());
        if behind <= FURTHEST_BEHIND {
            return 0;
        }
        let left_out = u32::try_from(behind.as_nanos() / self.period.as_nanos().max(1)).unwrap_or(u32::MAX);
        self.next = self.next.saturating_add(left_out);
        left_out
    }
}

/// Timers wake a thread 60 to 100 µs late on a virtual machine (measured): the thread wakes this much early and waits out
/// the rest awake. At 60 ticks a second that is one hundredth of a core.
const WAKE_EARLY: Duration = Duration::from_micros(150);

/// Sleeps until `due`. False when the program is to end.
pub(crate) fn sleep_until(due: MonoTime, stop: &StopFlag) -> bool {
    loop {
        let now = clock::now();
        if stop.is_set() {
            return false;
        }
        if now >= due {
            return true;
        }
        if due.since(now) <= WAKE_EARLY {
            std::hint::spin_loop();
            continue;
        }
        let until = due.saturating_sub(WAKE_EARLY).min(now + LOOK_EVERY);
        let until = TimeSpec::from_duration(Duration::from_nanos(until.as_nanos()));
        // Interrupted by a signal: the loop looks again.
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn ticks() -> Ticks {
        Ticks::new(at(1_000), Duration::from_millis(100))
    }

    #[test]
    fn a_late_tick_shifts_no_later_one() {
        let mut ticks = ticks();
        assert_eq!(ticks.due(), at(1_000));
        assert_eq!(ticks.advance(at(1_390)), 0);
        assert_eq!(ticks.due(), at(1_100));
        assert_eq!(ticks.advance(at(1_391)), 0);
        assert_eq!(ticks.due(), at(1_200));
    }

    #[test]
    fn after_a_long_sleep_the_ticks_in_between_are_left_out_and_counted() {
        let mut ticks = ticks();
        assert_eq!(ticks.advance(at(61_050)), 599);
        assert_eq!(ticks.due(), at(61_000));
    }

    #[test]
    fn a_tick_ages_ahead_still_ends_at_once_when_told_to_stop() {
        let stop = StopFlag::new();
        assert!(sleep_until(clock::now(), &stop));
        stop.set();
        assert!(!sleep_until(MonoTime::MAX, &stop));
    }
}
