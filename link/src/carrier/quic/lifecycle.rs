//! Where the carrier's connection stands, and the only way it moves.
//!
//! ```text
//!                     established                      established (a newer session
//!   ┌────────────┐ ───────────────▶ ┌────────────┐ ──┐  replaces the one before)
//!   │ Connecting │                  │     Up     │ ◀─┘
//!   └────────────┘ ◀───┐     ┌───── └────────────┘
//!         │        dial│     │lost        ▲
//!         │lost        │     ▼            │ established (the operator's side only:
//!         └─────────▶ ┌────────────┐ ─────┘  it goes on listening)
//!                     │   Closed   │
//!                     └────────────┘
//! ```

use crate::carrier::{CloseReason, TransportState};

/// What moves the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The vehicle begins a handshake.
    Dial,
    /// A handshake with a trusted peer is complete.
    Established,
    /// The session, or the vehicle's attempt to get one, ended.
    Lost(CloseReason),
}

/// The state and how many sessions there were.
#[derive(Debug)]
pub(super) struct Lifecycle {
    state: TransportState,
    sessions: u64,
}

impl Lifecycle {
    pub(super) fn new() -> Lifecycle {
        Lifecycle { state: TransportState::Connecting, sessions: 0 }
    }

    pub(super) fn state(&self) -> &TransportState {
        &self.state
    }

    /// The one transition. An event that means nothing in a state leaves it as it is: the first reason for an end is
    /// the true one, and a session that is up is not given up for a new attempt.
    pub(super) fn on(&mut self, event: Event) {
        use TransportState::{Closed, Connecting, Up};
        self.state = match (&self.state, event) {
            (Closed(_), Event::Dial) => Connecting,
            (_, Event::Established) => {
                self.sessions += 1;
                Up { session: self.sessions }
            }
            (Connecting | Up { .. }, Event::Lost(reason)) => Closed(reason),
            (Connecting | Up { .. }, Event::Dial) | (Closed(_), Event::Lost(_)) => return,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_answers_every_event_as_drawn() {
        let lost = || Event::Lost(CloseReason::PeerRestarted);
        let states: [&[Event]; 3] = [&[], &[Event::Established], &[Event::Lost(CloseReason::Busy)]];
        let mut table = String::new();
        for before in states {
            for event in [Event::Dial, Event::Established, lost()] {
                let mut lifecycle = Lifecycle::new();
                before.iter().cloned().for_each(|event| lifecycle.on(event));
                table += &format!("{:?} + {event:?} = ", lifecycle.state());
                lifecycle.on(event);
                table += &format!("{:?}\n", lifecycle.state());
            }
        }
        assert_eq!(
            table,
            "Connecting + Dial = Connecting\n\
             Connecting + Established = Up { session: 1 }\n\
             Connecting + Lost(PeerRestarted) = Closed(PeerRestarted)\n\
             Up { session: 1 } + Dial = Up { session: 1 }\n\
             Up { session: 1 } + Established = Up { session: 2 }\n\
             Up { session: 1 } + Lost(PeerRestarted) = Closed(PeerRestarted)\n\
             Closed(Busy) + Dial = Connecting\n\
             Closed(Busy) + Established = Up { session: 1 }\n\
             Closed(Busy) + Lost(PeerRestarted) = Closed(Busy)\n"
        );
    }
}
