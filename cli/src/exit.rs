//! How a command ended: a code the shell can test, and for a failure the words that go with it.

use std::fmt;

use tokkyu_contract::yaml::Errors;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::drive::DriveError;
use tokkyu_lab::wire::WireError;
use tokkyu_link::carrier::KeyError;
use tokkyu_measure::{ReportError, ResultError, StorageError};

/// What every command's `--help` says about its exit code.
pub const CODES: &str = "Exit codes: 0 good, 1 a requirement was missed or a run failed (the last line says which), 2 usage or configuration, \
3 not permitted or not possible here, 4 the peer refused, 5 results could not be written, 130 interrupted \
(what was measured until then is kept).";

/// A command that failed.
#[derive(Debug)]
pub struct Failure {
    /// What the shell is told.
    pub code: ExitCode,
    /// What a person is told: what failed, and the remedy.
    pub message: String,
}

/// What a command comes to.
pub type Done = Result<ExitCode, Failure>;

impl Failure {
    /// A failure with this code.
    pub fn new(code: ExitCode, message: impl fmt::Display) -> Failure {
        Failure { code, message: message.to_string() }
    }

    /// Wrong usage or configuration.
    pub fn usage(message: impl fmt::Display) -> Failure {
        Failure::new(ExitCode::Usage, message)
    }
}

impl From<Errors> for Failure {
    /// All errors of a file, with the lines they stand in.
    fn from(errors: Errors) -> Failure {
        Failure::usage(format_args!("{errors:#}"))
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Failure {
        let code = match error {
            WireError::NotPermitted { .. } => ExitCode::NotPossible,
            WireError::Profile(_) => ExitCode::Usage,
            WireError::System { .. } | WireError::ThreadGone { .. } => ExitCode::Failed,
        };
        Failure::new(code, error)
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Failure {
        let storage = error.is_storage();
        match error {
            DriveError::Wire(error) => error.into(),
            DriveError::NoPeers { because: WireError::Profile(error) } => WireError::Profile(error).into(),
            DriveError::Taken { .. } | DriveError::Algorithm { .. } => Failure::usage(error),
            DriveError::NoTcp { .. } | DriveError::NoPeers { .. } => {
                Failure::new(ExitCode::NotPossible, error)
            }
            _ if storage => Failure::new(ExitCode::NotWritten, error),
            _ => Failure::new(ExitCode::Failed, error),
        }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Failure {
        let code = match error {
            KeyError::Write { .. } => ExitCode::NotWritten,
            KeyError::NoRandom => ExitCode::NotPossible,
            _ => ExitCode::Usage,
        };
        Failure::new(code, error)
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Failure {
        Failure::new(ExitCode::NotWritten, error)
    }
}

impl From<ResultError> for Failure {
    fn from(error: ResultError) -> Failure {
        let code = match error {
            ResultError::Storage(_) | ResultError::Unwritable { .. } => ExitCode::NotWritten,
            ResultError::NewerFormat { .. } | ResultError::Malformed { .. } => ExitCode::Usage,
        };
        Failure::new(code, error)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        Failure::new(ExitCode::Failed, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn each_kind_of_failure_has_the_code_the_help_promises() {
        let withheld = WireError::NotPermitted {
            what: "open /dev/net/tun",
            remedy: "run as root",
            source: io::ErrorKind::PermissionDenied.into(),
        };
        assert_eq!(Failure::from(DriveError::Wire(withheld)).code, ExitCode::NotPossible);
        let full = DriveError::Folder { path: "r".into(), source: io::ErrorKind::StorageFull.into() };
        assert_eq!(Failure::from(full).code, ExitCode::NotWritten);
        assert_eq!(Failure::from(DriveError::Taken { path: "r".into() }).code, ExitCode::Usage);
        let open = KeyError::TooOpen { path: "k".into(), mode: 0o644 };
        assert_eq!(Failure::from(open).code, ExitCode::Usage);
    }
}
