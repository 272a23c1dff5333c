//! Whether the vehicle has told that it stopped, after the driver asked for an emergency stop.
//!
//! Pure; runs in the main thread. Sources of controls ask for the stop until its release, so it is sent at every tick; what
//! is watched here is when the program may end (DRV-13). A session that is new may be that of a vehicle which started
//! again and knows of no stop, so the stop has to be told anew.

use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::safety::State;

/// The program goes on for so long at its end, at most, until the vehicle tells that it stopped.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct StopWatch {
    /// From when on a report counts: older ones tell of an earlier stop.
    asked: Option<MonoTime>,
    is_confirmed: bool,
    give_up_at: Option<MonoTime>,
}

impl StopWatch {
    /// What the driver wants at `now`.
    pub(super) fn on_wish(&mut self, now: MonoTime, e_stop: bool) {
        match (e_stop, self.asked) {
            (true, None) => (self.asked, self.is_confirmed) = (Some(now), false),
            (false, Some(_)) => self.asked = None,
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// A session is up.
    pub(super) fn on_session(&mut self, now: MonoTime) {
        self.asked = self.asked.map(|_| now);
        self.is_confirmed = false;
    }

    /// The vehicle told its gate's state at `at`.
    pub(super) fn on_report(&mut self, at: MonoTime, state: State) {
        let counts = self.asked.is_some_and(|asked| at >= asked);
        self.is_confirmed |= counts && state == State::Emergency;
    }

    /// A stop was asked for, and the vehicle has not told that it stopped.
    pub(super) fn is_open(&self) -> bool {
        self.asked.is_some() && !self.is_confirmed
    }

    /// Whether the program, which wants to end since the first call of this, has to go on.
    pub(super) fn holds(&mut self, now: MonoTime) -> bool {
        let give_up_at = *self.give_up_at.get_or_insert(now + PATIENCE);
        self.is_open() && now < give_up_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn asked_at(ms: u64) -> StopWatch {
        let mut watch = StopWatch::default();
        watch.on_wish(at(ms), true);
        watch
    }

    #[test]
    fn a_stop_is_open_until_the_vehicle_tells_it_and_a_report_from_before_does_not_count() {
        let mut watch = asked_at(100);
        watch.on_wish(at(120), true);
        watch.on_report(at(99), State::Emergency);
        watch.on_report(at(130), State::Driving);
        assert!(watch.is_open());
        watch.on_report(at(100), State::Emergency);
        assert!(!watch.is_open());
    }

    #[test]
    fn the_end_waits_for_an_open_stop_at_most_its_patience_and_for_nothing_else() {
        assert!(!StopWatch::default().holds(at(0)));
        let mut watch = asked_at(100);
        assert!(watch.holds(at(200)) && watch.holds(at(1_199)));
        assert!(!watch.holds(at(1_200)) && watch.is_open());
        let mut told = asked_at(100);
        assert!(told.holds(at(200)));
        told.on_report(at(210), State::Emergency);
        assert!(!told.holds(at(211)));
    }

    #[test]
    fn a_stop_is_open_again_in_a_new_session_and_over_when_it_is_released() {
        let mut watch = asked_at(100);
        watch.on_report(at(150), State::Emergency);
        watch.on_session(at(200));
        watch.on_report(at(199), State::Emergency);
        assert!(watch.is_open(), "a vehicle that started again knows of no stop");
        watch.on_wish(at(300), false);
        assert!(!watch.is_open());
    }
}
