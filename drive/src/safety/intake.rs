//! Which commands count: fresh ones, in their order. SPEC.md DRV-10, DRV-11, DRV-13.
//!
//! Pure, constant time; a part of the gate. "Fresh" is: not older than the lifespan, by a clock estimate whose error is
//! not longer than the lifespan either, and of a higher sequence number than every fresh command before in this session.

use std::time::Duration;

use tokkyu_contract::{MonoTime, PeerTime};

use super::need::Need;
use crate::control::{Age, Command};

/// Oldest command that is let through, when nothing else is set.
pub const DEFAULT_LIFESPAN: Duration = Duration::from_millis(150);
/// Longest gap between two fresh commands, when nothing else is set.
pub const DEFAULT_DEADLINE: Duration = Duration::from_millis(100);

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
    /// Fresh, but the vehicle stands or stops, and this does not enable it.
    NotEnabled,
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

/// What came, as far as it matters for what comes.
pub(super) struct Intake {
    limits: Limits,
    /// The newest fresh command, and when it came.
    newest: Option<(MonoTime, Command<PeerTime>)>,
    /// The last command that was refused, and when it came.
    refused: Option<(MonoTime, Refusal)>,
    /// Sequence number of the last accepted reset: older emergency stops are history.
    last_reset: Option<u64>,
}

impl Intake {
    pub(super) fn new(limits: Limits) -> Intake {
        Intake { limits, newest: None, refused: None, last_reset: None }
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// What is against `command`, by its age and order alone.
    pub(super) fn refusal(&self, age: Age, command: &Command<PeerTime>) -> Option<Refusal> {
        if age.estimate > self.limits.lifespan {
            Some(Refusal::TooOld)
        } else if age.error > self.limits.lifespan {
            Some(Refusal::AgeUnknown)
        } else if self.newest.is_some_and(|(_, newest)| command.sequence <= newest.sequence) {
            Some(Refusal::OutOfOrder)
        } else {
            None
        }
    }

    /// Whether an emergency stop was sent before the last reset that was accepted.
    pub(super) fn is_history(&self, stop: &Command<PeerTime>) -> bool {
        self.last_reset.is_some_and(|reset| stop.sequence <= reset)
    }

    /// `command` is fresh.
    pub(super) fn on_fresh(&mut self, now: MonoTime, command: &Command<PeerTime>) {
        if command.controls.reset() {
            self.last_reset = Some(command.sequence);
        }
        self.newest = Some((now, *command));
    }

    /// An emergency stop counts; it may have been overtaken.
    pub(super) fn on_emergency_stop(&mut self, now: MonoTime, command: &Command<PeerTime>) {
        // A reset sent before this stop must not release it: it has the lower sequence number.
        if self.newest.is_none_or(|(_, newest)| command.sequence > newest.sequence) {
            self.newest = Some((now, *command));
        }
    }

    pub(super) fn on_refused(&mut self, now: MonoTime, refusal: Refusal) {
        self.refused = Some((now, refusal));
    }

    /// Sequence numbers start again.
    pub(super) fn on_new_session(&mut self) {
        *self = Intake::new(self.limits);
    }

    /// The newest fresh command, however long ago it came.
    pub(super) fn newest(&self) -> Option<&Command<PeerTime>> {
        self.newest.as_ref().map(|(_, command)| command)
    }

    /// A fresh command came within the deadline.
    pub(super) fn hears(&self, now: MonoTime) -> bool {
        self.last_moment().is_some_and(|last_moment| now <= last_moment)
    }

    /// Up to when the newest fresh command counts.
    pub(super) fn last_moment(&self) -> Option<MonoTime> {
        self.newest.map(|(arrived, _)| arrived + self.limits.deadline)
    }

    /// What is wrong with the age of the commands that come.
    pub(super) fn doubt(&self, now: MonoTime) -> Option<Need> {
        match self.refused.filter(|(at, _)| now.since(*at) <= self.limits.deadline)? {
            (_, Refusal::TooOld) => Some(Need::YoungerCommand),
            (_, Refusal::AgeUnknown) => Some(Need::Clock),
            (_, Refusal::OutOfOrder | Refusal::Latched | Refusal::NotEnabled) => None,
        }
    }
}
