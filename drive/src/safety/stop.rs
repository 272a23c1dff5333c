//! How a vehicle is brought to a stand: why, how hard, how soon. SPEC.md DRV-91 to DRV-94.
//!
//! Pure. A stop begins with the brake as it was and rises at the profile's rate to the profile's brake; it never falls
//! before the vehicle stands.
//!
//! ```text
//!   brake
//!     1 ┤                                   ┌── held: 1
//!       │                                   │
//!   b ──┤            ┌──────────────────────┘ standstill: measured, or the profile's longest time
//!       │         ╱
//!  from ┤───────╱  rise_per_s
//!       └───────┬────────────────────────────────▶ time
//!             since
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::units::{Acceleration, Speed};
use tokkyu_contract::yaml::vehicle::{Braking, StopProfile, Vehicle};

/// Why the vehicle stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The driver let the dead-man go.
    Released,
    /// Fresh commands ceased.
    Lost,
    /// Pictures do not reach the driver.
    Blind,
    /// The operator's program began anew, or released an emergency stop that there was not.
    Anew,
    /// Another end took the seat, or was given it.
    SeatTaken,
    /// Its motors took too long to take what they were given.
    Motors,
    /// It still moved when its stop should have been over.
    Overrun,
    /// The vehicle's own program ends: nobody gives the motors anything any more.
    Ended,
    /// The emergency stop, of the driver or another end.
    EmergencyStop,
}

impl Cause {
    /// In a few words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Cause::Released => "dead-man let go",
            Cause::Lost => "commands ceased",
            Cause::Blind => "pictures do not reach the driver",
            Cause::Anew => "operator's program began anew",
            Cause::SeatTaken => "another end has the seat",
            Cause::Motors => "motors did not take their controls",
            Cause::Overrun => "moved after its stop",
            Cause::Ended => "vehicle's program ended",
            Cause::EmergencyStop => "emergency stop",
        }
    }
}

/// How a stop brakes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Part of the full brake, above 0, at most 1.
    pub brake: f32,
    /// How fast the brake rises, in full brakes a second.
    pub rise_per_s: f32,
    /// After so long the vehicle stands, from its highest speed.
    pub longest: Duration,
}

impl Profile {
    /// `braking` of a vehicle that slows down by `full_brake` with its full brake, from `top_speed` at most.
    pub(super) fn of(braking: Braking, full_brake: Acceleration, top_speed: Speed) -> Profile {
        Profile {
            brake: braking.deceleration.mps2() / full_brake.mps2(),
            rise_per_s: braking.jerk.mps3() / full_brake.mps2(),
            longest: braking.time(top_speed),
        }
    }
}

/// The profile for each kind of cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stops {
    /// The dead-man was let go, or another end has the seat.
    pub released: Profile,
    /// Commands ceased, the driver sees nothing, or a session began anew.
    pub lost: Profile,
    /// The emergency stop, motors that were late, a stop that did not do, and the program's end.
    pub emergency: Profile,
}

impl From<&Vehicle> for Stops {
    fn from(vehicle: &Vehicle) -> Stops {
        let of = |profile| Profile::of(vehicle.stop.braking(profile), vehicle.full_brake, vehicle.top_speed);
        Stops {
            released: of(vehicle.stop.released),
            lost: of(vehicle.stop.lost),
            emergency: of(StopProfile::Emergency),
        }
    }
}

impl Default for Stops {
    fn default() -> Stops {
        Stops::from(&Vehicle::default())
    }
}

impl Stops {
    pub(super) const fn profile(&self, cause: Cause) -> &Profile {
        match cause {
            Cause::Released | Cause::SeatTaken => &self.released,
            Cause::Lost | Cause::Blind | Cause::Anew => &self.lost,
            Cause::Motors | Cause::Overrun | Cause::Ended | Cause::EmergencyStop => &self.emergency,
        }
    }
}

/// A stop under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    pub(super) cause: Cause,
    profile: Profile,
    since: MonoTime,
    /// The brake as it began.
    from: f32,
}

impl Stop {
    pub(super) fn begin(now: MonoTime, cause: Cause, stops: &Stops, from: f32) -> Stop {
        Stop { cause, profile: *stops.profile(cause), since: now, from }
    }

    /// The same, whose brake is at least `brake` from `now` on.
    pub(super) fn held_at(self, now: MonoTime, brake: f32) -> Stop {
        Stop { since: now, from: brake, ..self }
    }

    /// When it began, or was last held.
    pub(super) fn begun(&self) -> MonoTime {
        self.since
    }

    /// The brake at `now`, as long as the vehicle moves.
    pub(super) fn brake(&self, now: MonoTime) -> f32 {
        let risen = self.from + self.profile.rise_per_s * now.since(self.since).as_secs_f32();
        risen.min(self.profile.brake).max(self.from)
    }

    /// Whether it brakes less than `profile` would.
    pub(super) fn is_softer_than(&self, profile: &Profile) -> bool {
        self.profile.brake < profile.brake
    }

    /// Whether the brake does not rise any more.
    pub(super) fn is_full(&self, now: MonoTime) -> bool {
        self.brake(now) >= self.profile.brake
    }

    /// When the vehicle stands at the latest.
    pub(super) fn ends_at(&self) -> MonoTime {
        self.since + self.profile.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokkyu_contract::units::Jerk;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn a_service_stop_rises_to_half_the_brake_in_0_4_s_and_is_over_after_3_7() {
        let stop = Stop::begin(at(1_000), Cause::Released, &Stops::default(), 0.0);
        let brakes = [0, 100, 200, 400, 3_000].map(|ms| (stop.brake(at(1_000 + ms)) * 1_000.0).round());
        assert_eq!(brakes, [0.0, 125.0, 250.0, 500.0, 500.0]);
        assert_eq!(stop.ends_at().since(at(1_000)).as_millis(), 3_672);
    }

    #[test]
    fn a_brake_that_was_harder_stays() {
        let stop = Stop::begin(at(0), Cause::Lost, &Stops::default(), 0.8);
        assert_eq!([0, 50, 9_000].map(|ms| stop.brake(at(ms))), [0.8; 3]);
    }

    #[test]
    fn an_emergency_stop_has_all_of_the_brake_within_a_tenth_of_a_second() {
        let stop = Stop::begin(at(0), Cause::EmergencyStop, &Stops::default(), 0.0);
        assert_eq!((stop.brake(at(50)), stop.brake(at(100))), (0.5, 1.0));
    }

    proptest! {
        #[test]
        fn no_stop_ever_brakes_less_than_a_moment_before_or_more_than_the_full_brake(
            full in 100u64..20_000, part in 1u64..=100, jerk in 100u64..1_000_000, from in 0.0f32..=1.0,
            times in proptest::collection::vec(0u64..20_000, 2..20),
        ) {
            let deceleration = Acceleration((full * part / 100).max(1));
            let braking = Braking { deceleration, jerk: Jerk(jerk) };
            let profile = Profile::of(braking, Acceleration(full), Speed(36_000_000));
            let stop = Stop { cause: Cause::Lost, profile, since: at(0), from };
            let mut times = times;
            times.sort_unstable();
            let brakes: Vec<f32> = times.iter().map(|ms| stop.brake(at(*ms))).collect();
            prop_assert!(brakes.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert!(brakes.iter().all(|brake| (from..=1.0).contains(brake)));
        }
    }
}
