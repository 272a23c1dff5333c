//! Why a run was none, or was over early.

use std::fmt::{self, Display};

/// Why a run could not be made: one line for standard error, with the remedy.
#[derive(Debug)]
pub struct Failure(pub String);

impl Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// How a run ended before its last sample.
#[derive(Debug)]
pub enum Early {
    /// SIGINT or SIGTERM: what was measured counts.
    Interrupted,
    /// The run is none.
    Failed(Failure),
}

impl From<Failure> for Early {
    fn from(failure: Failure) -> Early {
        Early::Failed(failure)
    }
}

/// Of [`crate::apart::Apart`].
pub(crate) fn apart_failed(error: std::io::Error) -> Failure {
    Failure(format!("processors of the run's threads: {error}"))
}
