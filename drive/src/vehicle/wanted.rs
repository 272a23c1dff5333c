//! The gate's output in the words of a ROS base: a speed and a turn. SPEC.md DRV-112 to DRV-115.
//!
//! Pure. Invariant: without the dead-man, which the gate's output has while driving alone, the speed is 0.

use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::output::Motion;
use tokkyu_contract::yaml::vehicle::Vehicle;

use crate::control::Controls;

/// What `controls` are for `vehicle`, which may go at most `most_mps`; `None`: as fast as it can.
pub fn wanted(controls: &Controls, vehicle: &Vehicle, motion: Motion, most_mps: Option<f32>) -> Wanted {
    let top = vehicle.top_speed.mps();
    let most = most_mps.map_or(top, |most| most.clamp(0.0, top));
    let forward = forward_mps(controls, top).clamp(-most, most);
    match motion {
        Motion::Twist { turn_rate } => {
            // A base that turns on the spot would turn while it is held, braked or out of gear.
            let steering = if is_held(controls) { 0.0 } else { controls.steering() };
            // A slower vehicle that turned as fast would go another way than the driver steers.
            let turn_radps = f64::from(steering * (most / top)) * f64::from(turn_rate.radps());
            Wanted::Twist { forward_mps: f64::from(forward), turn_radps }
        }
        Motion::Ackermann { steering_angle } => Wanted::Ackermann {
            steering_rad: controls.steering() * steering_angle.rad(),
            speed_mps: forward,
            acceleration_mps2: acceleration_mps2(forward, controls, vehicle),
        },
    }
}

/// How hard a base is to change its speed to `forward`. 0 is "as hard as you can" to many: where it is to stand it is never
/// less than a comfortable stop, and never falls as the brake rises.
fn acceleration_mps2(forward: f32, controls: &Controls, vehicle: &Vehicle) -> f32 {
    if forward != 0.0 {
        return 0.0;
    }
    let comfort = vehicle.stop.comfort.deceleration.mps2();
    (controls.brake() * vehicle.full_brake.mps2()).max(comfort)
}

/// Without the dead-man, under any brake, and in neutral.
fn is_held(controls: &Controls) -> bool {
    !controls.dead_man() || controls.brake() > 0.0 || controls.fittings().gear == 0
}

/// Before any bound, for a vehicle that goes `top` at most.
fn forward_mps(controls: &Controls, top: f32) -> f32 {
    if is_held(controls) {
        return 0.0;
    }
    let direction = f32::from(controls.fittings().gear.signum());
    direction * controls.throttle() * top
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Fittings;
    use tokkyu_contract::units::{Acceleration, Angle, Speed, TurnRate};

    const TWIST: Motion = Motion::Twist { turn_rate: TurnRate(1_500) };
    const ACKERMANN: Motion = Motion::Ackermann { steering_angle: Angle(500) };

    /// 10 m/s, 8 m/s².
    fn vehicle() -> Vehicle {
        Vehicle { top_speed: Speed(36_000_000), full_brake: Acceleration(8_000), ..Vehicle::default() }
    }

    fn twist(controls: Controls) -> (f64, f64) {
        match wanted(&controls, &vehicle(), TWIST, None) {
            Wanted::Twist { forward_mps, turn_radps } => (forward_mps, turn_radps),
            other @ Wanted::Ackermann { .. } => panic!("{other:?}"),
        }
    }

    fn ackermann(controls: Controls) -> (f32, f32, f32) {
        match wanted(&controls, &vehicle(), ACKERMANN, None) {
            Wanted::Ackermann { steering_rad, speed_mps, acceleration_mps2 } => {
                (steering_rad, speed_mps, acceleration_mps2)
            }
            other @ Wanted::Twist { .. } => panic!("{other:?}"),
        }
    }

    fn in_gear(gear: i8, controls: Controls) -> Controls {
        controls.with_fittings(Fittings { gear, ..Fittings::default() })
    }

    #[test]
    fn throttle_is_a_part_of_the_top_speed_and_steering_one_of_full_steering() {
        let controls = Controls::new(0.25, 0.0, 0.5).unwrap();
        assert_eq!(twist(controls), (2.5, 0.75));
        assert_eq!(ackermann(controls), (0.25, 2.5, 0.0));
        assert_eq!(twist(in_gear(3, controls)), (2.5, 0.75), "gears forward differ in nothing");
        let right = Controls::new(0.0, 0.0, -1.0).unwrap();
        assert_eq!((twist(right), ackermann(right)), ((0.0, -1.5), (-0.5, 0.0, 1.5)));
    }

    #[test]
    fn reverse_is_negative_and_neutral_stands() {
        let controls = Controls::new(0.5, 0.0, 0.0).unwrap();
        assert_eq!((twist(in_gear(-1, controls)).0, ackermann(in_gear(-1, controls)).1), (-5.0, -5.0));
        let steered = in_gear(0, Controls::new(0.5, 0.0, 1.0).unwrap());
        assert_eq!((twist(steered), ackermann(steered)), ((0.0, 0.0), (0.5, 0.0, 1.5)));
    }

    #[test]
    fn a_brake_takes_the_speed_at_once_and_an_ackermann_base_is_told_how_hard() {
        let controls = Controls::new(1.0, 0.25, 0.5).unwrap();
        assert_eq!(twist(controls), (0.0, 0.0), "it does not turn on the spot under a brake");
        assert_eq!(
            ackermann(controls),
            (0.25, 0.0, 2.0),
            "a magnitude: forward as in reverse; the wheels still steer"
        );
        assert_eq!(ackermann(in_gear(-1, controls)), (0.25, 0.0, 2.0));
    }

    #[test]
    fn a_stop_is_all_zero_for_a_base_that_turns_on_the_spot_and_keeps_the_wheels_of_another() {
        for brake in [0.0, 0.5, 1.0] {
            let stop = Controls::released(brake, 0.5);
            assert_eq!(twist(stop), (0.0, 0.0));
            assert_eq!(ackermann(stop), (0.25, 0.0, (brake * 8.0).max(1.5)));
        }
        assert_eq!(
            (twist(Controls::emergency()), ackermann(Controls::emergency())),
            ((0.0, 0.0), (0.0, 0.0, 8.0))
        );
    }

    #[test]
    fn a_bound_bounds_the_speed_either_way_and_the_turn_of_a_twist_with_it() {
        let full = Controls::new(1.0, 0.0, 1.0).unwrap();
        let slow = |controls, motion| wanted(&controls, &vehicle(), motion, Some(2.5));
        assert_eq!(slow(full, TWIST), Wanted::Twist { forward_mps: 2.5, turn_radps: 0.375 });
        assert_eq!(slow(in_gear(-1, full), TWIST), Wanted::Twist { forward_mps: -2.5, turn_radps: 0.375 });
        let Wanted::Ackermann { speed_mps, steering_rad, .. } = slow(in_gear(-1, full), ACKERMANN) else {
            panic!("an Ackermann")
        };
        assert_eq!((speed_mps, steering_rad), (-2.5, 0.5), "an angle is the same way at any speed");
        let part = Controls::new(0.1, 0.0, 0.0).unwrap();
        assert_eq!(slow(part, TWIST), Wanted::Twist { forward_mps: 1.0, turn_radps: 0.0 }, "below it");
        let none = wanted(&full, &vehicle(), TWIST, Some(0.0));
        assert_eq!(none, Wanted::Twist { forward_mps: 0.0, turn_radps: 0.0 });
    }

    /// 0 is "as hard as you can" to many bases.
    #[test]
    fn an_ackermann_base_that_is_to_stand_is_told_how_hard_and_no_less_the_more_it_is_braked() {
        let comfort = vehicle().stop.comfort.deceleration.mps2();
        let gears = [-1, 0, 1].map(|gear| move |controls| ackermann(in_gear(gear, controls)));
        for standing in gears {
            for held in [false, true] {
                let brakes = (0..=1_000).map(|part| part as f32 / 1_000.0);
                let told = brakes.map(|brake| match held {
                    true => standing(Controls::new(0.0, brake, 0.0).unwrap()),
                    false => standing(Controls::released(brake, 0.0)),
                });
                let told: Vec<_> = told.map(|(_, speed, slow)| (speed, slow)).collect();
                assert!(told.iter().all(|(speed, slow)| *speed == 0.0 && *slow >= comfort && comfort > 0.0));
                assert!(told.windows(2).all(|pair| pair[0].1 <= pair[1].1));
                assert_eq!(told.last().unwrap().1, 8.0);
            }
        }
        assert_eq!(ackermann(Controls::new(0.1, 0.0, 0.0).unwrap()), (0.0, 1.0, 0.0), "it is to go");
    }
}
