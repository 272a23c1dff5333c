//! The gate between the link and the motors: lets fresh commands through, stops the vehicle when they cease.
//!
//! Runs on the vehicle in the thread that receives commands; pure, constant time, no clock inside (`now` comes in).
//! SPEC.md DRV-10 to DRV-17.
//!
//! ```text
//!                    fresh command                        deadline passed
//!      Waiting ─────────────────────▶ Driving ─────────────────────────────▶ SafeStop
//!         │ ▲                          │  ▲  ◀──────────────────────────────    │
//!         │ │ new session              │  │            fresh command            │
//!         │ └──────────────────────────┤  │                                     │
//!         │        (and SafeStop)      │  │ fresh reset                         │
//!         │                            ▼  │                                     │
//!         └───────────────────────▶ EmergencyStop ◀─────────────────────────────┘
//!                 e-stop                                   e-stop
//! ```
//! "Fresh" is: not older than the lifespan, by a clock estimate whose error is not longer than the lifespan either, and
//! of a higher sequence number than every command accepted before in this session. Invariants:
//!
//! * the motors get throttle only in `Driving`, and only from the newest fresh command;
//! * an emergency stop counts at any age and out of order (late is better than never), but not from before the last
//!   accepted reset, so that a packet which wandered about cannot stop the vehicle again;
//! * `EmergencyStop` ends by a fresh reset alone, not by time, not by a new session.
//!
//! From the driver letting go of everything by losing the link to the brakes it is at most lifespan + deadline + the error
//! of the clock estimate, which is at most another lifespan.

mod log;
pub mod report;

use std::time::Duration;

use tokkyu_contract::{MonoTime, PeerTime};

use crate::control::{Command, Controls};

pub use log::{Counts, Entry, Log, What};

/// Oldest command that is let through, when nothing else is set.
pub const DEFAULT_LIFESPAN: Duration = Duration::from_millis(150);
/// Longest gap between two fresh commands, when nothing else is set.
pub const DEFAULT_DEADLINE: Duration = Duration::from_millis(100);

/// Whether the vehicle may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No command yet in this session: braked.
    Waiting,
    /// Fresh commands come: the vehicle does what the newest says.
    Driving,
    /// Fresh commands ceased: braked until one comes.
    SafeStop,
    /// Stopped by the driver: braked until a reset comes.
    EmergencyStop,
}

impl State {
    /// All states, in the order of a drive.
    pub const ALL: [State; 4] = [State::Waiting, State::Driving, State::SafeStop, State::EmergencyStop];

    /// The words shown to people.
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Driving => "driving",
            State::SafeStop => "SAFE STOP",
            State::EmergencyStop => "EMERGENCY STOP",
        }
    }
}

/// What happened to the gate, once the details are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A command that may drive.
    Fresh,
    /// A reset that may release.
    FreshReset,
    /// An emergency stop, of any age.
    EmergencyStop,
    /// The deadline passed.
    Deadline,
    /// The operator's program began anew.
    NewSession,
}

/// The one transition table.
const fn transition(state: State, event: Event) -> State {
    match (state, event) {
        (_, Event::EmergencyStop) => State::EmergencyStop,
        (State::EmergencyStop, Event::Fresh | Event::Deadline | Event::NewSession) => State::EmergencyStop,
        (_, Event::Fresh | Event::FreshReset) => State::Driving,
        (State::Driving, Event::Deadline) => State::SafeStop,
        (_, Event::Deadline) => state,
        (_, Event::NewSession) => State::Waiting,
    }
}

/// The gate changed its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Before.
    pub from: State,
    /// Now.
    pub to: State,
}

/// Why a command was not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// Older than the lifespan.
    TooOld,
    /// Its age is known less exactly than to a lifespan, or not at all: it may be older than any bound.
    AgeUnknown,
    /// Its sequence number is not higher than that of the newest one: overtaken on the way, or a copy.
    OutOfOrder,
    /// Fresh, but the emergency stop is latched and this is no reset.
    Latched,
}

/// How old a command is, by an estimate of the operator's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Since the driver meant it.
    pub estimate: Duration,
    /// Bound of the estimate's error; `Duration::MAX` before the operator's clock is known.
    pub error: Duration,
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// `None` when the command was let through.
    pub refused: Option<Refusal>,
    /// The deadline had passed unnoticed before this command came: the safe stop it caused.
    pub missed: Option<Change>,
    /// The change the command itself caused.
    pub change: Option<Change>,
}

/// The gate's two limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Oldest command that is let through.
    pub lifespan: Duration,
    /// Longest gap between two fresh commands.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { lifespan: DEFAULT_LIFESPAN, deadline: DEFAULT_DEADLINE }
    }
}

/// The gate; see the module.
pub struct Gate {
    limits: Limits,
    state: State,
    /// The newest command let through, and when it came.
    newest: Option<(MonoTime, Command<PeerTime>)>,
    /// Where the last command that drove had the wheels.
    steering: f32,
    /// Sequence number of the last accepted reset: older emergency stops are history.
    last_reset: Option<u64>,
    log: Log,
}

impl Gate {
    /// A gate that waits for its first command.
    pub fn new(limits: Limits) -> Gate {
        Gate {
            limits,
            state: State::Waiting,
            newest: None,
            steering: 0.0,
            last_reset: None,
            log: Log::default(),
        }
    }

    /// A command arrived at `now`, `age` after the driver meant it (by the link's estimate of the operator's clock).
    pub fn on_command(&mut self, now: MonoTime, age: Age, command: &Command<PeerTime>) -> Reaction {
        // The order in which the caller saw a tick and a packet must not decide whether a gap is noticed.
        let missed = self.on_tick(now);
        if command.controls.e_stop() {
            return Reaction { missed, ..self.on_emergency_stop(now, command) };
        }
        let refused = self.refusal(age, command);
        if let Some(refusal) = refused {
            self.log.add(now, What::Refused(refusal));
            return Reaction { refused, missed, change: None };
        }
        let reset = command.controls.reset();
        if reset {
            self.last_reset = Some(command.sequence);
        }
        self.newest = Some((now, *command));
        self.steering = command.controls.steering();
        self.log.add(now, if reset { What::Reset } else { What::Accepted });
        let change = self.step(now, if reset { Event::FreshReset } else { Event::Fresh });
        Reaction { refused: None, missed, change }
    }

    fn on_emergency_stop(&mut self, now: MonoTime, command: &Command<PeerTime>) -> Reaction {
        if self.last_reset.is_some_and(|reset| command.sequence <= reset) {
            self.log.add(now, What::Refused(Refusal::OutOfOrder));
            return Reaction { refused: Some(Refusal::OutOfOrder), missed: None, change: None };
        }
        // A reset sent before this stop must not release it: it has the lower sequence number.
        if self.newest.is_none_or(|(_, newest)| command.sequence > newest.sequence) {
            self.newest = Some((now, *command));
        }
        self.log.add(now, What::EmergencyStop);
        Reaction { refused: None, missed: None, change: self.step(now, Event::EmergencyStop) }
    }

    fn refusal(&self, age: Age, command: &Command<PeerTime>) -> Option<Refusal> {
        if age.estimate > self.limits.lifespan {
            Some(Refusal::TooOld)
        } else if age.error > self.limits.lifespan {
            Some(Refusal::AgeUnknown)
        } else if self.newest.is_some_and(|(_, newest)| command.sequence <= newest.sequence) {
            Some(Refusal::OutOfOrder)
        } else if self.state == State::EmergencyStop && !command.controls.reset() {
            Some(Refusal::Latched)
        } else {
            None
        }
    }

    /// Time passed. To be called at [`Gate::wake_at`], and as often as the caller likes.
    pub fn on_tick(&mut self, now: MonoTime) -> Option<Change> {
        let due = self.wake_at().is_some_and(|last_moment| now > last_moment);
        if due {
            self.log.add(now, What::DeadlineMissed);
            return self.step(now, Event::Deadline);
        }
        None
    }

    /// The operator's program began a new session at `now`: its sequence numbers start again. An emergency stop stays.
    pub fn on_new_session(&mut self, now: MonoTime) -> Option<Change> {
        self.newest = None;
        self.last_reset = None;
        self.log.add(now, What::NewSession);
        self.step(now, Event::NewSession)
    }

    fn step(&mut self, now: MonoTime, event: Event) -> Option<Change> {
        let change = Change { from: self.state, to: transition(self.state, event) };
        self.state = change.to;
        if change.from == change.to {
            return None;
        }
        self.log.add(now, What::Changed(change));
        Some(change)
    }

    /// What the motors get. In every state but `Driving` full brake and no throttle; the wheels stay where they were,
    /// because straightening them in a bend would leave the road.
    pub fn output(&self) -> Controls {
        match (self.state, self.newest) {
            (State::Driving, Some((_, newest))) => newest.controls,
            _ => Controls::clamped(0.0, 1.0, self.steering),
        }
    }

    /// Whether the vehicle may move.
    pub fn state(&self) -> State {
        self.state
    }

    /// Last moment at which the newest command still counts; [`Gate::on_tick`] any later stops the vehicle. `None`
    /// when no time matters.
    pub fn wake_at(&self) -> Option<MonoTime> {
        let (arrived, _) = self.newest.filter(|_| self.state == State::Driving)?;
        Some(arrived + self.limits.deadline)
    }

    /// What happened, with counts.
    pub fn log(&self) -> &Log {
        &self.log
    }
}

#[cfg(test)]
mod tests;
