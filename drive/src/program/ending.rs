//! How a run came to its end.

use serde::{Deserialize, Serialize};

use super::ExitCode;

/// How a run came to its end, when no error ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Everything asked for was done, or the driver asked to quit.
    Completed,
    /// Ctrl-C or a request to end from outside.
    Interrupted,
}

impl Ending {
    /// The program's exit code.
    pub const fn exit_code(self) -> ExitCode {
        match self {
            Ending::Completed => ExitCode::Ok,
            Ending::Interrupted => ExitCode::Interrupted,
        }
    }
}
