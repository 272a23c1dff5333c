//! The gate between the link and the motors: lets fresh commands through, stops the vehicle when they cease.
//!
//! Runs on the vehicle in the thread that receives commands; pure, constant time, no clock inside (`now` comes in).
//! SPEC.md DRV-10 to DRV-17 and DRV-86 to DRV-89.
//!
//! ```text
//!                                     enabled
//!                             ┌──────────────────────┐
//!              rearmed        ▼     not enabled      │
//!   Waiting ─────────────▶ Driving ────────────▶ NotEnabled
//!     ▲ ▲                   │   ▲                    │
//!     │ │                   │   │ rearmed            │
//!     │ │    deadline,      ▼   │                    │  deadline, blind
//!     │ │    blind       SafeStop ◀──────────────────┘
//!     │ │                   │ (blind leads there from Waiting too)
//!     │ └───────────────────┘
//!     │   new session or reset, from every state but EmergencyStop
//!     │
//!     └─────────────── EmergencyStop ◀──── e-stop, from every state
//!          reset
//! ```
//! "Fresh" is: not older than the lifespan, by a clock estimate whose error is not longer than the lifespan either, and
//! of a higher sequence number than every fresh command before in this session. "Rearmed" is what `rearm.rs` asks of the
//! driver: throttle 0 for half a second, then a new press of the dead-man. Invariants:
//!
//! * the motors get throttle only in `Driving`, and only from the newest fresh command, whose dead-man is held;
//! * whatever stopped the vehicle, nothing but a rearming that began after it moves it again;
//! * an emergency stop counts at any age and out of order (late is better than never), but not from before the last
//!   accepted reset, so that a packet which wandered about cannot stop the vehicle again;
//! * `EmergencyStop` ends by a fresh reset alone, not by time, not by a new session.
//!
//! From the driver letting go of everything by losing the link to the brakes it is at most lifespan + deadline + the error
//! of the clock estimate, which is at most another lifespan.

mod log;
mod need;
mod rearm;
pub mod report;

use std::time::Duration;

use tokkyu_contract::{MonoTime, PeerTime};

use crate::control::{Command, Controls};

use rearm::Rearm;

pub use log::{Counts, Entry, Log, What};
pub use need::Need;
pub use rearm::NEUTRAL_FOR;

/// Oldest command that is let through, when nothing else is set.
pub const DEFAULT_LIFESPAN: Duration = Duration::from_millis(150);
/// Longest gap between two fresh commands, when nothing else is set.
pub const DEFAULT_DEADLINE: Duration = Duration::from_millis(100);

/// Whether the vehicle may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A session or a reset began anew: braked until the driver rearms.
    Waiting,
    /// Fresh commands come: the vehicle does what the newest says.
    Driving,
    /// Fresh commands ceased, or the driver sees nothing: braked until the driver rearms.
    SafeStop,
    /// Stopped by the driver: braked until a reset comes.
    EmergencyStop,
    /// Fresh commands come, and the dead-man is let go: braked until it is pressed.
    NotEnabled,
}

impl State {
    /// All states, in the order of their numbers on the wire.
    pub const ALL: [State; 5] =
        [State::Waiting, State::Driving, State::SafeStop, State::EmergencyStop, State::NotEnabled];

    /// The words shown to people.
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Driving => "driving",
            State::SafeStop => "SAFE STOP",
            State::EmergencyStop => "EMERGENCY STOP",
            State::NotEnabled => "dead-man let go",
        }
    }
}

/// What happened to the gate, once the details are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A fresh command under a held dead-man.
    Enabled,
    /// A fresh command without.
    NotEnabled,
    /// The fresh command that completes a rearming.
    Rearmed,
    /// A reset that may release.
    FreshReset,
    /// An emergency stop, of any age.
    EmergencyStop,
    /// The deadline passed.
    Deadline,
    /// Pictures do not reach the driver.
    Blind,
    /// The operator's program began anew.
    NewSession,
}

/// The one transition table.
const fn transition(state: State, event: Event) -> State {
    match (state, event) {
        (_, Event::EmergencyStop) => State::EmergencyStop,
        (State::EmergencyStop, Event::FreshReset) => State::Waiting,
        (State::EmergencyStop, _) => State::EmergencyStop,
        (_, Event::NewSession | Event::FreshReset) => State::Waiting,
        (_, Event::Blind) => State::SafeStop,
        (State::Driving | State::NotEnabled, Event::Deadline) => State::SafeStop,
        (State::Driving | State::NotEnabled, Event::Enabled) => State::Driving,
        (State::Driving | State::NotEnabled, Event::NotEnabled) => State::NotEnabled,
        (State::Waiting | State::SafeStop, Event::Rearmed) => State::Driving,
        (_, Event::Deadline | Event::Enabled | Event::NotEnabled | Event::Rearmed) => state,
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
    /// Fresh, but the vehicle stood and the driver has not rearmed it.
    NotRearmed,
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
    /// `None` when the command was obeyed.
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
    /// The newest fresh command, and when it came.
    newest: Option<(MonoTime, Command<PeerTime>)>,
    /// The last command that was refused, and when it came.
    refused: Option<(MonoTime, Refusal)>,
    rearm: Rearm,
    /// Pictures do not reach the driver.
    is_blind: bool,
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
            refused: None,
            rearm: Rearm::ANEW,
            is_blind: false,
            steering: 0.0,
            last_reset: None,
            log: Log::default(),
        }
    }

    /// A command arrived at `now`, `age` after the driver meant it (by the link's estimate of the operator's clock).
    pub fn on_command(&mut self, now: MonoTime, age: Age, command: &Command<PeerTime>) -> Reaction {
        // The order in which the caller saw a tick and a packet must not decide whether a gap is noticed.
        let missed = self.on_tick(now);
        let reaction = match self.refusal(age, command) {
            _ if command.controls.e_stop() => self.on_emergency_stop(now, command),
            Some(refusal) => self.refuse(now, refusal),
            None if command.controls.reset() => self.on_reset(now, command),
            None => self.on_fresh(now, command),
        };
        Reaction { missed, ..reaction }
    }

    fn on_emergency_stop(&mut self, now: MonoTime, command: &Command<PeerTime>) -> Reaction {
        if self.last_reset.is_some_and(|reset| command.sequence <= reset) {
            return self.refuse(now, Refusal::OutOfOrder);
        }
        // A reset sent before this stop must not release it: it has the lower sequence number.
        if self.newest.is_none_or(|(_, newest)| command.sequence > newest.sequence) {
            self.newest = Some((now, *command));
        }
        self.log.add(now, What::EmergencyStop);
        self.obey(now, Event::EmergencyStop)
    }

    fn on_reset(&mut self, now: MonoTime, command: &Command<PeerTime>) -> Reaction {
        self.last_reset = Some(command.sequence);
        self.newest = Some((now, *command));
        self.log.add(now, What::Reset);
        self.obey(now, Event::FreshReset)
    }

    /// A command that may drive, if the vehicle does already or this completes a rearming.
    fn on_fresh(&mut self, now: MonoTime, command: &Command<PeerTime>) -> Reaction {
        let was_gap = !self.hears(now);
        self.newest = Some((now, *command));
        let stands = matches!(self.state, State::Waiting | State::SafeStop);
        if stands && (was_gap || self.is_blind) {
            // Over and over while nothing is seen, so that it is never complete.
            self.rearm = Rearm::ANEW;
        }
        let event = match command.controls.enabled() {
            _ if stands && !self.rearm.on_fresh(now, &command.controls) => {
                return self.refuse(now, Refusal::NotRearmed);
            }
            _ if stands => Event::Rearmed,
            true => Event::Enabled,
            false => Event::NotEnabled,
        };
        self.log.add(now, What::Accepted);
        if command.controls.enabled() {
            self.steering = command.controls.steering();
        }
        self.obey(now, event)
    }

    fn refuse(&mut self, now: MonoTime, refusal: Refusal) -> Reaction {
        self.refused = Some((now, refusal));
        self.log.add(now, What::Refused(refusal));
        Reaction { refused: Some(refusal), missed: None, change: None }
    }

    fn obey(&mut self, now: MonoTime, event: Event) -> Reaction {
        Reaction { refused: None, missed: None, change: self.step(now, event) }
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

    /// A fresh command came within the deadline.
    fn hears(&self, now: MonoTime) -> bool {
        self.newest.is_some_and(|(arrived, _)| now.since(arrived) <= self.limits.deadline)
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
        self.refused = None;
        self.is_blind = false;
        self.last_reset = None;
        self.log.add(now, What::NewSession);
        self.step(now, Event::NewSession)
    }

    /// No command will come any more: the deadline need not pass for that to be known.
    pub fn on_link_closed(&mut self, now: MonoTime) -> Option<Change> {
        self.wake_at()?;
        self.log.add(now, What::DeadlineMissed);
        self.step(now, Event::Deadline)
    }

    /// Pictures do not reach the driver any more, though commands may come: the vehicle stops, and is not rearmed before
    /// [`Gate::on_sight`].
    pub fn on_blind(&mut self, now: MonoTime) -> Option<Change> {
        if std::mem::replace(&mut self.is_blind, true) {
            return None;
        }
        self.log.add(now, What::Blind);
        self.step(now, Event::Blind)
    }

    /// Pictures may reach the driver again. Moves nothing.
    pub fn on_sight(&mut self) {
        self.is_blind = false;
    }

    fn step(&mut self, now: MonoTime, event: Event) -> Option<Change> {
        let change = Change { from: self.state, to: transition(self.state, event) };
        self.state = change.to;
        // Every event after which the vehicle stands is a new reason to: what the driver did before it is void.
        self.rearm = Rearm::ANEW;
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
            _ => Controls::not_enabled(1.0, self.steering),
        }
    }

    /// Whether the vehicle may move.
    pub fn state(&self) -> State {
        self.state
    }

    /// What the vehicle waits for before it may move, at `now`.
    pub fn need(&self, now: MonoTime) -> Need {
        match self.state {
            State::Driving => Need::Nothing,
            State::EmergencyStop => self.doubt(now).unwrap_or(Need::Reset),
            _ if !self.hears(now) => self.doubt(now).unwrap_or(Need::FreshCommand),
            _ if self.is_blind => Need::Pictures,
            State::NotEnabled => Need::Press,
            State::Waiting | State::SafeStop => self.rearm.need(),
        }
    }

    /// What is wrong with the age of the commands that come.
    fn doubt(&self, now: MonoTime) -> Option<Need> {
        match self.refused.filter(|(at, _)| now.since(*at) <= self.limits.deadline)? {
            (_, Refusal::TooOld) => Some(Need::YoungerCommand),
            (_, Refusal::AgeUnknown) => Some(Need::Clock),
            (_, Refusal::OutOfOrder | Refusal::Latched | Refusal::NotRearmed) => None,
        }
    }

    /// Last moment at which the newest command still counts; [`Gate::on_tick`] any later stops the vehicle. `None`
    /// when no time matters.
    pub fn wake_at(&self) -> Option<MonoTime> {
        let obeys = matches!(self.state, State::Driving | State::NotEnabled);
        let (arrived, _) = self.newest.filter(|_| obeys)?;
        Some(arrived + self.limits.deadline)
    }

    /// What happened, with counts.
    pub fn log(&self) -> &Log {
        &self.log
    }
}

#[cfg(test)]
mod tests;
