//! The gate itself: what happens is settled here, the state moves by the one table, the output follows.

use std::time::Duration;

use tokkyu_contract::yaml::vehicle::Vehicle;
use tokkyu_contract::{MonoTime, PeerTime};

use super::degraded::{Cap, Degraded, Governor};
use super::intake::{Intake, Limits, Refusal};
use super::log::{Log, What};
use super::motion::Motion;
use super::need::Need;
use super::output::{Output, STEP, Slew, Wish};
use super::ready::{self, Ready};
use super::state::{Change, Event, State, transition};
use super::stop::{Cause, Stop, Stops};
use crate::control::{Age, Command, Controls, Equipment, Fittings};

/// What a gate is told of its vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// Which commands are fresh.
    pub limits: Limits,
    /// How the vehicle is stopped.
    pub stops: Stops,
    /// How fast its controls may change.
    pub slew: Slew,
    /// How fast it may be over which link; `None`: as fast as over any other.
    pub degraded: Option<Degraded>,
}

impl Settings {
    /// What `vehicle` is declared to be, with `limits` for its commands, and the rule for its speed.
    pub fn of(limits: Limits, vehicle: &Vehicle, degraded: Option<Degraded>) -> Settings {
        Settings { limits, stops: Stops::from(vehicle), slew: Slew::from(&vehicle.slew), degraded }
    }
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// `None` when the command was obeyed.
    pub refused: Option<Refusal>,
    /// What had passed unnoticed before this command came: the deadline, or the end of a stop.
    pub missed: Option<Change>,
    /// The change the command itself caused.
    pub change: Option<Change>,
}

/// The gate; see the module above.
pub struct Gate {
    stops: Stops,
    state: State,
    intake: Intake,
    ready: Ready,
    /// The last stop, while it is under way and after.
    stop: Option<Stop>,
    motion: Motion,
    output: Output,
    /// The link says that pictures do not reach the driver.
    is_cut: bool,
    /// The motors did not take what they were given last.
    is_untaken: bool,
    /// The speed that the latency allows, where that is declared.
    governor: Option<Governor>,
    log: Log,
}

impl Gate {
    /// A gate that is locked and waits for its first command.
    pub fn new(settings: Settings) -> Gate {
        Gate {
            stops: settings.stops,
            state: State::Locked,
            intake: Intake::new(settings.limits),
            ready: Ready::ANEW,
            stop: None,
            motion: Motion::default(),
            output: Output::new(settings.slew),
            is_cut: false,
            is_untaken: false,
            governor: settings.degraded.map(Governor::new),
            log: Log::default(),
        }
    }

    /// The same of a vehicle that stands by an emergency stop from before the gate was made.
    pub fn stopped(settings: Settings) -> Gate {
        Gate { state: State::Emergency, ..Gate::new(settings) }
    }

    /// A command arrived at `now`, `age` after the driver meant it (by the link's estimate of the operator's clock).
    pub fn on_command(&mut self, now: MonoTime, age: Age, command: &Command<PeerTime>) -> Reaction {
        // The order in which the caller saw a tick and a packet must not decide whether a gap is noticed.
        let missed = self.on_tick(now);
        let controls = &command.controls;
        let outcome = match self.intake.refusal(age, command) {
            _ if controls.e_stop() => self.on_emergency_stop(now, command),
            Some(refusal) => Err(refusal),
            None if controls.reset() => Ok(self.on_reset(now, command)),
            None if self.state == State::Emergency => Err(Refusal::Latched),
            None => self.on_fresh(now, age, command),
        };
        if let Err(refusal) = outcome {
            self.intake.on_refused(now, refusal);
            self.log.add(now, What::Refused(refusal));
        }
        self.advance(now);
        Reaction { refused: outcome.err(), missed, change: outcome.unwrap_or(None) }
    }

    fn on_emergency_stop(
        &mut self,
        now: MonoTime,
        command: &Command<PeerTime>,
    ) -> Result<Option<Change>, Refusal> {
        if self.intake.is_history(command) {
            return Err(Refusal::OutOfOrder);
        }
        self.intake.on_emergency_stop(now, command);
        self.log.add(now, What::EmergencyStop);
        Ok(self.stop(now, Cause::EmergencyStop, Event::EmergencyStop))
    }

    fn on_reset(&mut self, now: MonoTime, command: &Command<PeerTime>) -> Option<Change> {
        self.intake.on_fresh(now, command);
        self.log.add(now, What::Reset);
        self.stop(now, Cause::Anew, Event::FreshReset)
    }

    /// A command that may drive, if the vehicle does already or this enables it.
    fn on_fresh(
        &mut self,
        now: MonoTime,
        age: Age,
        command: &Command<PeerTime>,
    ) -> Result<Option<Change>, Refusal> {
        let is_gap = !self.intake.hears(now);
        self.intake.on_fresh(now, command);
        self.govern(now, age, command.pictures);
        match self.state {
            State::Driving if self.is_blind() => {
                self.log.add(now, What::Accepted);
                self.log.add(now, What::Blind);
                Ok(self.stop(now, Cause::Blind, Event::Stop))
            }
            State::Driving if ready::is_held(&command.controls) => {
                Ok(self.drive(now, &command.controls, None))
            }
            State::Driving => {
                self.log.add(now, What::Accepted);
                Ok(self.stop(now, Cause::Released, Event::Stop))
            }
            State::Locked | State::Ready | State::Stopped => self.on_fresh_while_held(now, is_gap, command),
            State::Stopping | State::Emergency => Err(Refusal::NotEnabled),
        }
    }

    /// What the command says of the latency.
    fn govern(&mut self, now: MonoTime, age: Age, pictures: Option<Age>) {
        let Some(governor) = &mut self.governor else { return };
        let was_free = governor.cap(now).most_mps.is_none();
        governor.on_command(now, age, pictures);
        if was_free && governor.cap(now).most_mps.is_some() && self.state == State::Driving {
            self.log.add(now, What::Slowed);
        }
    }

    fn on_fresh_while_held(
        &mut self,
        now: MonoTime,
        is_gap: bool,
        command: &Command<PeerTime>,
    ) -> Result<Option<Change>, Refusal> {
        let is_useless = self.is_blind() || self.is_untaken;
        if is_gap || is_useless {
            // Over and over while nothing is seen, or nobody would obey, so that it is never complete.
            self.ready = Ready::ANEW;
        }
        if !is_useless && self.ready.on_fresh(now, &command.controls) {
            return Ok(self.drive(now, &command.controls, Some(Event::Enabled)));
        }
        self.follow_readiness(now);
        Err(Refusal::NotEnabled)
    }

    /// The state shows whether the controls are neutral. Its change moves nothing, and goes with a command that is refused:
    /// the caller sees it in the state.
    fn follow_readiness(&mut self, now: MonoTime) {
        let event = match (self.state, self.ready.is_neutral()) {
            (State::Locked | State::Stopped, true) => Event::Neutral,
            (State::Ready, false) => Event::Unready,
            _ => return,
        };
        let ready = self.ready;
        self.step(now, event);
        self.ready = ready;
    }

    fn drive(&mut self, now: MonoTime, controls: &Controls, event: Option<Event>) -> Option<Change> {
        self.log.add(now, What::Accepted);
        self.output.on_driven(controls.steering());
        event.and_then(|event| self.step(now, event))
    }

    /// Time passed. To be called at [`Gate::wake_at`], and as often as the caller likes.
    pub fn on_tick(&mut self, now: MonoTime) -> Option<Change> {
        let change = match self.state {
            State::Driving if !self.intake.hears(now) => {
                self.log.add(now, What::DeadlineMissed);
                self.stop(now, Cause::Lost, Event::Stop)
            }
            State::Ready if !self.intake.hears(now) => self.step(now, Event::Unready),
            State::Stopping => self.on_stopping(now),
            _ => None,
        };
        self.advance(now);
        change
    }

    /// A stop is over when the vehicle stands, by its own word, or else by the longest time it may take. One that is known
    /// to move then has brakes that do less than was declared.
    fn on_stopping(&mut self, now: MonoTime) -> Option<Change> {
        let stop = self.stop?;
        // Of a driver who came with this stop nothing can have been heard yet.
        let may_be_heard =
            stop.cause != Cause::SeatTaken || now > stop.begun() + self.intake.limits().deadline;
        if !self.intake.hears(now) && may_be_heard {
            self.worsen(now, Cause::Lost);
        }
        let stop = self.stop?;
        let is_due = now >= stop.ends_at();
        match self.motion.stands(now) {
            Some(true) => self.step(now, Event::Standstill),
            Some(false) if is_due && stop.cause != Cause::Overrun => {
                self.log.add(now, What::Overrun);
                self.begin_stop(now, Cause::Overrun);
                None
            }
            Some(false) => None,
            None if is_due => self.step(now, Event::Standstill),
            None => None,
        }
    }

    /// The operator's program began a new session at `now`: its sequence numbers start again. An emergency stop stays.
    pub fn on_new_session(&mut self, now: MonoTime) -> Option<Change> {
        self.begin_anew(now);
        self.log.add(now, What::NewSession);
        self.stop(now, Cause::Anew, Event::NewSession)
    }

    /// What the driver did is void, but for the brake of a stop that is under way: that does not fall (DRV-92).
    fn begin_anew(&mut self, now: MonoTime) {
        if self.state == State::Stopping {
            let brake = self.output.controls().brake();
            self.stop = self.stop.map(|stop| stop.held_at(now, brake));
        }
        self.intake.on_new_session();
        self.is_cut = false;
        self.governor.iter_mut().for_each(Governor::on_new_session);
    }

    /// Another end drives from `now` on: all that its predecessor did is void. An emergency stop stays (DRV-126).
    pub fn on_new_driver(&mut self, now: MonoTime) -> Option<Change> {
        self.begin_anew(now);
        self.log.add(now, What::NewDriver);
        self.stop(now, Cause::SeatTaken, Event::NewSession)
    }

    /// An end that does not drive stops the vehicle (DRV-122).
    pub fn on_other_stop(&mut self, now: MonoTime) -> Option<Change> {
        let is_new = self.state != State::Emergency;
        // It comes with every command of that end: an entry each would leave no room for anything else.
        if is_new {
            self.log.add(now, What::OtherStop)
        } else {
            self.log.count(What::OtherStop)
        }
        self.stop(now, Cause::EmergencyStop, Event::EmergencyStop)
    }

    /// A command came from an end that does not drive: it counts, and does nothing.
    pub fn on_not_seated(&mut self) {
        self.log.count(What::NotSeated);
    }

    /// A reset of the driver is void: another end asks for the stop, or it is from before the driver had the seat.
    pub fn on_void_reset(&mut self, now: MonoTime) {
        self.log.add(now, What::Refused(Refusal::Latched));
    }

    /// No command will come any more: the deadline need not pass for that to be known.
    pub fn on_link_closed(&mut self, now: MonoTime) -> Option<Change> {
        if self.state == State::Driving {
            self.log.add(now, What::DeadlineMissed);
        }
        self.stop(now, Cause::Lost, Event::Stop)
    }

    /// The machine was suspended: by its clock no time passed, and for how long the last command has held nobody knows.
    pub fn on_suspended(&mut self, now: MonoTime) -> Option<Change> {
        self.on_link_closed(now)
    }

    /// The motors took too long to take what they were given: what they do meanwhile nobody knows.
    pub fn on_motors_late(&mut self, now: MonoTime) -> Option<Change> {
        self.log.add(now, What::MotorsLate);
        self.stop(now, Cause::Motors, Event::Stop)
    }

    /// The program ends, and the motors get the brake for good: a stop under way has its own reason.
    pub fn on_end(&mut self, now: MonoTime) -> Option<Change> {
        match self.state {
            State::Stopping => None,
            _ => self.stop(now, Cause::Ended, Event::Stop),
        }
    }

    /// The motors took what they were given, or did not: then nothing enables the vehicle before they do (DRV-121). Moves
    /// nothing.
    pub fn on_given(&mut self, is_taken: bool) {
        self.is_untaken = !is_taken;
    }

    /// Pictures do not reach the driver any more, though commands may come: the vehicle stops, and is not enabled before
    /// [`Gate::on_sight`].
    pub fn on_blind(&mut self, now: MonoTime) -> Option<Change> {
        if std::mem::replace(&mut self.is_cut, true) {
            return None;
        }
        self.log.add(now, What::Blind);
        self.stop(now, Cause::Blind, Event::Stop)
    }

    /// Pictures may reach the driver again. Moves nothing.
    pub fn on_sight(&mut self) {
        self.is_cut = false;
    }

    fn is_blind(&self) -> bool {
        self.is_cut || self.governor.is_some_and(|governor| governor.is_blind())
    }

    /// The motors measured a speed of `mps`, m/s, either way.
    pub fn on_speed(&mut self, now: MonoTime, mps: f32) {
        self.motion.on_speed(now, mps);
    }

    /// `event` is a reason to stop a vehicle that drives; what it does to one that stands, the table says.
    fn stop(&mut self, now: MonoTime, cause: Cause, event: Event) -> Option<Change> {
        let change = self.step(now, event);
        if change.is_some_and(|change| matches!(change.to, State::Stopping | State::Emergency)) {
            self.begin_stop(now, cause);
        } else {
            self.worsen(now, cause);
        }
        self.advance(now);
        change
    }

    /// A further reason, while the vehicle stops for another: the harder stop is the one.
    fn worsen(&mut self, now: MonoTime, cause: Cause) {
        let harder = self.stop.filter(|stop| stop.is_softer_than(self.stops.profile(cause)));
        if self.state == State::Stopping && harder.is_some() {
            self.begin_stop(now, cause);
        }
    }

    fn begin_stop(&mut self, now: MonoTime, cause: Cause) {
        let from = self.output.controls().brake();
        self.stop = Some(Stop::begin(now, cause, &self.stops, from));
    }

    fn step(&mut self, now: MonoTime, event: Event) -> Option<Change> {
        let change = Change { from: self.state, to: transition(self.state, event) };
        self.state = change.to;
        // Every event after which the vehicle stands is a new reason to: what the driver did before it is void.
        self.ready = Ready::ANEW;
        if change.from == change.to {
            return None;
        }
        self.log.add(now, What::Changed(change));
        Some(change)
    }

    fn advance(&mut self, now: MonoTime) {
        let speed = self.motion.speed(now);
        self.governor.iter_mut().for_each(|governor| governor.advance(now, speed));
        let (wish, fittings) = (self.wish(now), self.fittings(now));
        let may_move = matches!(self.state, State::Stopping | State::Emergency);
        let moves = self.motion.stands(now).map_or(may_move, |stands| !stands);
        self.output.advance(now, &wish, fittings, moves);
    }

    fn wish(&self, now: MonoTime) -> Wish {
        match (self.state, self.intake.newest(), &self.stop) {
            (State::Driving, Some(newest), _) => Wish::Drive(self.limited(&newest.controls)),
            (State::Stopping, newest, Some(stop)) => {
                // Never less than the driver gives.
                let driver = newest.filter(|_| self.intake.hears(now));
                Wish::Brake(stop.brake(now).max(driver.map_or(0.0, |driver| driver.controls.brake())))
            }
            (State::Emergency, _, Some(stop)) if now < stop.ends_at() => Wish::Brake(stop.brake(now)),
            _ => Wish::Brake(1.0),
        }
    }

    fn limited(&self, wanted: &Controls) -> Controls {
        self.governor.map_or(*wanted, |governor| governor.limited(wanted))
    }

    /// How fast the vehicle may be at `now`; `None` where nothing is declared of it.
    pub fn cap(&self, now: MonoTime) -> Option<Cap> {
        self.governor.map(|governor| governor.cap(now))
    }

    /// Gear, lamps and mode are as the driver last wanted them. A horn is meant for now.
    fn fittings(&self, now: MonoTime) -> Fittings {
        let wanted = self.intake.newest().map(|newest| newest.controls.fittings());
        let fittings = wanted.unwrap_or(self.output.controls().fittings());
        match self.intake.hears(now) {
            true => fittings,
            false => Fittings { equipment: fittings.equipment.without(Equipment::HORN), ..fittings },
        }
    }

    /// What the motors get, as of the last thing that happened. In every state but `Driving` no throttle, and a brake; the
    /// wheels stay where they were, because straightening them in a bend would leave the road.
    pub fn output(&self) -> Controls {
        self.output.controls()
    }

    /// Whether the vehicle may move.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why the vehicle stopped last, where it did.
    pub fn cause(&self) -> Option<Cause> {
        self.stop.map(|stop| stop.cause)
    }

    /// What the vehicle waits for before it may move, at `now`.
    pub fn need(&self, now: MonoTime) -> Need {
        match self.state {
            State::Driving => Need::Nothing,
            State::Emergency => self.intake.doubt(now).unwrap_or(Need::Reset),
            _ if !self.intake.hears(now) => self.intake.doubt(now).unwrap_or(Need::FreshCommand),
            _ if self.is_untaken => Need::Motors,
            _ if self.is_blind() => Need::Pictures,
            State::Stopping => Need::Standstill,
            State::Locked | State::Ready | State::Stopped => self.ready.need(),
        }
    }

    /// When [`Gate::on_tick`] is due: past the last moment at which the newest command still counts, at the end of a stop,
    /// or at the next step of the output. `None` when no time matters.
    pub fn wake_at(&self, now: MonoTime) -> Option<MonoTime> {
        // Past the last moment, or the tick would find the deadline not yet missed.
        let missed = self.intake.last_moment().map(|at| at + Duration::from_nanos(1));
        let due = match self.state {
            State::Driving | State::Ready => missed,
            // Once: a vehicle that moves on after it is looked at as often as its motors are asked.
            State::Stopping | State::Emergency => self.stop.map(|stop| stop.ends_at()).filter(|at| *at > now),
            State::Locked | State::Stopped => None,
        };
        let rises = self.stop.filter(|stop| !self.state.is_held() && !stop.is_full(now));
        let rising = rises.filter(|_| self.state != State::Driving).map(|_| now + STEP);
        [due, self.output.wake_at(&self.wish(now)), rising].into_iter().flatten().min()
    }

    /// What happened, with counts.
    pub fn log(&self) -> &Log {
        &self.log
    }
}
