//! Drive commands: their bytes on the link, and where an operator's controls come from. SPEC.md DRV-1 to DRV-9.
//!
//! A [`ControlSource`] says what the driver wants at a moment; the operator's program asks it once for each command
//! it is to send (50 times a second), adds sequence number and time of issue, and sends [`Command::encode`]'s bytes.
//! No source waits. When a source fails, [`Controls::NEUTRAL`] is what is sent.

pub mod command;
pub mod gamepad;
pub mod keyboard;
pub mod pattern;
pub mod recording;

use std::io;
use std::path::PathBuf;

use tokkyu_contract::MonoTime;

pub use command::{Command, CommandError, Controls};

/// Where controls come from.
pub trait ControlSource: Send {
    /// What the driver wants at `now` (this machine's monotonic clock, never going back). Does not wait.
    ///
    /// # Errors
    /// When the source cannot say; the caller sends [`Controls::NEUTRAL`] and asks again at its next turn.
    fn controls(&mut self, now: MonoTime) -> Result<Controls, ControlError>;
}

/// Why a source has no controls.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// No gamepad is connected.
    #[error("no gamepad found in /dev/input; connect one, and check that you may read it (group \"input\")")]
    NoGamepad,
    /// The gamepad was unplugged or its battery is empty.
    #[error(
        "the gamepad \"{name}\" vanished ({said}); the vehicle brakes until it is back and its dead-man is pressed"
    )]
    Vanished {
        /// What the device calls itself.
        name: String,
        /// The system's reason.
        said: String,
    },
    /// A line of a drive file is not as it must be.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The drive file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A drive file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
