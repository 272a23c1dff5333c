//! The operator's list of vehicles, from tokens and states (FLT-30 to FLT-33).
//!
//! Pure. A vehicle is present while its token is; its state is what it said last, with the time it was heard. Memory is
//! bounded: [`MAX_VEHICLES`] of one state each; more are counted and not listed.

use std::collections::BTreeMap;

use tokkyu_contract::MonoTime;

use super::keys::{self, Kind, Vehicle};
use super::state::{Fault, State};

/// Vehicles that are listed.
pub const MAX_VEHICLES: usize = 1000;

/// What is known of one vehicle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its last state and when it was heard; the fault if that could not be read.
    pub state: Option<(MonoTime, Result<State, Fault>)>,
    /// Its token is there. One that only told its state is not listed.
    is_present: bool,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    vehicles: BTreeMap<Vehicle, Known>,
    left_out: u64,
}

impl Roster {
    /// A token appeared or went.
    pub fn on_token(&mut self, key: &str, is_there: bool) {
        let Some((vehicle, Kind::Alive)) = keys::parse(key) else { return };
        if !is_there {
            self.vehicles.remove(&vehicle);
        } else if let Some(known) = self.entry(vehicle) {
            known.is_present = true;
        }
    }

    /// A vehicle told its state.
    pub fn on_state(&mut self, key: &str, bytes: &[u8], now: MonoTime) {
        let Some((vehicle, Kind::State)) = keys::parse(key) else { return };
        let state = State::parse(bytes).and_then(|state| {
            // Where the network controls access, it controls the key; what stands in the state is only said.
            if state.robot == vehicle.robot() { Ok(state) } else { Err(Fault::Field("robot")) }
        });
        if let Some(known) = self.entry(vehicle) {
            known.state = Some((now, state));
        }
    }

    fn entry(&mut self, vehicle: Vehicle) -> Option<&mut Known> {
        if self.vehicles.len() >= MAX_VEHICLES && !self.vehicles.contains_key(&vehicle) {
            self.left_out += 1;
            return None;
        }
        Some(self.vehicles.entry(vehicle).or_default())
    }

    /// The vehicles present, by name.
    pub fn present(&self) -> impl Iterator<Item = (&Vehicle, &Known)> {
        self.vehicles.iter().filter(|(_, known)| known.is_present)
    }

    /// Those called `robot`: more than one is a name given twice.
    pub fn called(&self, robot: &str) -> Vec<(&Vehicle, &Known)> {
        self.present().filter(|(vehicle, _)| vehicle.robot() == robot).collect()
    }

    /// Whether every vehicle present has told its state.
    pub fn is_complete(&self) -> bool {
        self.present().all(|(_, known)| known.state.is_some())
    }

    /// Messages of vehicles beyond [`MAX_VEHICLES`].
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::state;
    use super::*;

    fn key(robot: &str, instance: &str, kind: Kind) -> String {
        Vehicle::new(robot, instance).unwrap().key(kind)
    }

    #[test]
    fn a_vehicle_is_listed_while_its_token_is_there_whichever_comes_first() {
        let mut roster = Roster::default();
        roster.on_state(&key("r", "1", Kind::State), &state("r").to_bytes(), MonoTime::from_millis(5));
        assert_eq!(roster.present().count(), 0);
        roster.on_token(&key("r", "1", Kind::Alive), true);
        let (vehicle, known) = roster.present().next().unwrap();
        assert_eq!(vehicle.robot(), "r");
        assert_eq!(known.state, Some((MonoTime::from_millis(5), Ok(state("r")))));
        roster.on_token(&key("r", "2", Kind::Alive), true);
        assert!(!roster.is_complete());
        assert_eq!(roster.called("r").len(), 2);
        roster.on_token(&key("r", "1", Kind::Alive), false);
        assert_eq!(roster.called("r").len(), 1);
    }

    #[test]
    fn what_is_told_under_the_key_of_another_is_no_state_of_theirs() {
        let mut roster = Roster::default();
        roster.on_token(&key("r", "1", Kind::Alive), true);
        roster.on_state(&key("r", "1", Kind::State), &state("other").to_bytes(), MonoTime::ZERO);
        let fault = roster.present().next().unwrap().1.state.clone().unwrap().1;
        assert_eq!(fault, Err(Fault::Field("robot")));
        roster.on_state("tokkyu/fleet/r/state/1/more", b"", MonoTime::ZERO);
        roster.on_token(&key("r", "1", Kind::State), false);
        assert_eq!(roster.present().count(), 1);
    }

    #[test]
    fn a_flood_of_vehicles_is_counted_and_not_kept() {
        let mut roster = Roster::default();
        for number in 0..MAX_VEHICLES + 7 {
            roster.on_token(&key("r", &format!("{number:x}"), Kind::Alive), true);
        }
        assert_eq!((roster.present().count(), roster.left_out()), (MAX_VEHICLES, 7));
    }
}
