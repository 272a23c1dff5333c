//! Who may drive a vehicle of the fleet: one at a time, until the session ends (FLT-21 to FLT-23).
//!
//! Pure; the time comes in. The events are the only writers of the state.
//!
//! ```text
//!          call                  session up               session down
//!   Idle ────────▶ Called ─────────────────▶ Driven ─────────────────▶ Lost
//!    ▲               │                         ▲        session up       │
//!    │               │ not up in PATIENCE      └─────────────────────────┤
//!    │ ended         ▼                                   down for GRACE  │
//!    └──────────── Ending ◀──────────────────────────────────────────────┘
//!         (the program may end in any state: Idle)
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::protocol::call::Refusal;
use crate::protocol::state::{Doing, Driver};

/// From the call to the first session: the link's handshake over any network, and the operator's program starting.
pub const PATIENCE: Duration = Duration::from_secs(15);
/// A lost session may come back for so long before the vehicle is free for others.
pub const GRACE: Duration = Duration::from_secs(5);

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Engagement {
    phase: Phase,
    driver: Option<Named>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Called {
        until: MonoTime,
    },
    Driven,
    Lost {
        until: MonoTime,
    },
    Ending,
}

/// Who called, and when.
#[derive(Clone, Debug)]
struct Named {
    operator: String,
    fingerprint: String,
    at: MonoTime,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Called,
    SessionUp,
    SessionDown,
    Tick,
    Ended,
}

impl Engagement {
    /// A trusted operator wants to drive.
    ///
    /// # Errors
    /// Another does.
    pub fn on_call(&mut self, operator: &str, fingerprint: &str, now: MonoTime) -> Result<(), Refusal> {
        if self.phase != Phase::Idle {
            return Err(Refusal::Busy);
        }
        let (operator, fingerprint) = (operator.to_owned(), fingerprint.to_owned());
        self.driver = Some(Named { operator, fingerprint, at: now });
        self.phase = self.next(Event::Called, now);
        Ok(())
    }

    /// Whether the link has a session now.
    pub fn on_link(&mut self, is_up: bool, now: MonoTime) {
        let event = if is_up { Event::SessionUp } else { Event::SessionDown };
        self.phase = self.next(event, now);
    }

    /// Time passed. True when the vehicle's program must be told to end.
    pub fn on_tick(&mut self, now: MonoTime) -> bool {
        self.phase = self.next(Event::Tick, now);
        self.phase == Phase::Ending
    }

    /// The vehicle's program ended.
    pub fn on_ended(&mut self, now: MonoTime) {
        self.phase = self.next(Event::Ended, now);
        self.driver = None;
    }

    /// The one transition.
    fn next(&self, event: Event, now: MonoTime) -> Phase {
        match (self.phase, event) {
            (_, Event::Ended) => Phase::Idle,
            (Phase::Idle, Event::Called) => Phase::Called { until: now + PATIENCE },
            (Phase::Called { .. } | Phase::Lost { .. }, Event::SessionUp) => Phase::Driven,
            (Phase::Driven, Event::SessionDown) => Phase::Lost { until: now + GRACE },
            (Phase::Called { until } | Phase::Lost { until }, Event::Tick) if now >= until => Phase::Ending,
            (phase, _) => phase,
        }
    }

    /// For the state.
    pub fn doing(&self) -> Doing {
        match self.phase {
            Phase::Idle => Doing::Idle,
            Phase::Called { .. } => Doing::Called,
            Phase::Driven => Doing::Driven,
            Phase::Lost { .. } => Doing::Lost,
            Phase::Ending => Doing::Ending,
        }
    }

    /// For the state.
    pub fn driver(&self, now: MonoTime) -> Option<Driver> {
        let Named { operator, fingerprint, at } = self.driver.clone()?;
        Some(Driver { operator, fingerprint, for_s: now.since(at).as_secs() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: MonoTime = MonoTime::from_millis(1000);

    fn called() -> Engagement {
        let mut engagement = Engagement::default();
        assert_eq!(engagement.on_call("a", "SHA256:a", T0), Ok(()));
        engagement
    }

    #[test]
    fn one_drives_and_others_are_refused_until_the_program_ended() {
        let mut engagement = called();
        assert_eq!(engagement.on_call("b", "SHA256:b", T0), Err(Refusal::Busy));
        engagement.on_link(true, T0);
        assert_eq!(engagement.doing(), Doing::Driven);
        assert_eq!(engagement.driver(T0 + GRACE).map(|d| (d.operator, d.for_s)), Some(("a".into(), 5)));
        assert!(!engagement.on_tick(T0 + PATIENCE * 100), "a session that is up has no end");
        engagement.on_ended(T0);
        assert_eq!((engagement.doing(), engagement.driver(T0)), (Doing::Idle, None));
        assert_eq!(engagement.on_call("b", "SHA256:b", T0), Ok(()));
    }

    #[test]
    fn an_operator_who_does_not_come_is_waited_for_only_so_long() {
        let mut engagement = called();
        engagement.on_link(false, T0);
        assert!(!engagement.on_tick(T0 + (PATIENCE - Duration::from_millis(1))));
        assert!(engagement.on_tick(T0 + PATIENCE));
        engagement.on_link(true, T0 + PATIENCE);
        assert_eq!(engagement.doing(), Doing::Ending, "it was told to end");
    }

    #[test]
    fn a_lost_session_may_come_back_within_the_grace() {
        let mut engagement = called();
        engagement.on_link(true, T0);
        engagement.on_link(false, T0);
        assert_eq!(engagement.doing(), Doing::Lost);
        assert_eq!(engagement.on_call("b", "SHA256:b", T0), Err(Refusal::Busy));
        engagement.on_link(false, T0 + GRACE / 2);
        engagement.on_link(true, T0 + GRACE / 2);
        assert!(!engagement.on_tick(T0 + GRACE * 2));
        engagement.on_link(false, T0 + GRACE * 2);
        assert!(engagement.on_tick(T0 + GRACE * 3));
    }
}
