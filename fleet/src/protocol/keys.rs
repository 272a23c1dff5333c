//! The key space `tokkyu/fleet/ROBOT/KIND/INSTANCE` (FLT-1 to FLT-3).
//!
//! Pure. A robot's name has only letters that mean themselves in a Zenoh key (CON-10 of contract), so nothing is
//! escaped; what does not have this form is not ours and is passed over.

use std::fmt;

use tokkyu_contract::yaml::is_label;

/// Everything of the fleet.
pub const ALL: &str = "tokkyu/fleet/**";
/// Longest instance: 16 bytes of a Zenoh id in hexadecimal digits.
const MAX_INSTANCE: usize = 32;

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Liveliness token: there while the vehicle is.
    Alive,
    /// The vehicle's state, published and to be asked for.
    State,
    /// Where the vehicle takes calls.
    Call,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Alive, Kind::State, Kind::Call];

    const fn word(self) -> &'static str {
        match self {
            Kind::Alive => "alive",
            Kind::State => "state",
            Kind::Call => "call",
        }
    }

    /// This kind's keys of every vehicle.
    pub fn of_all(self) -> String {
        format!("tokkyu/fleet/*/{}/*", self.word())
    }

    /// This kind's keys of every vehicle called `robot`.
    pub fn of_robot(self, robot: &str) -> String {
        format!("tokkyu/fleet/{robot}/{}/*", self.word())
    }
}

/// Everything below the name of one robot.
pub fn below(robot: &str) -> String {
    format!("tokkyu/fleet/{robot}/**")
}

/// One running vehicle program: two with the same robot's name differ in their instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Vehicle {
    robot: String,
    instance: String,
}

impl Vehicle {
    /// `None` if either cannot be a part of a key.
    pub fn new(robot: &str, instance: &str) -> Option<Vehicle> {
        let is_instance = (1..=MAX_INSTANCE).contains(&instance.len())
            && instance.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        (is_label(robot) && is_instance)
            .then(|| Vehicle { robot: robot.to_owned(), instance: instance.to_owned() })
    }

    /// The robot's name.
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// Its key of this kind.
    pub fn key(&self, kind: Kind) -> String {
        format!("tokkyu/fleet/{}/{}/{}", self.robot, kind.word(), self.instance)
    }
}

impl fmt::Display for Vehicle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.robot, self.instance)
    }
}

/// Whose key this is, and of which kind; `None` for a key that is none of ours.
pub fn parse(key: &str) -> Option<(Vehicle, Kind)> {
    let mut parts = key.strip_prefix("tokkyu/fleet/")?.split('/');
    let (robot, word, instance) = (parts.next()?, parts.next()?, parts.next()?);
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word)?;
    let vehicle = Vehicle::new(robot, instance)?;
    parts.next().is_none().then_some((vehicle, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_what_is_not_one_is_passed_over() {
        let vehicle = Vehicle::new("rover-7.b", "0a1f").unwrap();
        for kind in Kind::ALL {
            assert_eq!(parse(&vehicle.key(kind)), Some((vehicle.clone(), kind)));
        }
        assert_eq!(vehicle.key(Kind::State), "tokkyu/fleet/rover-7.b/state/0a1f");
        let long = format!("tokkyu/fleet/{}/alive/1", "a".repeat(65));
        for bad in [
            "",
            "tokkyu/fleet",
            "tokkyu/fleet/r/alive",
            "tokkyu/fleet/r/alive/",
            "tokkyu/fleet/r/alive/1/2",
            "tokkyu/fleet/*/alive/1",
            "tokkyu/fleet/r/alive/*",
            "tokkyu/fleet/r/alive/1A",
            "tokkyu/fleet/r/dead/1",
            "other/fleet/r/alive/1",
            &long,
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
