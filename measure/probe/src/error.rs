//! Why a probe could not measure.

use std::io;

/// Why a probe could not measure (PRB-3).
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// This machine, or who asks, does not allow it; says what would.
    #[error("{0}")]
    NotPossible(String),
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(String),
    /// It went wrong in the middle.
    #[error("{what}: {source}")]
    Failed {
        /// What was tried.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Says what was tried when the system refuses.
pub fn failed<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> ProbeError {
    let what = what.into();
    move |error| ProbeError::Failed { what, source: error.into() }
}
