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

/// Longest time a thread is awake before its tick.
const EARLIEST: Duration = Duration::from_micros(150);

/// Sleeps until ticks, as exactly as the timer allows.
///
/// A timer wakes a thread late, by 5 µs where the processor was at work and by up to 100 µs where a virtual machine had
/// let go of it (measured). So the thread sets it early by what it was late of late, and waits out the rest awake.
#[derive(Debug)]
pub(crate) struct Alarm {
    early: Duration,
}

impl Alarm {
    pub(crate) fn new() -> Alarm {
        Alarm { early: EARLIEST }
    }

    /// Sleeps until `due`. False when the program is to end.
    pub(crate) fn sleep_until(&mut self, due: MonoTime, stop: &StopFlag) -> bool {
        loop {
            let now = clock::now();
            if stop.is_set() {
                return false;
            }
            if now >= due {
                return true;
            }
            if due.since(now) <= self.early {
                std::hint::spin_loop();
                continue;
            }
            let until = due.saturating_sub(self.early).min(now + LOOK_EVERY);
            let at = TimeSpec::from_duration(Duration::from_nanos(until.as_nanos()));
            // Interrupted by a signal: the loop looks again.
            if clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &at).is_ok() {
                self.on_woken(clock::now().since(until));
            }
        }
    }

    /// The timer was `late`: at once as early as that, and less early by little and little.
    fn on_woken(&mut self, late: Duration) {
        self.early = if late > self.early { late.min(EARLIEST) } else { (self.early * 7 + late) / 8 };
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
        assert!(Alarm::new().sleep_until(clock::now(), &stop));
        stop.set();
        assert!(!Alarm::new().sleep_until(MonoTime::MAX, &stop));
    }

    #[test]
    fn an_alarm_is_early_by_what_the_timer_was_late_and_never_by_more_than_its_bound() {
        let micros = Duration::from_micros;
        let mut alarm = Alarm::new();
        (0..60).for_each(|_| alarm.on_woken(micros(5)));
        assert!((micros(5)..micros(7)).contains(&alarm.early), "{alarm:?}");
        alarm.on_woken(micros(80));
        assert_eq!(alarm.early, micros(80));
        alarm.on_woken(micros(8));
        assert_eq!(alarm.early, micros(71));
        alarm.on_woken(Duration::from_secs(3));
        assert_eq!(alarm.early, EARLIEST);
    }
}
