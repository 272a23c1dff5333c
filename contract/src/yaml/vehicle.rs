//! What a robot can do as a vehicle, and how it is to be stopped: `vehicle` of a robot (CON-54 to CON-58, CON-60).

use core::time::Duration;

use super::degraded::{self, Degraded, SPEEDS};
use super::error::Log;
use super::fields::{Field, Fields, IN_RANGE};
use super::flow::Flow;
use super::output::{self, Output};
use crate::units::{Acceleration, Jerk, PerSecond, Quantity, Speed};

/// Ice to a racing car.
const DECELERATIONS: (Acceleration, Acceleration) = (Acceleration(100), Acceleration(20_000));
/// Ten seconds to a deceleration that is just felt, to all brakes at once.
const JERKS: (Jerk, Jerk) = (Jerk(100), Jerk(1_000_000));
/// Ten seconds from end to end, to a thousandth of one.
const CHANGES: (PerSecond, PerSecond) = (PerSecond(100), PerSecond(1_000_000));

/// How a stop brakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Braking {
    /// At most the full brake's.
    pub deceleration: Acceleration,
    /// How fast it comes.
    pub jerk: Jerk,
}

/// One of the three ways to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopProfile {
    /// Who sits in it hardly notices.
    Comfort,
    /// As a driver stops who has to.
    Service,
    /// All that there is.
    Emergency,
}

impl Braking {
    /// How long a stop from `speed` takes, where the brakes do what is declared.
    pub fn time(&self, speed: Speed) -> Duration {
        let (growing, left_mps) = self.growing(speed);
        Duration::try_from_secs_f32(growing + left_mps / self.deceleration.mps2()).unwrap_or(Duration::MAX)
    }

    /// How far it goes, in metres.
    pub fn distance_m(&self, speed: Speed) -> f32 {
        let (growing, left_mps) = self.growing(speed);
        let meanwhile = speed.mps() * growing - self.jerk.mps3() * growing.powi(3) / 6.0;
        meanwhile + left_mps * left_mps / (2.0 * self.deceleration.mps2())
    }

    /// For how long the deceleration grows, in seconds, and the speed then: a slow vehicle stands before it is there.
    fn growing(&self, speed: Speed) -> (f32, f32) {
        let (speed, most, jerk) = (speed.mps(), self.deceleration.mps2(), self.jerk.mps3());
        let growing = (most / jerk).min((2.0 * speed / jerk).sqrt());
        (growing, (speed - jerk * growing * growing / 2.0).max(0.0))
    }
}

impl StopProfile {
    /// All, softest first.
    pub const ALL: [StopProfile; 3] = [StopProfile::Comfort, StopProfile::Service, StopProfile::Emergency];

    /// The words of `robot.yaml`.
    const WORDS: [(&'static str, StopProfile); 3] = [
        ("comfort", StopProfile::Comfort),
        ("service", StopProfile::Service),
        ("emergency", StopProfile::Emergency),
    ];

    /// The word used in `robot.yaml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            StopProfile::Comfort => "comfort",
            StopProfile::Service => "service",
            StopProfile::Emergency => "emergency",
        }
    }
}

/// How the vehicle is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopping {
    /// Who sits in it hardly notices.
    pub comfort: Braking,
    /// As a driver stops who has to.
    pub service: Braking,
    /// The emergency stop, and a stop that did not do.
    pub emergency: Braking,
    /// When the driver lets the dead-man go.
    pub released: StopProfile,
    /// When fresh commands cease, pictures do not arrive, or a session begins anew.
    pub lost: StopProfile,
}

impl Stopping {
    /// What `profile` is.
    pub const fn braking(&self, profile: StopProfile) -> Braking {
        match profile {
            StopProfile::Comfort => self.comfort,
            StopProfile::Service => self.service,
            StopProfile::Emergency => self.emergency,
        }
    }
}

/// How fast controls may change while the vehicle drives: of their unit, which goes from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlewLimits {
    /// Throttle, 0 to 1.
    pub throttle: PerSecond,
    /// Brake, 0 to 1.
    pub brake: PerSecond,
    /// Steering, -1 to 1: from side to side is 2.
    pub steering: PerSecond,
}

/// A robot as a vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vehicle {
    /// It goes no faster.
    pub top_speed: Speed,
    /// What it loses under its full brake.
    pub full_brake: Acceleration,
    /// How it is stopped.
    pub stop: Stopping,
    /// How fast its controls may change.
    pub slew: SlewLimits,
    /// How fast it may be over which link; `None`: as fast as over any other.
    pub degraded: Option<Degraded>,
    /// Who gets the gate's output, among the robot's ROS nodes; `None`: nobody.
    pub output: Option<Output>,
}

impl Default for Vehicle {
    fn default() -> Vehicle {
        Vehicle::with_full_brake(Acceleration(8_000))
    }
}

impl Vehicle {
    /// The defaults for a vehicle with such a brake: no stop asks more of it (CON-55).
    fn with_full_brake(full_brake: Acceleration) -> Vehicle {
        let braking = |deceleration, jerk| Braking {
            deceleration: Acceleration(deceleration).min(full_brake),
            jerk: Jerk(jerk),
        };
        Vehicle {
            top_speed: Speed(50_000_000),
            full_brake,
            stop: Stopping {
                comfort: braking(1_500, 1_500),
                // UN R157 bounds a minimal risk manoeuvre so; the jerk brings it in 0.4 s.
                service: braking(4_000, 10_000),
                emergency: Braking { deceleration: full_brake, jerk: Jerk(80_000) },
                released: StopProfile::Service,
                lost: StopProfile::Service,
            },
            slew: SlewLimits {
                throttle: PerSecond(5_000),
                brake: PerSecond(10_000),
                steering: PerSecond(4_000),
            },
            degraded: None,
            output: None,
        }
    }
}

/// What is not given, or wrong and in the log, has its default.
pub(super) fn read(field: &Field<'_>, flows: &[Flow], log: &mut Log<'_>) -> Vehicle {
    let known = ["top_speed", "full_brake", "stop", "slew", "degraded", "output"];
    let Some(fields) = field.fields(log, &known) else { return Vehicle::default() };
    let full_brake = deceleration(&fields, "full_brake", DECELERATIONS, log);
    let mut vehicle = full_brake.map_or_else(Vehicle::default, Vehicle::with_full_brake);
    if let Some(speed) = fields.bounded(log, "top_speed", Quantity::Speed, SPEEDS, IN_RANGE) {
        vehicle.top_speed = speed;
    }
    if let Some(stop) = fields.get("stop") {
        read_stop(&stop, vehicle.full_brake, &mut vehicle.stop, log);
    }
    if let Some(slew) = fields.get("slew") {
        read_slew(&slew, &mut vehicle.slew, log);
    }
    vehicle.degraded = fields.get("degraded").and_then(|field| degraded::read(&field, flows, log));
    vehicle.output = fields.get("output").and_then(|field| output::read(&field, flows, log));
    vehicle
}

fn read_stop(field: &Field<'_>, most: Acceleration, stop: &mut Stopping, log: &mut Log<'_>) {
    let known = ["comfort", "service", "emergency", "released", "lost"];
    let Some(fields) = field.fields(log, &known) else { return };
    for (name, braking) in
        [("comfort", &mut stop.comfort), ("service", &mut stop.service), ("emergency", &mut stop.emergency)]
    {
        if let Some(field) = fields.get(name) {
            read_braking(&field, most, braking, log);
        }
    }
    let others = stop.comfort.deceleration.max(stop.service.deceleration);
    if stop.emergency.deceleration < others {
        let what = format!("{} is less than another stop's {others}", stop.emergency.deceleration);
        fields.wrong(log, "emergency", what, "an emergency stop brakes hardest: raise its deceleration");
    }
    for (name, profile) in [("released", &mut stop.released), ("lost", &mut stop.lost)] {
        let word = fields.get(name).and_then(|field| field.word(log, &StopProfile::WORDS));
        *profile = word.unwrap_or(*profile);
    }
}

fn read_braking(field: &Field<'_>, most: Acceleration, braking: &mut Braking, log: &mut Log<'_>) {
    let Some(fields) = field.fields(log, &["deceleration", "jerk"]) else { return };
    let range = (DECELERATIONS.0, most);
    let given = deceleration(&fields, "deceleration", range, log);
    braking.deceleration = given.unwrap_or(braking.deceleration);
    let jerk = fields.bounded(log, "jerk", Quantity::Jerk, JERKS, IN_RANGE);
    braking.jerk = jerk.unwrap_or(braking.jerk);
}

fn read_slew(field: &Field<'_>, slew: &mut SlewLimits, log: &mut Log<'_>) {
    let Some(fields) = field.fields(log, &["throttle", "brake", "steering"]) else { return };
    for (name, limit) in
        [("throttle", &mut slew.throttle), ("brake", &mut slew.brake), ("steering", &mut slew.steering)]
    {
        let given = fields.bounded(log, name, Quantity::PerSecond, CHANGES, IN_RANGE);
        *limit = given.unwrap_or(*limit);
    }
}

fn deceleration(
    fields: &Fields<'_>,
    name: &str,
    range: (Acceleration, Acceleration),
    log: &mut Log<'_>,
) -> Option<Acceleration> {
    let too_much = "a stop has the full brake at most: lower it or raise full_brake";
    let too_much = if name == "deceleration" { too_much } else { IN_RANGE };
    fields.bounded(log, name, Quantity::Acceleration, range, too_much)
}
