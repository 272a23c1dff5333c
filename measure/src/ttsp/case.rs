//! One scenario on one port.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where the kernel ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelPort {
    /// In one process and in virtual time.
    Hosted,
    /// On AArch64 processors that QEMU stands for.
    Qemu,
}

impl KernelPort {
    /// All of them.
    pub const ALL: [KernelPort; 2] = [KernelPort::Hosted, KernelPort::Qemu];
}

impl fmt::Display for KernelPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelPort::Hosted => f.write_str("hosted"),
            KernelPort::Qemu => f.write_str("qemu"),
        }
    }
}

/// What became of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All is as it says.
    Passed,
    /// Something is not.
    Failed,
    /// It is about something that the kernel has not.
    Excluded,
}

/// A scenario on a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtspCase {
    /// The file's name without its ending.
    pub scenario: String,
    /// Folders in which it is: what it is about, e.g. `semaphore/sig_sem`.
    pub about: String,
    /// Where.
    pub port: KernelPort,
    /// What became of it.
    pub result: Outcome,
    /// Why it is excluded, or what is not as it says; empty if it passed.
    pub reason: String,
}
