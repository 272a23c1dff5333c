//! The gate's states and the one function that moves between them. SPEC.md DRV-12 to DRV-16, DRV-86, DRV-87.
//!
//! ```text
//!                    neutral               enable                 stop
//!         ┌────────────────────▶ Ready ─────────────▶ Driving ─────────────▶ Stopping
//!         │  ┌───────────────────┘ │                                             │
//!         │  │  not neutral, a     │                                             │ standstill
//!         │  ▼  gap, blind, …      │                                             ▼
//!       Locked ◀─── new session, reset ────────────────────────────────────── Stopped
//!         ▲                        │                                             │
//!         │ reset                  └◀───────────────── neutral ──────────────────┘
//!    Emergency ◀──── emergency stop, from every state
//! ```
//! A new session or a reset while the vehicle drives is a stop like any other.

/// Whether the vehicle may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A start, a session or a reset began anew: held by the brakes until the driver's controls are neutral.
    Locked,
    /// The driver's controls are neutral: held by the brakes until the driver enables.
    Ready,
    /// Fresh commands come under a held dead-man: the vehicle does what the newest says.
    Driving,
    /// A controlled stop is under way; nothing but an emergency stop changes its end.
    Stopping,
    /// The stop is over: held by the brakes until the driver's controls are neutral.
    Stopped,
    /// Stopped by the driver's emergency stop: braked until a reset comes.
    Emergency,
}

impl State {
    /// All states, in the order of their numbers on the wire.
    pub const ALL: [State; 6] =
        [State::Locked, State::Ready, State::Driving, State::Stopping, State::Stopped, State::Emergency];

    /// The words shown to people.
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Locked => "locked",
            State::Ready => "ready",
            State::Driving => "driving",
            State::Stopping => "STOPPING",
            State::Stopped => "STOPPED",
            State::Emergency => "EMERGENCY STOP",
        }
    }

    /// Whether the vehicle stands, as far as the gate knows, and no emergency stop holds it.
    pub(super) const fn is_held(self) -> bool {
        matches!(self, State::Locked | State::Ready | State::Stopped)
    }
}

/// What happened to the gate, once the details are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Fresh commands were neutral for long enough.
    Neutral,
    /// They are not any more, or ceased, or the driver sees nothing.
    Unready,
    /// The driver enabled: a new press, under a held dead-man, without throttle.
    Enabled,
    /// A reason to stop.
    Stop,
    /// The stop is over.
    Standstill,
    /// The operator's program began anew.
    NewSession,
    /// A reset that may release.
    FreshReset,
    /// An emergency stop, of any age.
    EmergencyStop,
}

#[cfg(test)]
impl Event {
    pub(super) const ALL: [Event; 8] = [
        Event::Neutral,
        Event::Unready,
        Event::Enabled,
        Event::Stop,
        Event::Standstill,
        Event::NewSession,
        Event::FreshReset,
        Event::EmergencyStop,
    ];
}

/// The one transition table.
pub(super) const fn transition(state: State, event: Event) -> State {
    match (state, event) {
        (_, Event::EmergencyStop) => State::Emergency,
        (State::Emergency, Event::FreshReset) => State::Locked,
        (State::Driving, Event::Stop | Event::NewSession | Event::FreshReset) => State::Stopping,
        (State::Stopping, Event::Standstill) => State::Stopped,
        (State::Locked | State::Ready | State::Stopped, Event::NewSession | Event::FreshReset) => {
            State::Locked
        }
        (State::Ready, Event::Unready | Event::Stop) => State::Locked,
        (State::Locked | State::Stopped, Event::Neutral) => State::Ready,
        (State::Ready, Event::Enabled) => State::Driving,
        _ => state,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_meets_every_event_as_the_table_says() {
        let mut table = format!("{:<16}", "");
        State::ALL.iter().for_each(|state| table += &format!("{:<16}", state.as_str()));
        table = table.trim_end().to_owned() + "\n";
        for event in Event::ALL {
            table += &format!("{:<16}", format!("{event:?}"));
            State::ALL
                .iter()
                .for_each(|state| table += &format!("{:<16}", transition(*state, event).as_str()));
            table = table.trim_end().to_owned() + "\n";
        }
        println!("{table}");
        assert_eq!(table, include_str!("transitions.txt"), "\nthe gate does:\n{table}");
    }

    #[test]
    fn one_way_alone_leads_to_driving() {
        let ways = |state: State| Event::ALL.map(|event| (state, event, transition(state, event)));
        let leading: Vec<_> = State::ALL
            .into_iter()
            .flat_map(ways)
            .filter(|(from, _, to)| *from != State::Driving && *to == State::Driving)
            .collect();
        assert_eq!(leading, [(State::Ready, Event::Enabled, State::Driving)]);
    }
}
