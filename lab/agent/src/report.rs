//! What a board says: one JSON object a line on its serial console, behind [`MARK`].

use serde::{Deserialize, Serialize};

/// Tells a line of the agent from the kernel's.
pub const MARK: &str = "@tokkyu ";

/// The port of the board that takes what is kept (bytes, one by one; not 0x402, where the firmware tells its log): [`kept_header`] and as many bytes, again and again.
pub const KEPT_PORT: u16 = 0x4e9;

/// What stands before the bytes of a file that is kept.
pub fn kept_header(name: &str, bytes: usize) -> String {
    format!("kept {bytes} {name}\n")
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// A program has ended.
    Ran {
        /// The step's.
        name: String,
        /// Its exit code; -1 if a signal ended it.
        code: i32,
        /// Standard output, the first 16 KiB.
        output: String,
        /// Standard error, the first 16 KiB.
        errors: String,
    },
    /// One round of a foreground step, or an idle time.
    Round(Round),
    /// A step could not be done; the plan ends here.
    Failed {
        /// Which, counted from 0.
        step: usize,
        /// Why.
        reason: String,
    },
    /// All steps are done.
    Done,
}

/// What one round took, and what the board did meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The step's.
    pub name: String,
    /// Counted from 0.
    pub round: u32,
    /// From the request to the last byte; from the first to the last round of a loop; from `send` to the first bit on the wire.
    pub duration_ns: u64,
    /// How long the board was looked at: what follows is of this time.
    pub looked_ns: u64,
    /// Time in which processors were not halted, all together.
    pub busy_ns: u64,
    /// Task switches.
    pub switches: u64,
    /// Interrupts.
    pub interrupts: u64,
    /// Frames on the wire from the near device whose DSCP is LE, and their bytes, by when their last bit was there.
    pub background: Frames,
    /// All the others.
    pub foreground: Frames,
}

/// Frames on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frames {
    /// How many.
    pub frames: u64,
    /// From Ethernet header to payload.
    pub bytes: u64,
}
