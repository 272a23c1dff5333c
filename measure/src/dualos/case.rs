//! One arm in one round.

use serde::{Deserialize, Serialize};

/// A wait for a spin lock that is as long, or longer, is a long one: microseconds, a power of two.
pub const LONG_US: u64 = 128;

/// What was done under one arm, in one start of the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualosCase {
    /// `spin`, `start`, `capacity`, `topic`, `fault`.
    pub study: String,
    /// A policy of the RTOS's, Linux's work and the RTOS's load, how a message went and its bytes, or what was done to Linux; `none`: the
    /// RTOS had no task.
    #[serde(rename = "policy")]
    pub arm: String,
    /// Processors.
    pub cpus: u32,
    /// Release of Linux.
    pub kernel: String,
    /// From 1; the same start of the machine for all arms.
    pub round: u32,
    /// What became of the RTOS's activations.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placed>,
    /// For spin locks, in Linux.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
    /// For mutexes, in Linux, by spinning while the owner runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutex: Option<Waits>,
    /// From when a task is due, or from when a message is published until it is back.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// Of the work in Linux, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What they would be if Linux's scheduler used all that the RTOS leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal_seconds: Option<f64>,
    /// Whether its scheduler counts with stolen time, where that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accounting: Option<bool>,
    /// Activations.
    pub n: u64,
}

/// Where the RTOS began its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// So often.
    pub activations: u64,
    /// Elsewhere than at home.
    pub moved: u64,
    /// Linux held something at home.
    pub held: u64,
    /// It was not known whether it did.
    pub unknown: u64,
    /// It held something on every processor that was looked at.
    pub nowhere: u64,
    /// The task was not done when it was due again.
    pub missed: u64,
    /// Linux held something elsewhere, once the task had come there.
    #[serde(default)]
    pub arrived: u64,
}

/// Waits for locks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// All that had to wait.
    #[serde(rename = "waits")]
    pub all: u64,
    /// As long as [`LONG_US`] or longer.
    #[serde(rename = "long_waits")]
    pub long: u64,
    /// Powers of two of microseconds, and how many there were from each on, and less than from the next.
    pub waits_by_power: Vec<(u32, u64)>,
}

/// Instructions: from when a task was due to its first function, at home; of a message, there and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// Of all.
    #[serde(rename = "instructions_mean")]
    pub mean: f64,
    /// The most.
    #[serde(rename = "instructions_worst")]
    pub worst: u64,
    /// So many.
    #[serde(rename = "ways", alias = "starts")]
    pub n: u64,
}

impl Waits {
    /// So many more, of 2^`power` microseconds or more and less than twice that.
    pub fn add(&mut self, power: u32, count: u64) {
        self.all += count;
        if power >= LONG_US.ilog2() {
            self.long += count;
        }
        match self.waits_by_power.iter_mut().find(|(known, _)| *known == power) {
            Some((_, before)) => *before += count,
            None => self.waits_by_power.push((power, count)),
        }
    }
}

impl DualosCase {
    /// How much longer the work took than it would at best.
    pub fn of_ideal(&self) -> Option<f64> {
        Some(self.seconds? / self.ideal_seconds?)
    }

    /// Long waits for each thousand activations.
    pub fn long_per_1000(&self) -> Option<f64> {
        let (waits, placed) = (self.waits.as_ref()?, self.placed.as_ref()?);
        (placed.activations > 0).then(|| waits.long as f64 * 1000.0 / placed.activations as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_written_and_read_with_the_names_that_readers_rely_on() {
        let mut waits = Waits::default();
        waits.add(6, 10);
        waits.add(7, 2);
        waits.add(9, 1);
        let placed =
            Placed { activations: 3000, moved: 1, held: 2, unknown: 0, nowhere: 1, missed: 5, arrived: 1 };
        let case = DualosCase {
            study: "spin".into(),
            arm: "static".into(),
            cpus: 2,
            kernel: "7.3".into(),
            round: 1,
            placed: Some(placed),
            waits: Some(waits.clone()),
            mutex: Some(waits),
            way: None,
            seconds: Some(1.5),
            ideal_seconds: None,
            accounting: None,
            n: 3000,
        };
        let json = serde_json::to_value(&case).unwrap();
        let number = |name: &str| json[name].as_f64();
        assert_eq!((json["study"].as_str(), json["policy"].as_str()), (Some("spin"), Some("static")));
        assert_eq!(
            (number("activations"), number("long_waits"), number("waits")),
            (Some(3000.0), Some(3.0), Some(13.0))
        );
        assert_eq!((case.long_per_1000(), json["mutex"]["long_waits"].as_u64()), (Some(1.0), Some(3)));
        assert!(json.get("instructions_worst").is_none());
        assert_eq!(serde_json::from_value::<DualosCase>(json).unwrap(), case);
    }
}
