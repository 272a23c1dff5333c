//! Whether a processor is on (MON-23, MON-25).
//!
//! ```text
//!         on_claimed             on_asked                on_begun
//!   Off ────────────► Claimed ───────────────► Asked ─────────────► On
//!    ▲                somebody writes where    it may begin          │
//!    │                it begins                                      │
//!    └───────────────────────────────────────────────────────────────┘
//!                                on_ended
//!
//!   Asked, On ──────────► Off, where Linux as a whole is given up
//!             on_dropped
//! ```
//!
//! One word, in which the whole state is: who changes it compares and exchanges, and does nothing when it has lost.

/// A state of a processor, as its word has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Power {
    /// Linux does not have it.
    Off = 0,
    /// One caller of `CPU_ON` has it to itself, and writes down where it begins.
    Claimed = 1,
    /// It begins as soon as it looks.
    Asked = 2,
    /// Linux has it.
    On = 3,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Somebody calls `CPU_ON`.
    Claimed,
    /// He has written down where it begins.
    Asked,
    /// It goes to where it begins.
    Begun,
    /// It has called `CPU_OFF`.
    Ended,
    /// Linux is given up.
    Dropped,
}

/// Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is on.
    AlreadyOn,
    /// It will be.
    Pending,
    /// This does not happen in that state.
    Never,
}

impl Power {
    /// A word's state; nothing: no word of this kind.
    pub const fn of(word: u32) -> Option<Power> {
        Some(match word {
            0 => Power::Off,
            1 => Power::Claimed,
            2 => Power::Asked,
            3 => Power::On,
            _ => return None,
        })
    }

    /// The state after an event.
    ///
    /// # Errors
    /// [`Refused`]: why the event changes nothing.
    pub const fn after(self, event: Event) -> Result<Power, Refused> {
        Ok(match (self, event) {
            (Power::Off, Event::Claimed) => Power::Claimed,
            (Power::Claimed, Event::Asked) => Power::Asked,
            (Power::Asked, Event::Begun) => Power::On,
            (Power::On, Event::Ended) | (Power::Asked | Power::On, Event::Dropped) => Power::Off,
            (Power::Claimed | Power::Asked, Event::Claimed) => return Err(Refused::Pending),
            (Power::On, Event::Claimed) => return Err(Refused::AlreadyOn),
            _ => return Err(Refused::Never),
        })
    }

    /// As `AFFINITY_INFO` tells it (DEN 0022, section 5.7.3).
    pub const fn affinity_info(self) -> i64 {
        match self {
            Power::On => 0,
            Power::Off => 1,
            Power::Claimed | Power::Asked => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [Power; 4] = [Power::Off, Power::Claimed, Power::Asked, Power::On];

    #[test]
    fn every_state_knows_every_event() {
        let events = [Event::Claimed, Event::Asked, Event::Begun, Event::Ended, Event::Dropped];
        let table = STATES.map(|state| events.map(|event| state.after(event)));
        let never = Err(Refused::Never);
        assert_eq!(
            table,
            [
                [Ok(Power::Claimed), never, never, never, never],
                [Err(Refused::Pending), Ok(Power::Asked), never, never, never],
                [Err(Refused::Pending), never, Ok(Power::On), never, Ok(Power::Off)],
                [Err(Refused::AlreadyOn), never, never, Ok(Power::Off), Ok(Power::Off)],
            ]
        );
    }

    #[test]
    fn a_word_is_its_state_and_no_other_word_is_one() {
        for state in STATES {
            assert_eq!(Power::of(state as u32), Some(state));
        }
        assert_eq!((4..100).find_map(Power::of), None);
    }
}
