//! The last samples of a stream, for the status: ages, rate, size.
//!
//! Pure; constant time for each sample, one sort of at most [`AGES`] values for each status. Figures of a whole run
//! come from its records, not from here.

use std::collections::VecDeque;
use std::time::Duration;

use tokkyu_contract::MonoTime;

/// Ages kept: twenty seconds of commands.
const AGES: usize = 1_000;
/// Ages shown as a curve.
const CURVE: usize = 120;
/// The rate is of this span, and at the start of a stream of what there is of it.
const RATE_SPAN: Duration = Duration::from_secs(3);
/// A rate of less than this says nothing.
const SHORTEST_RATE_SPAN: Duration = Duration::from_millis(500);

/// The last samples that arrived.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    ages: VecDeque<(MonoTime, Duration)>,
    newest_capture: Option<MonoTime>,
}

impl Recent {
    /// A sample captured at `capture` (own clock) arrived at `arrival`.
    pub(crate) fn on_arrival(&mut self, capture: MonoTime, arrival: MonoTime) {
        if self.ages.len() == AGES {
            self.ages.pop_front();
        }
        self.ages.push_back((arrival, arrival.since(capture)));
        self.newest_capture = self.newest_capture.max(Some(capture));
    }

    /// Age of the newest sample at `now`; it grows until the next one comes.
    pub(crate) fn age(&self, now: MonoTime) -> Option<Duration> {
        self.newest_capture.map(|capture| now.since(capture))
    }

    /// Age on arrival of the last sample.
    pub(crate) fn last(&self) -> Option<Duration> {
        self.ages.back().map(|(_, age)| *age)
    }

    /// Samples in a second over the last seconds, at the start of a stream over what there is of them.
    pub(crate) fn rate_hz(&self, now: MonoTime) -> f64 {
        let Some((oldest, _)) = self.ages.front() else { return 0.0 };
        let span = now.since(*oldest).clamp(SHORTEST_RATE_SPAN, RATE_SPAN);
        let since = now.saturating_sub(span);
        let inside = self.ages.iter().rev().take_while(|(arrival, _)| *arrival > since);
        inside.count() as f64 / span.as_secs_f64()
    }

    /// Nearest-rank percentiles of the ages kept.
    pub(crate) fn percentiles<const N: usize>(&self, percent: [usize; N]) -> [Option<Duration>; N] {
        let mut sorted: Vec<Duration> = self.ages.iter().map(|(_, age)| *age).collect();
        sorted.sort_unstable();
        percent.map(|p| sorted.get((sorted.len() * p).div_ceil(100).checked_sub(1)?).copied())
    }

    /// The last ages, oldest first.
    pub(crate) fn curve(&self) -> Vec<Duration> {
        let skipped = self.ages.len().saturating_sub(CURVE);
        self.ages.iter().skip(skipped).map(|(_, age)| *age).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn percentiles_are_of_the_samples_kept_and_absent_without_any() {
        let mut recent = Recent::default();
        assert_eq!(recent.percentiles([50]), [None]);
        (1..=1_100).for_each(|n| recent.on_arrival(at(0), at(n)));
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(recent.percentiles([50, 99, 100]), [ms(600), ms(1_090), ms(1_100)]);
    }

    #[test]
    fn the_age_grows_until_a_newer_picture_comes_and_an_overtaken_one_does_not_shrink_it() {
        let mut recent = Recent::default();
        recent.on_arrival(at(100), at(140));
        recent.on_arrival(at(50), at(150));
        assert_eq!(recent.age(at(400)), Some(Duration::from_millis(300)));
        assert_eq!(recent.last(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn the_rate_falls_to_nothing_when_nothing_comes() {
        let mut recent = Recent::default();
        (0..30).for_each(|n| recent.on_arrival(at(n * 100), at(n * 100 + 5)));
        assert!((recent.rate_hz(at(2_950)) - 10.0).abs() < 0.5);
        (30..100).for_each(|n| recent.on_arrival(at(n * 100), at(n * 100 + 5)));
        assert!((recent.rate_hz(at(9_950)) - 10.0).abs() < 0.5);
        assert_eq!(recent.rate_hz(at(60_000)), 0.0);
    }
}
