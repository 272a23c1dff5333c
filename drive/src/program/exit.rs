//! How a program ended, as the system is told. DRV-76.

use std::process;

/// Exit codes of `tokkyu vehicle` and `tokkyu operator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitCode {
    /// 0: did what was asked.
    Ok,
    /// 1: a requirement was missed, or the run failed.
    Failed,
    /// 2: the command line or a configuration file is wrong.
    Usage,
    /// 3: not permitted or not possible on this machine.
    NotPossible,
    /// 4: the peer refused us, or we refused the peer.
    Refused,
    /// 5: results could not be written.
    NotWritten,
    /// 130: interrupted; what was measured until then is kept.
    Interrupted,
}

impl ExitCode {
    /// The number the system is told.
    pub const fn number(self) -> u8 {
        match self {
            ExitCode::Ok => 0,
            ExitCode::Failed => 1,
            ExitCode::Usage => 2,
            ExitCode::NotPossible => 3,
            ExitCode::Refused => 4,
            ExitCode::NotWritten => 5,
            ExitCode::Interrupted => 130,
        }
    }
}

impl ExitCode {
    /// All codes.
    pub const ALL: [ExitCode; 7] = [
        ExitCode::Ok,
        ExitCode::Failed,
        ExitCode::Usage,
        ExitCode::NotPossible,
        ExitCode::Refused,
        ExitCode::NotWritten,
        ExitCode::Interrupted,
    ];

    /// The code with this number, if there is one.
    pub fn of_number(number: i32) -> Option<ExitCode> {
        ExitCode::ALL.into_iter().find(|code| i32::from(code.number()) == number)
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> process::ExitCode {
        process::ExitCode::from(code.number())
    }
}
