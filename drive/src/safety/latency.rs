//! How old samples of one flow are, at worst and lately. SPEC.md DRV-105.
//!
//! Pure, constant time, for both ends: the gate's commands and the operator's pictures. One late sample counts for a second
//! or two, so that a speed which follows it does not go up and down with each.
//!
//! ```text
//!   age
//!    │      ╱│        ╱│              each sample begins with its age on arrival,
//!    │    ╱  │      ╱  │      ╱       and grows until the next one comes;
//!    │  ╱    │    ╱    │    ╱         a period of that is as it should be
//!    └──▲────▲────▲────▲────▲──▶ time
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::control::Age;

/// The worst counts for so long at least, and for twice as long at most.
const SPAN: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latency {
    period: Duration,
    /// When the newest sample was captured, by our clock, and how wrong that may be.
    newest: Option<(MonoTime, Duration)>,
    /// The worst since `since`, and of the span before.
    worst: [Option<Age>; 2],
    since: MonoTime,
}

impl Latency {
    /// Of a flow with a sample each `period`, of which none came.
    pub(crate) const fn new(period: Duration) -> Latency {
        Latency { period, newest: None, worst: [None; 2], since: MonoTime::ZERO }
    }

    /// A sample came at `now` that was so old.
    pub(crate) fn on_arrival(&mut self, now: MonoTime, age: Age) {
        let waited = self.waiting(now);
        self.note(now, waited);
        self.note(now, Some(age));
        let captured = now.saturating_sub(age.estimate);
        // One that was overtaken makes nothing younger, nor older.
        if self.newest.is_none_or(|(newest, _)| captured >= newest) {
            self.newest = Some((captured, age.error));
        }
    }

    /// The age of the newest sample.
    pub(crate) fn newest(&self, now: MonoTime) -> Option<Age> {
        self.newest.map(|(captured, error)| Age { estimate: now.since(captured), error })
    }

    /// The same less what it may grow until the next one.
    fn waiting(&self, now: MonoTime) -> Option<Age> {
        let newest = self.newest(now)?;
        Some(Age { estimate: newest.estimate.saturating_sub(self.period), ..newest })
    }

    fn note(&mut self, now: MonoTime, age: Option<Age>) {
        let passed = now.since(self.since);
        if passed >= SPAN {
            let before = self.worst[0].filter(|_| passed < 2 * SPAN);
            (self.worst, self.since) = ([None, before], now);
        }
        self.worst[0] = worse(self.worst[0], age);
    }

    /// The worst at `now` and lately; `None` before the first sample.
    pub(crate) fn at(&self, now: MonoTime) -> Option<Age> {
        let passed = now.since(self.since);
        let [since, before] = self.worst;
        let lately = worse(since.filter(|_| passed < 2 * SPAN), before.filter(|_| passed < SPAN));
        worse(lately, self.waiting(now))
    }
}

/// The one of both that may be older.
pub(crate) fn worse(one: Option<Age>, other: Option<Age>) -> Option<Age> {
    [one, other].into_iter().flatten().max_by_key(Age::at_most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn age(estimate: u64, error: u64) -> Age {
        Age { estimate: Duration::from_millis(estimate), error: Duration::from_millis(error) }
    }

    #[test]
    fn a_steady_flow_is_as_old_as_its_samples_on_arrival() {
        let mut latency = Latency::new(Duration::from_millis(100));
        assert_eq!(latency.at(at(0)), None);
        for ms in (0..5_000).step_by(100) {
            latency.on_arrival(at(ms + 45), age(45, 3));
            assert_eq!(latency.at(at(ms + 144)), Some(age(45, 3)), "{ms}");
        }
    }

    #[test]
    fn what_does_not_come_makes_it_older() {
        let mut latency = Latency::new(Duration::from_millis(100));
        latency.on_arrival(at(1_000), age(40, 0));
        assert_eq!(latency.at(at(1_500)), Some(age(440, 0)));
        latency.on_arrival(at(1_600), age(40, 0));
        assert_eq!(latency.at(at(1_601)), Some(age(540, 0)), "the driver saw nothing newer for so long");
    }

    #[test]
    fn a_late_sample_counts_for_one_to_two_seconds() {
        let mut latency = Latency::new(Duration::from_millis(100));
        for ms in (1_000..5_000).step_by(100) {
            let late = if ms == 2_000 { age(50, 300) } else { age(50, 0) };
            latency.on_arrival(at(ms), late);
            match ms {
                2_000..=3_000 => assert_eq!(latency.at(at(ms)), Some(age(50, 300)), "{ms}"),
                4_100.. => assert_eq!(latency.at(at(ms)), Some(age(50, 0)), "{ms}"),
                _ => {}
            }
        }
    }

    #[test]
    fn a_sample_that_was_overtaken_makes_nothing_younger() {
        let mut latency = Latency::new(Duration::ZERO);
        latency.on_arrival(at(1_000), age(10, 0));
        latency.on_arrival(at(1_005), age(60, 0));
        assert_eq!(latency.at(at(4_000)), Some(age(3_010, 0)));
    }
}
