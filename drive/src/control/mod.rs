//! Drive commands: their bytes on the link, and where an operator's controls come from. SPEC.md DRV-1 to DRV-9.
//!
//! A [`ControlSource`] says what the driver wants at a moment; the operator's program asks it once for each command
//! it is to send (50 times a second), adds sequence number and time of issue, and sends [`Command::encode`]'s bytes.
//! No source waits. When a source fails, [`Controls::NEUTRAL`] is what is sent.

pub mod age;
mod command;
pub mod controls;
mod error;
pub mod gamepad;
pub mod keyboard;
pub mod pattern;
pub mod recording;
mod seat_wish;

use tokkyu_contract::MonoTime;

pub use age::Age;
pub use command::Command;
pub use controls::{Controls, Equipment, Fittings, READ_WITHIN};
pub use error::{COMMAND_BYTES, CommandError, ControlError};
pub use seat_wish::{MOST_ENDS, SeatWish};

/// Where controls come from.
pub trait ControlSource: Send {
    /// What the driver wants at `now` (this machine's monotonic clock, never going back). Does not wait.
    ///
    /// # Errors
    /// When the source cannot say; the caller sends [`Controls::NEUTRAL`] and asks again at its next turn.
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError>;
}
