//! The operator's list of vehicles, from tokens and states (FLT-30 to FLT-33).
//!
//! Pure. A vehicle is present while its token is; its state is what it said last, with the time it was heard. Memory is
//! bounded: [`MAX_VEHICLES`] of one state each; more are counted and not listed. A state without a token has a small place
//! of its own, so that none who only talks takes that of a vehicle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokkyu_contract::MonoTime;

use super::keys::{self, Kind, Vehicle};
use super::state::{Fault, State};

/// Vehicles that are listed.
pub const MAX_VEHICLES: usize = 1000;
/// Vehicles that are counted beyond those listed.
pub const MAX_LEFT_OUT: usize = 10_000;
/// States kept that were heard before their token. Each is told again within two seconds.
const MAX_EARLY: usize = 64;

/// A state and when it was heard; the fault if it could not be read.
type Heard = (MonoTime, Result<State, Fault>);

/// What is known of one vehicle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its last state and when it was heard; the fault if that could not be read.
    pub state: Option<Heard>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// Those whose token is there.
    vehicles: BTreeMap<Vehicle, Known>,
    /// Those whose token is there too, beyond the bound.
    left_out: BTreeSet<Vehicle>,
    /// States of those that are not listed, oldest first, one of each.
    early: VecDeque<(Vehicle, Heard)>,
}

impl Roster {
    /// A token appeared or went.
    pub fn on_token(&mut self, key: &str, is_there: bool) {
        let Some((vehicle, Kind::Alive)) = keys::parse(key) else { return };
        if is_there {
            self.arrive(vehicle);
        } else {
            self.leave(&vehicle);
        }
    }

    /// A vehicle told its state.
    pub fn on_state(&mut self, key: &str, bytes: &[u8], now: MonoTime) {
        let Some((vehicle, Kind::State)) = keys::parse(key) else { return };
        let state = State::parse(bytes).and_then(|state| {
            // Where the network controls access, it controls the key; what stands in the state is only said.
            if state.robot == vehicle.robot() { Ok(state) } else { Err(Fault::Field("robot")) }
        });
        if let Some(known) = self.vehicles.get_mut(&vehicle) {
            known.state = Some((now, state));
            return;
        }
        self.take_early(&vehicle);
        if self.early.len() >= MAX_EARLY {
            self.early.pop_front();
        }
        self.early.push_back((vehicle, (now, state)));
    }

    fn arrive(&mut self, vehicle: Vehicle) {
        if self.vehicles.contains_key(&vehicle) {
            return;
        }
        if self.vehicles.len() < MAX_VEHICLES {
            let state = self.take_early(&vehicle);
            self.vehicles.insert(vehicle, Known { state });
        } else if self.left_out.len() < MAX_LEFT_OUT {
            self.left_out.insert(vehicle);
        }
    }

    fn leave(&mut self, vehicle: &Vehicle) {
        self.take_early(vehicle);
        self.left_out.remove(vehicle);
        if self.vehicles.remove(vehicle).is_some()
            && let Some(next) = self.left_out.pop_first()
        {
            self.arrive(next);
        }
    }

    fn take_early(&mut self, vehicle: &Vehicle) -> Option<Heard> {
        let at = self.early.iter().position(|(who, _)| who == vehicle)?;
        self.early.remove(at).map(|(_, heard)| heard)
    }

    /// The vehicles present, by name.
    pub fn present(&self) -> impl Iterator<Item = (&Vehicle, &Known)> {
        self.vehicles.iter()
    }

    /// Those called `robot`: more than one is a name given twice.
    pub fn called(&self, robot: &str) -> Vec<(&Vehicle, &Known)> {
        self.present().filter(|(vehicle, _)| vehicle.robot() == robot).collect()
    }

    /// Whether every vehicle present has told its state.
    pub fn is_complete(&self) -> bool {
        self.present().all(|(_, known)| known.state.is_some())
    }

    /// How many more vehicles are present than are listed, at most [`MAX_LEFT_OUT`].
    pub fn left_out(&self) -> usize {
        self.left_out.len()
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
    fn a_flood_of_vehicles_is_counted_and_takes_the_places_that_become_free() {
        let mut roster = Roster::default();
        let alive = |number: usize| key("r", &format!("{number:x}"), Kind::Alive);
        // Twice: a vehicle that is heard again is no other.
        for number in (0..MAX_VEHICLES + 7).chain(0..MAX_VEHICLES + 7) {
            roster.on_token(&alive(number), true);
            roster.on_state(&key("r", &format!("{number:x}"), Kind::State), b"", MonoTime::ZERO);
        }
        assert_eq!((roster.present().count(), roster.left_out()), (MAX_VEHICLES, 7));
        roster.on_token(&alive(3), false);
        roster.on_token(&alive(MAX_VEHICLES + 6), false);
        assert_eq!((roster.present().count(), roster.left_out()), (MAX_VEHICLES, 5));
        for number in 0..MAX_VEHICLES + MAX_LEFT_OUT + 7 {
            roster.on_token(&alive(number), true);
        }
        assert_eq!((roster.present().count(), roster.left_out()), (MAX_VEHICLES, MAX_LEFT_OUT));
    }

    #[test]
    fn states_without_a_token_take_no_vehicles_place_and_only_the_newest_are_kept() {
        let mut roster = Roster::default();
        for number in 0..MAX_VEHICLES + 7 {
            let key = key("r", &format!("{number:x}"), Kind::State);
            roster.on_state(&key, &state("r").to_bytes(), MonoTime::ZERO);
        }
        assert_eq!((roster.early.len(), roster.left_out()), (MAX_EARLY, 0));
        roster.on_token(&key("r", &format!("{:x}", MAX_VEHICLES + 6), Kind::Alive), true);
        assert!(roster.is_complete());
        roster.on_token(&key("r", "0", Kind::Alive), true);
        assert_eq!((roster.present().count(), roster.is_complete()), (2, false));
    }

    #[test]
    fn a_state_goes_with_its_token() {
        let mut roster = Roster::default();
        for is_listed in [true, false] {
            roster.on_token(&key("r", "1", Kind::Alive), is_listed);
            roster.on_state(&key("r", "1", Kind::State), &state("r").to_bytes(), MonoTime::ZERO);
            roster.on_token(&key("r", "1", Kind::Alive), false);
            roster.on_token(&key("r", "1", Kind::Alive), true);
            assert_eq!((roster.present().count(), roster.is_complete()), (1, false));
        }
    }
}
