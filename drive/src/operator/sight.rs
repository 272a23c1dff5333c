//! How old what the driver sees is. SPEC.md DRV-105.
//!
//! The threads of pictures tell what came, the one that sends commands asks at each. All of them are real-time threads, and a
//! lock is held for a few words only.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::robot::Robot;

use crate::control::Age;
use crate::program::wiring;
use crate::safety::latency::{Latency, worse};

/// See the module.
#[derive(Debug)]
pub(super) struct Sight {
    eyes: Vec<Eye>,
}

/// One camera that counts.
#[derive(Debug)]
struct Eye {
    /// Its place among all cameras.
    stream: usize,
    period: Duration,
    lifespan: Option<Duration>,
    /// What came in which session: another one may be of another vehicle, with another clock.
    seen: Mutex<Option<(u64, Latency)>>,
}

impl Sight {
    /// Of the cameras that count, before any picture.
    pub(super) fn of(robot: &Robot) -> Sight {
        let eye = |(stream, flow)| Eye {
            stream,
            period: wiring::period(flow),
            lifespan: flow.qos.lifespan,
            seen: Mutex::new(None),
        };
        Sight { eyes: wiring::cameras_that_count(robot).into_iter().map(eye).collect() }
    }

    /// A whole picture of camera `stream` came in `session` and was so old.
    pub(super) fn on_picture(&self, stream: usize, session: u64, now: MonoTime, age: Age) {
        let Some(eye) = self.eyes.iter().find(|eye| eye.stream == stream) else { return };
        // A thread that panicked with the lock held left numbers, each valid by itself.
        let mut seen = eye.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *seen {
            Some((known, latency)) if *known == session => latency.on_arrival(now, age),
            Some((known, _)) if *known > session => {}
            other => {
                let mut latency = Latency::new(eye.period);
                latency.on_arrival(now, age);
                *other = Some((session, latency));
            }
        }
    }

    /// How old what the driver sees is in `session`, by the camera whose picture is the oldest; `None` where one shows
    /// nothing, or what is too old.
    pub(super) fn age(&self, session: u64, now: MonoTime) -> Option<Age> {
        let ages = self.eyes.iter().map(|eye| eye.age(session, now)).collect::<Option<Vec<Age>>>()?;
        ages.into_iter().fold(None, |oldest, age| worse(oldest, Some(age)))
    }
}

impl Eye {
    fn age(&self, session: u64, now: MonoTime) -> Option<Age> {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, latency) = seen.filter(|(known, _)| *known == session)?;
        let is_alive = |_: &Age| {
            let newest = latency.newest(now);
            newest.zip(self.lifespan).is_none_or(|(age, lifespan)| age.at_most() <= lifespan)
        };
        latency.at(now).filter(is_alive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::yaml::robot;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn age(estimate: u64) -> Age {
        Age { estimate: Duration::from_millis(estimate), error: Duration::from_millis(2) }
    }

    fn sight(vehicle: &str) -> Sight {
        let camera =
            |name| format!("  {name}: {{class: realtime, source: {{test: picture}}, lifespan: 500 ms}}\n");
        let text = format!("robot: r\n{vehicle}flows:\n{}{}", camera("front"), camera("rear"));
        Sight::of(&robot::parse("robot.yaml", &text).unwrap())
    }

    #[test]
    fn the_oldest_camera_counts_and_one_that_shows_nothing_is_not_known() {
        let sight = sight("");
        sight.on_picture(0, 1, at(1_000), age(40));
        assert_eq!(sight.age(1, at(1_000)), None, "the rear shows nothing");
        sight.on_picture(1, 1, at(1_000), age(90));
        assert_eq!(sight.age(1, at(1_000)), Some(age(90)));
        sight.on_picture(1, 1, at(1_400), age(90));
        assert_eq!(sight.age(1, at(1_450)), Some(age(390)), "the front grows older");
        assert_eq!(sight.age(1, at(1_459)), None, "and is too old in the end");
    }

    #[test]
    fn what_came_in_another_session_is_not_seen() {
        let sight = sight("vehicle: {degraded: {speed: 50 km/h, at: 200 ms, cameras: [front]}}\n");
        sight.on_picture(0, 1, at(1_000), age(40));
        assert_eq!((sight.age(1, at(1_000)), sight.age(2, at(1_000))), (Some(age(40)), None));
        sight.on_picture(0, 2, at(1_100), age(60));
        sight.on_picture(0, 1, at(1_110), age(40));
        assert_eq!(sight.age(2, at(1_110)), Some(age(60)), "a picture of before is late");
    }

    #[test]
    fn a_robot_without_cameras_shows_nothing() {
        let text = "robot: r\nflows:\n  drive: {class: control, toward: vehicle}\n";
        assert_eq!(Sight::of(&robot::parse("robot.yaml", text).unwrap()).age(1, at(0)), None);
    }
}
