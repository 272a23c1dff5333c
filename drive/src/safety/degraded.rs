//! A worse link means a slower vehicle. SPEC.md DRV-104 to DRV-108.
//!
//! Pure, constant time; a part of the gate. What a camera sees is as old as `pictures` when the driver acts, the command is
//! as old as `commands` when the motors get it, and they need `reaction`: meanwhile the vehicle goes on as before.
//!
//! ```text
//!   throttle 1 ─────────────┐             brake 0 ─────────────────────┐
//!                             ╲                                          ╲
//!            0                  └─────    of the comfort stop              └─────
//!                        0.9   1                                      1   1.1    speed / bound
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::vehicle::{StopProfile, Vehicle};

use super::latency::Latency;
use super::stop::Profile;
use crate::control::{Age, Controls};

/// The throttle begins to go at this part of the bound, below it.
const BAND: f32 = 0.1;
/// The band of a slow vehicle, m/s: speeds are not measured more finely.
const LEAST_BAND_MPS: f32 = 0.2;
/// The brake goes so many times faster than it came.
const LETS_GO: f32 = 4.0;

/// The rule, of one vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Degraded {
    /// So far it may go from what a camera sees to what the motors do about it, m.
    pub blind_m: f32,
    /// What the vehicle adds to the latency.
    pub reaction: Duration,
    /// Its highest speed, m/s.
    pub top_mps: f32,
    /// How it brakes for the bound.
    pub comfort: Profile,
    /// Between two commands.
    pub period: Duration,
    /// Older pictures are none; `None` where there are no cameras.
    pub pictures: Option<Duration>,
    /// Throttle is a part of the top speed, which the motors hold by themselves, and no force.
    pub throttle_is_speed: bool,
}

impl Degraded {
    /// What `vehicle` declares, if it does, with a command each `period` and `pictures` that count.
    pub fn of(vehicle: &Vehicle, period: Duration, pictures: Option<Duration>) -> Option<Degraded> {
        let declared = vehicle.degraded.as_ref()?;
        Some(Degraded {
            blind_m: declared.blind_m(),
            reaction: declared.reaction,
            top_mps: vehicle.top_speed.mps(),
            comfort: Profile::of(
                vehicle.stop.braking(StopProfile::Comfort),
                vehicle.full_brake,
                vehicle.top_speed,
            ),
            period,
            pictures,
            throttle_is_speed: false,
        })
    }

    /// The same for motors whose throttle is a speed.
    #[must_use]
    pub fn of_speed(self, throttle_is_speed: bool) -> Degraded {
        Degraded { throttle_is_speed, ..self }
    }
}

/// How fast the vehicle may be, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cap {
    /// At most so fast, m/s; `None`: as fast as it can.
    pub most_mps: Option<f32>,
    /// From what a camera sees to what the motors do, errors included; `None`: not known.
    pub latency: Option<Duration>,
    /// The pictures' part.
    pub pictures: Option<Duration>,
    /// The commands' part.
    pub commands: Option<Duration>,
}

/// The rule at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Governor {
    rule: Degraded,
    commands: Latency,
    /// As the newest fresh command told.
    pictures: Option<Age>,
    at: MonoTime,
    /// The part of the driver's throttle that is let through.
    throttle: f32,
    brake: f32,
}

impl Governor {
    pub(super) fn new(rule: Degraded) -> Governor {
        let commands = Latency::new(rule.period);
        Governor { rule, commands, pictures: None, at: MonoTime::ZERO, throttle: 0.0, brake: 0.0 }
    }

    /// A fresh command came that was so old, and whose driver saw `pictures`.
    pub(super) fn on_command(&mut self, now: MonoTime, age: Age, pictures: Option<Age>) {
        self.commands.on_arrival(now, age);
        self.pictures = pictures;
    }

    /// Nothing is known of another operator, or another run of the same.
    pub(super) fn on_new_session(&mut self) {
        (self.commands, self.pictures) = (Latency::new(self.rule.period), None);
    }

    /// Whether the driver sees nothing that is worth looking at.
    pub(super) fn is_blind(&self) -> bool {
        let seen = self.pictures.map(|age| age.at_most());
        self.rule.pictures.is_some_and(|oldest| seen.is_none_or(|age| age > oldest))
    }

    pub(super) fn cap(&self, now: MonoTime) -> Cap {
        let seen = self.pictures.map(|age| age.at_most());
        let pictures = if self.rule.pictures.is_some() { seen } else { Some(Duration::ZERO) };
        let commands = self.commands.at(now).map(|age| age.at_most());
        let on_the_way = pictures.zip(commands).map(|(one, other)| one.saturating_add(other));
        let latency = on_the_way.map(|span| span.saturating_add(self.rule.reaction));
        let most = latency.map_or(0.0, |latency| self.rule.blind_m / latency.as_secs_f32().max(1e-6));
        Cap { most_mps: (most < self.rule.top_mps).then_some(most), latency, pictures, commands }
    }

    /// Time passed; the motors tell `speed`, m/s, where they tell any.
    pub(super) fn advance(&mut self, now: MonoTime, speed: Option<f32>) {
        let seconds = now.since(self.at).as_secs_f32().min(1.0);
        self.at = now;
        // A force is held back by how fast the vehicle is; a speed is never more than it may be.
        let speed = speed.filter(|_| !self.rule.throttle_is_speed);
        let most = self.cap(now).most_mps.unwrap_or(f32::INFINITY);
        let band = (BAND * most).max(LEAST_BAND_MPS);
        let brake = match speed {
            _ if most.is_infinite() => 0.0,
            Some(speed) => ((speed - most) / band).clamp(0.0, 1.0) * self.rule.comfort.brake,
            None => 0.0,
        };
        self.throttle = match speed {
            _ if most.is_infinite() => 1.0,
            Some(speed) => ((most - speed) / band).clamp(0.0, 1.0),
            None => most / self.rule.top_mps,
        };
        let step = self.rule.comfort.rise_per_s * seconds;
        self.brake = brake.clamp(self.brake - LETS_GO * step, self.brake + step);
    }

    /// What the driver gets of `wanted`.
    pub(super) fn limited(&self, wanted: &Controls) -> Controls {
        let brake = wanted.brake().max(self.brake);
        Controls::clamped(self.throttle * wanted.throttle(), brake, wanted.steering())
            .with_fittings(wanted.fittings())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokkyu_contract::yaml::robot;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn age(estimate: u64, error: u64) -> Age {
        Age { estimate: ms(estimate), error: ms(error) }
    }

    /// 50 km/h at 200 ms, which is the default's top speed, and 40 ms of its own.
    fn rule(pictures: Option<Duration>) -> Degraded {
        let text = "robot: r\nvehicle: {degraded: {speed: 50 km/h, at: 200 ms, reaction: 40 ms}}\n\
                    flows:\n  drive: {class: control, toward: vehicle}\n";
        let robot = robot::parse("robot.yaml", text).unwrap();
        Degraded::of(&robot.vehicle, ms(20), pictures).unwrap()
    }

    fn kmh(cap: Cap) -> Option<f32> {
        cap.most_mps.map(|mps| (mps * 36.0).round() / 10.0)
    }

    #[test]
    fn the_bound_is_in_proportion_to_pictures_commands_and_reaction_with_their_errors() {
        let mut governor = Governor::new(rule(Some(ms(500))));
        assert_eq!(kmh(governor.cap(at(0))), Some(0.0), "nothing is known");
        for (pictures, command, expected) in [
            (age(100, 10), age(20, 5), None),
            (age(150, 20), age(30, 10), Some(40.0)),
            (age(400, 20), age(30, 10), Some(20.0)),
        ] {
            governor.on_new_session();
            governor.on_command(at(1_000), command, Some(pictures));
            assert_eq!(kmh(governor.cap(at(1_010))), expected);
        }
    }

    #[test]
    fn pictures_that_are_not_known_or_too_old_are_none() {
        let mut governor = Governor::new(rule(Some(ms(500))));
        let seen = [None, Some(age(501, 0)), Some(age(400, 101)), Some(age(400, 100))];
        let blind = seen.map(|pictures| {
            governor.on_command(at(0), Age::ZERO, pictures);
            governor.is_blind()
        });
        assert_eq!(blind, [true, true, true, false]);
        let mut alone = Governor::new(rule(None));
        alone.on_command(at(0), age(200, 10), None);
        assert_eq!((alone.is_blind(), kmh(alone.cap(at(0)))), (false, Some(40.0)), "commands alone count");
    }

    #[test]
    fn without_a_measured_speed_the_throttle_is_scaled_and_nothing_brakes() {
        let mut governor = Governor::new(rule(None));
        governor.on_command(at(1_000), age(360, 0), None);
        governor.advance(at(1_000), None);
        let given = governor.limited(&Controls::new(0.8, 0.0, 0.1).unwrap());
        assert_eq!(((given.throttle() * 1e3).round(), given.brake(), given.steering()), (400.0, 0.0, 0.1));
    }

    #[test]
    fn a_throttle_that_is_a_speed_is_scaled_whatever_speed_is_measured_and_nothing_brakes() {
        let mut governor = Governor::new(rule(None).of_speed(true));
        for speed in [0.0, 3.0, 6.9, 6.95, 7.5, 60.0].map(Some).into_iter().chain([None]) {
            governor.on_command(at(1_000), age(360, 0), None);
            governor.advance(at(1_000), speed);
            let given = governor.limited(&Controls::new(1.0, 0.0, 0.0).unwrap());
            let most = governor.cap(at(1_000)).most_mps.unwrap();
            assert!((given.throttle() * 13.888_889 - most).abs() < 1e-3, "{speed:?}: {}", given.throttle());
            assert_eq!(given.brake(), 0.0, "{speed:?}");
        }
    }

    /// A vehicle that gains `accelerates` m/s² under full throttle, on the flat or downhill.
    fn drive(governor: &mut Governor, from: f32, seconds: u64, accelerates: f32, downhill: f32) -> Vec<f32> {
        let mut speed = from;
        let step = |n: u64| {
            let now = at(10_000 + 20 * n);
            governor.on_command(now, age(360, 0), None);
            governor.advance(now, Some(speed));
            let given = governor.limited(&Controls::new(1.0, 0.0, 0.0).unwrap());
            let throttle = if given.brake() > 0.0 { 0.0 } else { given.throttle() };
            speed = (speed + 0.02 * (accelerates * throttle + downhill - 8.0 * given.brake())).max(0.0);
            speed
        };
        (0..seconds * 50).map(step).collect()
    }

    #[test]
    fn a_fast_vehicle_is_braked_to_the_bound_no_harder_than_comfort_and_stays_there() {
        let mut governor = Governor::new(rule(None));
        let speeds = drive(&mut governor, 13.9, 30, 2.0, 0.0);
        let hardest = speeds.windows(2).map(|pair| (pair[0] - pair[1]) / 0.02).fold(0.0, f32::max);
        assert!(hardest <= 1.51, "{hardest} m/s2");
        let after: Vec<f32> = speeds[500..].to_vec();
        assert!(after.iter().all(|speed| (5.5..7.05).contains(speed)), "{after:?}");
        let downhill = drive(&mut governor, 13.9, 30, 2.0, 0.5);
        assert!(downhill[1_000..].iter().all(|speed| *speed < 1.1 * 6.95), "{downhill:?}");
    }

    proptest! {
        #[test]
        fn the_driver_never_gets_more_throttle_or_less_brake_than_wanted(
            steps in proptest::collection::vec(
                (1u64..200, 0u64..3_000, proptest::option::of(0u64..900), proptest::option::of(0.0f32..60.0), 0.0f32..=1.0, 0.0f32..=1.0),
                1..50,
            ),
        ) {
            let mut governor = Governor::new(rule(Some(ms(500))));
            let mut now = 1_000;
            for (passed, command, pictures, speed, throttle, brake) in steps {
                now += passed;
                governor.on_command(at(now), age(command, 0), pictures.map(|ms| age(ms, 1)));
                governor.advance(at(now), speed);
                let given = governor.limited(&Controls::new(throttle, brake, 0.0).unwrap());
                prop_assert!(given.throttle() <= throttle && given.brake() >= brake && given.brake() <= 1.0);
            }
        }
    }
}
