//! What the motors get, step by step: nothing jumps that would break a vehicle or throw it off the road. SPEC.md DRV-15,
//! DRV-95, DRV-96.
//!
//! Pure, constant time; a part of the gate. Invariants: throttle and brake are never given together; throttle is given
//! under a driver's wish alone; a stop's brake is given as the stop says; the wheels go where the last enabled command
//! wanted them, and no stop turns them.

use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::vehicle::{SlewLimits, Vehicle};

use crate::control::{Controls, Fittings};

/// How fast controls may change while the vehicle drives, in their whole range (0 to 1) a second. Letting the throttle go
/// for the brake, and a stop's brake, are not held back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slew {
    /// Throttle, up and down.
    pub throttle_per_s: f32,
    /// Brake, up and down.
    pub brake_per_s: f32,
    /// Steering; from full left to full right is 2.
    pub steering_per_s: f32,
}

impl From<&SlewLimits> for Slew {
    fn from(limits: &SlewLimits) -> Slew {
        Slew {
            throttle_per_s: limits.throttle.per_s(),
            brake_per_s: limits.brake.per_s(),
            steering_per_s: limits.steering.per_s(),
        }
    }
}

impl Default for Slew {
    fn default() -> Slew {
        Slew::from(&Vehicle::default().slew)
    }
}

/// While something changes, the motors are told each such step.
pub(super) const STEP: Duration = Duration::from_millis(10);
/// A longer pause counts as so long: nobody was there to see what happened in it.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// What the gate wants of the motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wish {
    /// What the driver wants.
    Drive(Controls),
    /// To stop, or to be held.
    Brake(f32),
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    slew: Slew,
    at: MonoTime,
    controls: Controls,
    /// Where the last enabled command wanted the wheels.
    steering: f32,
}

impl Output {
    pub(super) fn new(slew: Slew) -> Output {
        Output { slew, at: MonoTime::ZERO, controls: Controls::released(1.0, 0.0), steering: 0.0 }
    }

    /// An enabled command drives, and wants the wheels there.
    pub(super) fn on_driven(&mut self, steering: f32) {
        self.steering = steering;
    }

    /// Goes on to `now`, towards `wish` and with `fittings` (what the driver wants of them); `moves` where the vehicle is
    /// known to.
    pub(super) fn advance(&mut self, now: MonoTime, wish: &Wish, fittings: Fittings, moves: bool) {
        let seconds = now.since(self.at).min(LONGEST_PAUSE).as_secs_f32();
        self.at = now;
        let steering = step(self.controls.steering(), self.steering, self.slew.steering_per_s * seconds);
        let gear = self.gear(wish, fittings.gear, moves);
        let controls = match wish {
            Wish::Brake(brake) => Controls::released(*brake, steering),
            Wish::Drive(driver) => {
                let brake = step(self.controls.brake(), driver.brake(), self.slew.brake_per_s * seconds);
                let most = if brake > 0.0 || gear != fittings.gear { 0.0 } else { driver.throttle() };
                let throttle = match most > 0.0 {
                    true => step(self.controls.throttle(), most, self.slew.throttle_per_s * seconds),
                    false => 0.0,
                };
                Controls::clamped(throttle, brake, steering)
            }
        };
        self.controls = controls.with_fittings(Fittings { gear, ..fittings });
    }

    /// Another direction is taken up without throttle and at a stand alone.
    fn gear(&self, wish: &Wish, wanted: i8, moves: bool) -> i8 {
        let gear = self.controls.fittings().gear;
        let throttle = match wish {
            Wish::Drive(driver) => driver.throttle().max(self.controls.throttle()),
            Wish::Brake(_) => 0.0,
        };
        let is_turn = wanted != 0 && gear.signum() != wanted.signum();
        if is_turn && (throttle > 0.0 || moves) { gear } else { wanted }
    }

    /// What the motors get since the last step.
    pub(super) const fn controls(&self) -> Controls {
        self.controls
    }

    /// When to go on, if `wish` is not reached.
    pub(super) fn wake_at(&self, wish: &Wish) -> Option<MonoTime> {
        let (throttle, brake) = match wish {
            Wish::Drive(driver) => (driver.throttle(), driver.brake()),
            Wish::Brake(brake) => (0.0, *brake),
        };
        let is_there = self.controls.steering() == self.steering
            && self.controls.brake() == brake
            && (self.controls.throttle() == throttle || brake > 0.0);
        (!is_there).then(|| self.at + STEP)
    }
}

/// From `value` towards `wanted`, by at most `most`.
fn step(value: f32, wanted: f32, most: f32) -> f32 {
    // Not value + difference: that need not come out at what was wanted.
    if (wanted - value).abs() <= most { wanted } else { value + most.copysign(wanted - value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn drive(throttle: f32, brake: f32) -> Wish {
        Wish::Drive(Controls::new(throttle, brake, 0.0).unwrap())
    }

    fn after(output: &mut Output, ms: u64, wish: Wish) -> Controls {
        output.advance(at(ms), &wish, Fittings::default(), false);
        output.controls()
    }

    fn drive_for_half_a_second(output: &mut Output, throttle: f32) {
        for ms in (50..=500).step_by(50) {
            after(output, ms, drive(throttle, 0.0));
        }
    }

    #[test]
    fn throttle_comes_when_the_brake_is_off_and_then_at_its_rate() {
        let mut output = Output::new(Slew::default());
        let full = drive(1.0, 0.0);
        let seen: Vec<_> = (1..=5).map(|n| after(&mut output, 50 * n, full)).collect();
        let pairs: Vec<_> = seen.iter().map(|c| (c.throttle(), c.brake())).collect();
        assert_eq!(pairs, [(0.0, 0.5), (0.25, 0.0), (0.5, 0.0), (0.75, 0.0), (1.0, 0.0)]);
        assert_eq!(output.wake_at(&full), None);
    }

    #[test]
    fn throttle_and_brake_together_are_brake() {
        let mut output = Output::new(Slew::default());
        drive_for_half_a_second(&mut output, 1.0);
        let both = after(&mut output, 510, drive(1.0, 0.3));
        assert_eq!(both.throttle(), 0.0);
        assert!(both.brake() > 0.0);
    }

    #[test]
    fn a_stop_takes_the_throttle_and_gives_its_brake_at_once_and_leaves_the_wheels() {
        let mut output = Output::new(Slew::default());
        output.on_driven(0.5);
        drive_for_half_a_second(&mut output, 1.0);
        let stop = after(&mut output, 501, Wish::Brake(0.4));
        assert_eq!((stop.throttle(), stop.brake(), stop.steering()), (0.0, 0.4, 0.5));
        assert!(!stop.dead_man());
    }

    #[test]
    fn another_direction_waits_for_no_throttle_and_a_stand() {
        let mut output = Output::new(Slew::default());
        let reverse = Fittings { gear: -1, ..Fittings::default() };
        drive_for_half_a_second(&mut output, 0.5);
        output.advance(at(510), &drive(0.5, 0.0), reverse, false);
        assert_eq!((output.controls().throttle(), output.controls().fittings().gear), (0.0, 1));
        output.advance(at(520), &drive(0.0, 0.0), reverse, true);
        assert_eq!(output.controls().fittings().gear, 1, "it rolls");
        output.advance(at(530), &drive(0.0, 0.0), reverse, false);
        assert_eq!(output.controls().fittings().gear, -1);
    }

    proptest! {
        #[test]
        fn nothing_jumps_and_throttle_never_comes_with_brake(
            wishes in proptest::collection::vec((1u64..300, 0.0f32..=1.0, 0.0f32..=1.0, -1.0f32..=1.0, 0u8..6), 1..60),
        ) {
            let mut output = Output::new(Slew::default());
            let (mut now, mut before) = (0, output.controls());
            for (passed, throttle, brake, steering, kind) in wishes {
                now += passed;
                let brake = if kind < 3 { 0.0 } else { brake };
                let wish = match kind {
                    5 => Wish::Brake(brake),
                    _ => { output.on_driven(steering); drive(throttle, brake) }
                };
                output.advance(at(now), &wish, Fittings::default(), false);
                let given = output.controls();
                let seconds = passed.min(100) as f32 / 1e3 + 1e-4;
                prop_assert!(given.throttle() == 0.0 || given.brake() == 0.0);
                prop_assert!(given.throttle() - before.throttle() <= 5.0 * seconds);
                prop_assert!((given.steering() - before.steering()).abs() <= 4.0 * seconds);
                prop_assert!(kind == 5 || (given.brake() - before.brake()).abs() <= 10.0 * seconds);
                before = given;
            }
        }
    }
}
