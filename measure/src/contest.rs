//! What a result file keeps of the programs of others that ran in place of ours: what they said of themselves, and which
//! were asked for but are not on this machine.
//!
//! Written by the lab, read by tables and the report. Follows SPEC.md MEA-48 and MEA-49.

use serde::{Deserialize, Serialize};

/// What one end of a peer said of itself when it ended. What it did not say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PeerSettings {
    /// Which end: `vehicle` or `operator`.
    pub end: String,
    /// Version of the library, or of the kernel where that is the transport.
    pub version: Option<String>,
    /// What was set, in the program's words.
    pub settings: Option<String>,
    /// Whether it was granted `SCHED_FIFO`.
    pub sched_fifo: Option<bool>,
    /// Whether it was granted `mlockall`.
    pub mlockall: Option<bool>,
    /// Whether it had met the other end before the first tick.
    pub met: Option<bool>,
    /// What it had to remark, e.g. errors of its library with their counts.
    pub notes: Vec<String>,
}

/// A peer that was asked for and is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Skipped {
    /// Its name, as in a case's `peer`.
    pub peer: String,
    /// What is missing.
    pub because: String,
    /// What brings it: a package, or what else has to be there.
    pub package: String,
}

/// All in one sentence.
impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}; it needs {}", self.peer, self.because, self.package)
    }
}
