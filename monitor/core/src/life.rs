//! Linux as a whole (MON-42), and what is copied when it begins.
//!
//! ```text
//!            on_copied              on_reset
//!   Loading ──────────► Running ────────────► Ending
//!      ▲                                        │
//!      └────────────────────────────────────────┘
//!                       on_gone
//! ```

use crate::handoff::{Handoff, LOADER, LOADER_KEPT, TREE, TREE_KEPT};
use crate::power::Refused;

/// A state of Linux, as its word has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Life {
    /// The first processor copies what it begins with.
    Loading = 0,
    /// It may have processors.
    Running = 1,
    /// It is given up, processor by processor.
    Ending = 2,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeEvent {
    /// What it begins with is in place.
    Copied,
    /// It has called `SYSTEM_RESET`.
    Reset,
    /// It has no processor any more.
    Gone,
}

impl Life {
    /// A word's state.
    pub const fn of(word: u32) -> Life {
        match word {
            0 => Life::Loading,
            1 => Life::Running,
            _ => Life::Ending,
        }
    }

    /// The state after an event.
    ///
    /// # Errors
    /// [`Refused::Never`]: it does not happen in that state.
    pub const fn after(self, event: LifeEvent) -> Result<Life, Refused> {
        match (self, event) {
            (Life::Loading, LifeEvent::Copied) => Ok(Life::Running),
            (Life::Running, LifeEvent::Reset) => Ok(Life::Ending),
            (Life::Ending, LifeEvent::Gone) => Ok(Life::Loading),
            _ => Err(Refused::Never),
        }
    }
}

/// What is copied at once: the RTOS waits for no more than this.
const PIECE_BYTES: u64 = 256;

/// Bytes to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// From secure memory.
    pub from: u64,
    /// To Linux's.
    pub to: u64,
    /// How many.
    pub bytes: u64,
}

/// The piece behind the first `done` bytes of loader and tree; nothing: all are done.
pub fn piece(handoff: &Handoff, done: u64) -> Option<Piece> {
    let (begun, all, from, to) = match done < handoff.loader_bytes {
        true => (done, handoff.loader_bytes, LOADER_KEPT, LOADER),
        false => (done - handoff.loader_bytes, handoff.tree_bytes, TREE_KEPT, TREE),
    };
    let bytes = (all - begun.min(all)).min(PIECE_BYTES);
    (bytes > 0).then_some(Piece { from: from + begun, to: to + begun, bytes })
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn every_state_knows_every_event() {
        let table = [Life::Loading, Life::Running, Life::Ending].map(|life| {
            [LifeEvent::Copied, LifeEvent::Reset, LifeEvent::Gone].map(|event| life.after(event))
        });
        let never = Err(Refused::Never);
        let wanted = [
            [Ok(Life::Running), never, never],
            [never, Ok(Life::Ending), never],
            [never, never, Ok(Life::Loading)],
        ];
        assert_eq!(table, wanted);
        for life in [Life::Loading, Life::Running, Life::Ending] {
            assert_eq!(Life::of(life as u32), life);
        }
    }

    #[test]
    fn all_is_copied_once_in_short_pieces() {
        let handoff = Handoff { loader_bytes: 600, tree_bytes: 256, ..Handoff::NONE };
        let mut done = 0;
        let mut pieces = Vec::new();
        while let Some(piece) = piece(&handoff, done) {
            done += piece.bytes;
            pieces.push((piece.from, piece.to, piece.bytes));
        }
        let wanted = [
            (LOADER_KEPT, LOADER, 256),
            (LOADER_KEPT + 256, LOADER + 256, 256),
            (LOADER_KEPT + 512, LOADER + 512, 88),
            (TREE_KEPT, TREE, 256),
        ];
        assert_eq!(pieces, wanted);
        assert_eq!(piece(&handoff, u64::MAX / 2), None);
    }
}
