//! A built-in drive for runs without a driver: a gentle round of 20 s, again and again.
//!
//! Pure; a function of the time since the first question. Invariant: it never brakes and drives at once, and starts
//! and ends each round standing still, with the dead-man released, pressed again, and the enable button with it: a vehicle
//! that stopped on the way stands until the next round (DRV-87).
//!
//! ```text
//!   0 s ── dead-man released ── 0.7 s ── enable ── 1 s ── speed up ── 4 s ── drive in bends ── 14 s ── roll ── 16 s ── brake ── 19 s
//!   ── stand ── 20 s
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::{ControlError, ControlSource, Controls};

/// Length of one round.
pub const ROUND: Duration = Duration::from_secs(20);

/// Released for longer than the gate asks for, as commands may be late or lost.
const RELEASED_S: f32 = 0.7;
/// Pressed for longer than any one command may be late.
const ENABLED_S: f32 = 1.0;
const CRUISE: f32 = 0.35;
const FULL_BRAKE: f32 = 0.6;
const BEND: f32 = 0.5;
/// One bend to the left and one to the right.
const BEND_S: f32 = 5.0;

/// The built-in drive; see the module.
#[derive(Default)]
pub struct Pattern {
    begun: Option<MonoTime>,
}

impl Pattern {
    /// A drive that begins when its controls are first asked.
    pub fn new() -> Pattern {
        Pattern::default()
    }
}

impl ControlSource for Pattern {
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError> {
        let begun = *self.begun.get_or_insert(now);
        Ok(at(now.since(begun)))
    }
}

/// The controls `elapsed` after the beginning.
pub fn at(elapsed: Duration) -> Controls {
    let round_nanos = elapsed.as_nanos() % ROUND.as_nanos();
    let second = (round_nanos as f64 / 1e9) as f32;
    let (throttle, brake, steering) = match second {
        ..RELEASED_S => return Controls::NEUTRAL,
        RELEASED_S..ENABLED_S => return Controls::clamped(0.0, 0.0, 0.0).with_enable(true),
        ENABLED_S..4.0 => (CRUISE * (second - ENABLED_S) / (4.0 - ENABLED_S), 0.0, 0.0),
        4.0..14.0 => (CRUISE, 0.0, BEND * (std::f32::consts::TAU * (second - 4.0) / BEND_S).sin()),
        14.0..16.0 => (0.0, 0.0, 0.0),
        16.0..19.0 => (0.0, FULL_BRAKE * (second - 16.0) / 3.0, 0.0),
        _ => (0.0, FULL_BRAKE, 0.0),
    };
    Controls::clamped(throttle, brake, steering)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round() -> impl Iterator<Item = Controls> {
        (0..2_000).map(|step| at(Duration::from_millis(step * 10)))
    }

    #[test]
    fn a_round_uses_every_control_and_never_two_against_each_other() {
        assert!(round().any(|c| c.throttle() > 0.3));
        assert!(round().any(|c| c.brake() > 0.5));
        assert!(round().any(|c| c.steering() > 0.4) && round().any(|c| c.steering() < -0.4));
        assert!(round().all(|c| c.throttle() == 0.0 || c.brake() == 0.0));
        assert!(round().all(|c| !c.e_stop() && !c.reset()));
    }

    #[test]
    fn each_round_begins_by_pressing_the_dead_man_and_the_enable_button_anew() {
        let held: Vec<bool> = round().map(|c| c.dead_man()).collect();
        assert!(held[..70].iter().all(|held| !held) && held[70..].iter().all(|held| *held));
        let pressed: Vec<usize> =
            (0..2_000).zip(round()).filter(|(_, c)| c.enable()).map(|(n, _)| n).collect();
        assert_eq!((pressed.first(), pressed.last(), pressed.len()), (Some(&70), Some(&99), 30));
    }

    #[test]
    fn steering_has_no_jump_a_vehicle_could_not_follow() {
        let steering: Vec<_> = round().map(|c| c.steering()).collect();
        assert!(steering.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.02));
    }

    #[test]
    fn the_drive_begins_at_the_first_question_and_repeats() {
        let mut pattern = Pattern::new();
        let start = MonoTime::from_millis(123_456);
        assert_eq!(pattern.controls(start).unwrap(), Controls::NEUTRAL);
        let later = pattern.controls(start + Duration::from_secs(8)).unwrap();
        assert_eq!(later.throttle(), CRUISE);
        assert_eq!(pattern.controls(start + Duration::from_secs(28)).unwrap(), later);
    }
}
