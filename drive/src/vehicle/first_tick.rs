//! When the cameras begin: a moment after any end is there, or at a set time. SPEC.md DRV-132.
//!
//! Pure, no clock inside. It goes by which ends are there, not by what their links told: the order of their news, and how
//! often one says that it is away, are of no matter.
//!
//! ```text
//!             an end is there                       GET_READY before it
//!    Unset ─────────────────────▶ Set, a moment on ─────────────────────▶ due
//!     ▲                              │
//!     └─────── nobody is there ──────┘          a time that was set from the start stays
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;

/// From the first session to the first tick: both ends tell each other their flows.
const GET_ACQUAINTED: Duration = Duration::from_millis(200);
/// Before the first tick: threads start, and make their first samples.
const GET_READY: Duration = Duration::from_millis(100);

/// The first tick, while it is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstTick {
    /// As the caller wants it, whoever is there.
    start_at: Option<MonoTime>,
    since_somebody: Option<MonoTime>,
}

impl FirstTick {
    /// At `start_at`, or with the first end that is there.
    pub(super) fn new(start_at: Option<MonoTime>) -> FirstTick {
        FirstTick { start_at, since_somebody: None }
    }

    /// Which of the ends are there at `now`.
    pub(super) fn on_look(&mut self, now: MonoTime, mut are_here: impl Iterator<Item = bool>) {
        let is_somebody_here = are_here.any(|is_here| is_here);
        self.since_somebody = is_somebody_here.then(|| self.since_somebody.unwrap_or(now));
    }

    /// The first tick, once threads have to start for it.
    pub(super) fn due(&self, now: MonoTime) -> Option<MonoTime> {
        let first = self.start_at.or(self.since_somebody.map(|since| since + GET_ACQUAINTED));
        first.filter(|first| now + GET_READY >= *first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN_MS: u64 = 70_000;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(BEGAN_MS + ms)
    }

    /// The vehicle looks each 10 ms at which of its ends are there; gives the first tick and when it was due.
    fn course(start_at: Option<MonoTime>, are_here: impl Fn(u64) -> [bool; 3]) -> Option<(u64, u64)> {
        let mut tick = FirstTick::new(start_at);
        (0..300).map(|turn| turn * 10).find_map(|ms| {
            tick.on_look(at(ms), are_here(ms).into_iter());
            let first = tick.due(at(ms))?;
            Some((first.as_nanos() / 1_000_000 - BEGAN_MS, ms))
        })
    }

    #[test]
    fn cameras_begin_with_another_end_though_the_first_keeps_away() {
        // The first one's link comes up and goes down again and again; the other end is there from 500 ms on.
        let others_alone = course(None, |ms| [false, false, ms >= 500]);
        assert_eq!(others_alone, Some((700, 600)));
        let flaps = course(None, |ms| [ms < 500 && ms % 100 < 50, ms >= 40, false]);
        assert_eq!(flaps, Some((200, 100)));
    }

    #[test]
    fn cameras_wait_anew_once_everybody_has_gone_before_the_first_tick() {
        assert_eq!(course(None, |_| [false; 3]), None);
        assert_eq!(course(None, |ms| [ms < 90, false, ms >= 1_000]), Some((1_200, 1_100)));
        assert_eq!(course(None, |ms| [false, ms < 90, false]), None);
    }

    #[test]
    fn a_time_that_was_set_is_kept_whoever_is_there() {
        assert_eq!(course(Some(at(1_000)), |_| [false; 3]), Some((1_000, 900)));
        assert_eq!(course(Some(at(1_000)), |ms| [ms < 300, true, false]), Some((1_000, 900)));
    }
}
