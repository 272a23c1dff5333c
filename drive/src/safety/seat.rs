//! Who drives. SPEC.md DRV-122 to DRV-125, DRV-129, DRV-140.
//!
//! Runs in the thread that takes commands, before the gate; pure, constant time, no clock inside. One end has the seat,
//! always; what the others send can stop the vehicle, and ask for the seat or take it.
//!
//! ```text
//!                          ask (who may drive)
//!   Held ──────────────────────────────────────────────▶ Asked
//!    ▲ ▲                                                  │ │ │
//!    │ └─ the asker ceases to ask, or is not heard for 1 s┘ │ │
//!    │                                                      │ │
//!    ├─── the driver grants it, or is silent for 5 s while the vehicle stands: the asker drives
//!    └─── force (who may), from both ───────────────────────┘
//! ```

use std::time::Duration;

use tokkyu_contract::yaml::others::Right;
use tokkyu_contract::{MonoTime, PeerTime};

use super::intake::{Intake, Limits};
use crate::control::{Age, Command};

/// A request that no fresh command repeats for so long is over.
const ASK_HOLDS: Duration = Duration::from_secs(1);
/// A driver of whom nothing fresh came for so long has left a vehicle that stands.
const GONE_AFTER: Duration = Duration::from_secs(5);

/// An end that asked for a stop, and of which nothing else was heard for so long, may have gone.
const STOP_HOLDS: Duration = Duration::from_secs(1);

/// What an end's command may bring about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The end drives: the gate decides.
    Driver,
    /// The end does not drive, and stops the vehicle.
    Stop,
    /// The end drives, and its reset is void: another asks for the stop, or it was sent before the end drove.
    VoidReset,
    /// The end does not drive.
    NotSeated,
}

/// How the seat came to another end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The driver granted it.
    Granted,
    /// The driver was silent, and the vehicle stood.
    Left,
    /// It was taken.
    Forced,
}

/// What changed about the seat. Ends count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatChange {
    /// Another end drives.
    Moved {
        /// Which drove.
        from: usize,
        /// Which drives.
        to: usize,
        /// How that came.
        how: How,
    },
    /// An end asks for the seat.
    Asks {
        /// Which.
        by: usize,
    },
    /// It asks no more, and does not drive.
    Ceased {
        /// Which.
        by: usize,
    },
}

/// Who has the seat, and what the others do with it. Ends count from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seating {
    /// Who drives.
    pub driver: usize,
    /// Who asks for the seat.
    pub asker: Option<usize>,
    /// Who asks for the emergency stop without driving: a reset of the driver is void.
    pub holder: Option<usize>,
}

/// What is known of one end.
struct End {
    may: Right,
    intake: Intake,
    /// Highest sequence number of its fresh commands that ask for no emergency stop.
    unstopped: Option<u64>,
    /// When it last asked for an emergency stop, without having driven, and not taken that back since.
    stops: Option<MonoTime>,
    /// When it began to ask, and when it did last.
    asks: Option<(MonoTime, MonoTime)>,
    /// Whether its newest fresh command of this session takes the seat.
    forces: Option<bool>,
    /// When a fresh command came last.
    heard: MonoTime,
}

impl End {
    fn new(may: Right, limits: Limits, now: MonoTime) -> End {
        End {
            may,
            intake: Intake::new(limits),
            unstopped: None,
            stops: None,
            asks: None,
            forces: None,
            heard: now,
        }
    }
}

/// The seat, and what each end wants with it.
pub struct Seat {
    ends: Vec<End>,
    driver: usize,
    asker: Option<usize>,
    /// The driver sent a fresh command that is no reset since it drives: a reset is one of this driver's.
    is_begun: bool,
}

impl Seat {
    /// The first of the ends has it; `rights` are theirs, at least one.
    pub fn new(now: MonoTime, rights: &[Right], limits: Limits) -> Seat {
        Seat {
            ends: rights.iter().map(|may| End::new(*may, limits, now)).collect(),
            driver: 0,
            asker: None,
            is_begun: true,
        }
    }

    /// Which end drives.
    pub fn driver(&self) -> usize {
        self.driver
    }

    /// Which end asks for the seat.
    pub fn asker(&self) -> Option<usize> {
        self.asker
    }

    /// Who drives, who asks, and who holds the stop at `now`.
    pub fn seating(&self, now: MonoTime) -> Seating {
        Seating { driver: self.driver, asker: self.asker, holder: self.holder(now) }
    }

    /// The first of the ends that ask for the stop without driving, or may have gone since (DRV-122).
    fn holder(&self, now: MonoTime) -> Option<usize> {
        let stops = |end: &End| end.stops.is_some_and(|at| now.since(at) <= STOP_HOLDS);
        self.ends.iter().position(stops)
    }

    /// `from` began a new session: its sequence numbers start again, and what it held down before is void.
    pub fn on_new_session(&mut self, now: MonoTime, from: usize) {
        if let Some(end) = self.ends.get_mut(from) {
            let heard = end.heard;
            *end = End { heard, ..End::new(end.may, end.intake.limits(), now) };
        }
    }

    /// A command of `from` arrived at `now`; `is_held`: the brakes hold the vehicle. Gives whose it is, and what changed.
    pub fn on_command(
        &mut self,
        now: MonoTime,
        from: usize,
        age: Age,
        command: &Command<PeerTime>,
        is_held: bool,
    ) -> (Verdict, Option<SeatChange>) {
        let Some(end) = self.ends.get_mut(from) else { return (Verdict::NotSeated, None) };
        let is_driver = from == self.driver;
        let stops = command.controls.e_stop()
            && !is_driver
            && end.unstopped.is_none_or(|highest| command.sequence > highest);
        if stops {
            end.stops = Some(now);
        }
        let is_fresh = end.intake.refusal(age, command).is_none();
        let verdict = match (is_driver, stops) {
            (true, _) if command.controls.reset() && !self.may_reset(now) => Verdict::VoidReset,
            (true, _) => Verdict::Driver,
            (false, true) => Verdict::Stop,
            (false, false) => Verdict::NotSeated,
        };
        if !is_fresh {
            return (verdict, None);
        }
        self.is_begun |= is_driver && !command.controls.reset();
        let end = &mut self.ends[from];
        end.on_fresh(now, command);
        let forced = end.on_force(command.seat.force) && !is_driver;
        let granted = command.seat.grant.filter(|to| is_driver && self.asker == Some(*to));
        let change = match (forced, granted) {
            (true, _) => Some(self.move_to(from, How::Forced)),
            (false, Some(to)) => Some(self.move_to(to, How::Granted)),
            (false, None) => self.on_tick(now, is_held),
        };
        (verdict, change)
    }

    /// Whether a reset of the driver counts.
    fn may_reset(&self, now: MonoTime) -> bool {
        self.is_begun && self.holder(now).is_none()
    }

    /// Time passed.
    pub fn on_tick(&mut self, now: MonoTime, is_held: bool) -> Option<SeatChange> {
        let before = self.asker;
        let is_asking = |index: &usize| {
            *index != self.driver
                && self.ends[*index].asks.is_some_and(|(_, last)| now.since(last) <= ASK_HOLDS)
        };
        let asking = (0..self.ends.len()).filter(is_asking);
        self.asker = asking.min_by_key(|index| self.ends[*index].asks);
        let is_gone = now.since(self.ends[self.driver].heard) > GONE_AFTER;
        match (before, self.asker) {
            (_, Some(asker)) if is_gone && is_held => Some(self.move_to(asker, How::Left)),
            (Some(by), after) if after != Some(by) => {
                self.ends[by].asks = None;
                // Who asks instead is told with the next tick.
                self.asker = None;
                Some(SeatChange::Ceased { by })
            }
            (None, Some(by)) => Some(SeatChange::Asks { by }),
            _ => None,
        }
    }

    /// The one place where the seat changes hands.
    fn move_to(&mut self, to: usize, how: How) -> SeatChange {
        let from = std::mem::replace(&mut self.driver, to);
        (self.ends[to].asks, self.ends[to].stops, self.is_begun) = (None, None, false);
        if self.asker == Some(to) {
            self.asker = None;
        }
        SeatChange::Moved { from, to, how }
    }
}

impl End {
    fn on_fresh(&mut self, now: MonoTime, command: &Command<PeerTime>) {
        self.intake.on_fresh(now, command);
        self.heard = now;
        if !command.controls.e_stop() {
            (self.unstopped, self.stops) = (Some(command.sequence), None);
        }
        let asks = command.seat.ask && self.may >= Right::Drive;
        let before = self.asks.filter(|(_, last)| now.since(*last) <= ASK_HOLDS);
        self.asks = asks.then_some((before.map_or(now, |(since, _)| since), now));
    }

    /// Whether the end takes the seat with this.
    fn on_force(&mut self, force: bool) -> bool {
        self.forces.replace(force) == Some(false) && force && self.may == Right::Force
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Controls, SeatWish};

    const NO_WISH: SeatWish = SeatWish { ask: false, force: false, grant: None };
    const ASK: SeatWish = SeatWish { ask: true, ..NO_WISH };
    const FORCE: SeatWish = SeatWish { force: true, ..NO_WISH };

    /// A seat with ends that may force, drive, watch and force, and commands of theirs, each with the next number.
    struct Yard {
        seat: Seat,
        now: MonoTime,
        sequence: u64,
        is_held: bool,
    }

    impl Yard {
        fn new() -> Yard {
            let now = MonoTime::from_millis(10_000);
            let rights = [Right::Force, Right::Drive, Right::Watch, Right::Force];
            Yard { seat: Seat::new(now, &rights, Limits::default()), now, sequence: 0, is_held: true }
        }

        fn says(&mut self, from: usize, seat: SeatWish) -> Option<SeatChange> {
            self.sends(from, Controls::NEUTRAL, seat, 0).1
        }

        fn sends(
            &mut self,
            from: usize,
            controls: Controls,
            seat: SeatWish,
            age_ms: u64,
        ) -> (Verdict, Option<SeatChange>) {
            self.sequence += 1;
            self.numbered(self.sequence, from, controls, seat, age_ms)
        }

        fn numbered(
            &mut self,
            sequence: u64,
            from: usize,
            controls: Controls,
            seat: SeatWish,
            age_ms: u64,
        ) -> (Verdict, Option<SeatChange>) {
            let command = Command { controls, sequence, issued: PeerTime::ZERO, pictures: None, seat };
            let age = Age { estimate: Duration::from_millis(age_ms), error: Duration::ZERO };
            self.seat.on_command(self.now, from, age, &command, self.is_held)
        }

        fn passes(&mut self, millis: u64) {
            self.now += Duration::from_millis(millis);
        }
    }

    fn moved(from: usize, to: usize, how: How) -> Option<SeatChange> {
        Some(SeatChange::Moved { from, to, how })
    }

    fn reset(yard: &mut Yard, from: usize) -> Verdict {
        yard.sends(from, Controls::release(), NO_WISH, 0).0
    }

    #[test]
    fn a_reset_is_void_while_another_end_asks_for_the_stop_and_for_a_second_after() {
        let mut yard = Yard::new();
        yard.says(0, NO_WISH);
        yard.sends(2, Controls::emergency(), NO_WISH, 0);
        assert_eq!(reset(&mut yard, 0), Verdict::VoidReset);
        yard.passes(1_000);
        assert_eq!(reset(&mut yard, 0), Verdict::VoidReset);
        yard.passes(1);
        assert_eq!(reset(&mut yard, 0), Verdict::Driver, "that end may have gone");
        yard.sends(2, Controls::emergency(), NO_WISH, 0);
        yard.says(2, NO_WISH);
        assert_eq!(reset(&mut yard, 0), Verdict::Driver, "it took it back");
    }

    /// DRV-140: told for as long as a reset is void for its sake.
    #[test]
    fn the_first_of_those_who_hold_the_stop_is_told_until_a_reset_counts() {
        let mut yard = Yard::new();
        let holder = |yard: &Yard| yard.seat.seating(yard.now).holder;
        let stop = Controls::emergency();
        yard.sends(0, stop, NO_WISH, 0);
        assert_eq!(holder(&yard), None, "the driver's own");
        yard.sends(3, stop, NO_WISH, 0);
        assert_eq!(holder(&yard), Some(3));
        yard.passes(500);
        yard.sends(2, stop, NO_WISH, 0);
        assert_eq!(holder(&yard), Some(2));
        yard.says(2, NO_WISH);
        assert_eq!(holder(&yard), Some(3));
        yard.passes(500);
        assert_eq!((holder(&yard), reset(&mut yard, 0)), (Some(3), Verdict::VoidReset));
        yard.passes(1);
        assert_eq!((holder(&yard), reset(&mut yard, 0)), (None, Verdict::Driver));
    }

    #[test]
    fn who_held_the_stop_and_drives_now_holds_it_no_more() {
        let mut yard = Yard::new();
        yard.sends(3, Controls::emergency(), NO_WISH, 0);
        yard.sends(3, Controls::emergency(), FORCE, 0);
        assert_eq!(yard.seat.seating(yard.now), Seating { driver: 3, asker: None, holder: None });
    }

    #[test]
    fn a_reset_from_before_the_seat_is_void_after_it() {
        let mut yard = Yard::new();
        yard.says(3, NO_WISH);
        yard.says(3, FORCE);
        assert_eq!(reset(&mut yard, 3), Verdict::VoidReset);
        yard.says(3, NO_WISH);
        assert_eq!(reset(&mut yard, 3), Verdict::Driver);
    }

    #[test]
    fn who_asked_long_ago_and_was_silent_comes_after_who_asks_since() {
        let mut yard = Yard::new();
        yard.says(3, ASK);
        yard.passes(10);
        assert_eq!(yard.says(1, ASK), None, "3 asks, and 1 waits");
        for _ in 0..3 {
            yard.passes(500);
            assert_eq!(yard.says(3, ASK), None);
        }
        assert_eq!(yard.says(3, NO_WISH), Some(SeatChange::Ceased { by: 3 }));
        assert_eq!(yard.says(3, ASK), Some(SeatChange::Asks { by: 3 }));
        yard.passes(10);
        assert_eq!((yard.says(1, ASK), yard.seat.asker()), (None, Some(3)));
    }

    fn grant(to: usize) -> SeatWish {
        SeatWish { grant: Some(to), ..NO_WISH }
    }

    #[test]
    fn the_first_end_drives_and_no_other() {
        let mut yard = Yard::new();
        let verdicts = [0, 1, 2, 3, 4].map(|from| yard.sends(from, Controls::NEUTRAL, NO_WISH, 0).0);
        let none = Verdict::NotSeated;
        assert_eq!(verdicts, [Verdict::Driver, none, none, none, none]);
    }

    #[test]
    fn who_asks_gets_the_seat_when_the_driver_grants_it_to_that_end() {
        let mut yard = Yard::new();
        assert_eq!(yard.says(1, ASK), Some(SeatChange::Asks { by: 1 }));
        assert_eq!(yard.says(3, ASK), None, "one asks at a time");
        assert_eq!(yard.says(0, grant(3)), None, "another was meant");
        assert_eq!(yard.says(2, grant(1)), None, "only the driver grants");
        assert_eq!(yard.says(0, grant(1)), moved(0, 1, How::Granted));
        assert_eq!(yard.seat.on_tick(yard.now, true), Some(SeatChange::Asks { by: 3 }));
        assert_eq!((yard.seat.driver(), yard.seat.asker()), (1, Some(3)));
    }

    #[test]
    fn a_request_ends_with_the_key_or_when_nothing_repeats_it() {
        let mut yard = Yard::new();
        yard.says(1, ASK);
        assert_eq!(yard.says(1, NO_WISH), Some(SeatChange::Ceased { by: 1 }));
        yard.says(1, ASK);
        yard.passes(1_000);
        assert_eq!(yard.seat.on_tick(yard.now, true), None);
        yard.passes(1);
        assert_eq!(yard.seat.on_tick(yard.now, true), Some(SeatChange::Ceased { by: 1 }));
        assert_eq!(yard.says(0, grant(1)), None);
    }

    #[test]
    fn who_may_only_watch_gets_it_in_no_way() {
        let mut yard = Yard::new();
        yard.says(2, NO_WISH);
        let changes = [yard.says(2, ASK), yard.says(2, FORCE), yard.says(0, grant(2))];
        assert_eq!((changes, yard.seat.driver()), ([None; 3], 0));
    }

    #[test]
    fn force_takes_it_once_for_each_press_and_only_from_who_may() {
        let mut yard = Yard::new();
        (0..4).for_each(|from| assert_eq!(yard.says(from, NO_WISH), None));
        assert_eq!(yard.says(1, FORCE), None, "may drive alone");
        assert_eq!(yard.says(3, FORCE), moved(0, 3, How::Forced));
        assert_eq!(yard.says(0, FORCE), moved(3, 0, How::Forced));
        assert_eq!(yard.says(3, FORCE), None, "it is still held");
        yard.seat.on_new_session(yard.now, 3);
        assert_eq!(yard.says(3, FORCE), None, "held over a new session");
        yard.says(3, NO_WISH);
        assert_eq!(yard.says(3, FORCE), moved(0, 3, How::Forced));
    }

    #[test]
    fn wishes_that_are_old_or_overtaken_count_for_nothing() {
        let mut yard = Yard::new();
        yard.says(3, NO_WISH);
        assert_eq!(yard.sends(3, Controls::NEUTRAL, FORCE, 151).1, None);
        assert_eq!(yard.numbered(1, 3, Controls::NEUTRAL, FORCE, 0).1, None);
        assert_eq!(yard.sends(1, Controls::NEUTRAL, ASK, 151).1, None);
    }

    #[test]
    fn a_silent_driver_loses_a_standing_vehicle_to_who_asks() {
        let mut yard = Yard::new();
        yard.says(0, NO_WISH);
        yard.passes(5_000);
        assert_eq!(yard.says(1, ASK), Some(SeatChange::Asks { by: 1 }));
        yard.passes(1);
        yard.is_held = false;
        assert_eq!(yard.says(1, ASK), None);
        yard.is_held = true;
        assert_eq!(yard.says(1, ASK), moved(0, 1, How::Left));
    }

    #[test]
    fn every_end_stops_the_vehicle_at_any_age_until_it_said_otherwise_later() {
        for from in 1..4 {
            let mut yard = Yard::new();
            let stop = Controls::emergency();
            assert_eq!(yard.sends(from, stop, NO_WISH, 60_000).0, Verdict::Stop);
            let wandered = yard.sequence + 1;
            yard.sequence = wandered;
            yard.says(from, NO_WISH);
            assert_eq!(yard.numbered(wandered, from, stop, NO_WISH, 0).0, Verdict::NotSeated);
            assert_eq!(yard.sends(from, stop, NO_WISH, 0).0, Verdict::Stop);
        }
    }
}
