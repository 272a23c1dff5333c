//! Why bytes are not a command, and why a source has no controls.

use std::io;
use std::path::PathBuf;

/// Length of every command.
pub const COMMAND_BYTES: usize = 64;

/// Why bytes are not a command.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// Not 64 bytes.
    #[error("a drive command has {COMMAND_BYTES} bytes, this one has {bytes}")]
    Length {
        /// Its length.
        bytes: usize,
    },
    /// Not a command, or of another version.
    #[error(
        "the command starts with {found:02x?}, not with \"TKC4\": operator and vehicle must run the same version"
    )]
    Magic {
        /// What stands there instead.
        found: [u8; 4],
    },
    /// A flag or a reserved byte that this version does not know.
    #[error("byte {offset} of the command is {value:#04x}, unknown here: the operator's program is newer")]
    Reserved {
        /// Its place.
        offset: usize,
        /// Its value.
        value: u8,
    },
    /// Of the age of what the driver sees, estimate or error alone.
    #[error("the command tells only one of how old the pictures are and how wrong that may be")]
    HalfAge,
    /// A value outside its range, or not a number.
    #[error("{field} is {value}, allowed is {lowest} to 1")]
    Range {
        /// Which value.
        field: &'static str,
        /// What it is.
        value: f32,
        /// Lowest allowed value.
        lowest: f32,
    },
    /// A reset that also asks for something else.
    #[error("a reset must be neutral: throttle, brake and steering 0, dead-man not held, no e-stop")]
    ResetNotNeutral,
    /// Throttle from somebody who does not hold the dead-man.
    #[error("throttle is {throttle} and the dead-man is not held")]
    ThrottleNotEnabled {
        /// How much.
        throttle: f32,
    },
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
