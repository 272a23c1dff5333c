//! What a board is to do, step by step.

use serde::{Deserialize, Serialize};

/// Where the lab puts the plan in the board's initial file system.
pub const PATH: &str = "/plan.json";

/// All that one board does from its start to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Carried out in this order. The first that fails ends the plan.
    pub steps: Vec<Step>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Load a module: its file in `/modules` and its parameters.
    Load {
        /// Such as `sch_lbe.ko`.
        file: String,
        /// Such as `rate_kbps=384,1000`.
        parameters: String,
    },
    /// Load a module of the distribution and what it needs, as `/modules/order` has it for this kernel. What is loaded already
    /// stays.
    Modprobe {
        /// Such as `bonding`.
        name: String,
    },
    /// Run a program to its end. What it printed and how it ended is reported; that it failed fails the plan only if
    /// `must`.
    Run {
        /// Name of the report's line.
        name: String,
        /// Program and arguments.
        argv: Vec<String>,
        /// Whether a code other than 0 ends the plan.
        must: bool,
    },
    /// Start a program that runs until [`Step::Stop`], its own end or the end of the plan.
    Start {
        /// By which it is stopped or waited for.
        name: String,
        /// Program and arguments.
        argv: Vec<String>,
        /// Run with `SCHED_IDLE`.
        idle: bool,
    },
    /// End a program of [`Step::Start`] and wait for it.
    Stop {
        /// As it was started.
        name: String,
    },
    /// Wait until a program of [`Step::Start`] ends by itself. What it printed and how it ended is reported.
    Wait {
        /// As it was started.
        name: String,
    },
    /// Write a text into a file of the board, as a setting of the kernel.
    Write {
        /// Absolute path.
        path: String,
        /// What.
        text: String,
    },
    /// Keep a file of the board in the folder of the run, such as a measurement's samples.
    Keep {
        /// Absolute path.
        path: String,
        /// Its name there: letters, digits, `-`, `_` and `.`.
        name: String,
    },
    /// Look for memory that the kernel allocated and lost (kmemleak), and fail if there is any. Needs a kernel made for it.
    Leaks,
    /// Let time pass.
    Sleep {
        /// Milliseconds.
        ms: u64,
    },
    /// Foreground: HTTP requests one after another, each at a random phase.
    Transfer(Transfer),
    /// Foreground: a fixed amount of computation, again and again.
    Compute(Compute),
    /// Foreground: single UDP packets, for how long each waits before the wire takes it.
    React(React),
    /// Nobody in the foreground: what the background gets and costs meanwhile.
    Idle {
        /// Name of the report's line.
        name: String,
        /// How long, milliseconds.
        ms: u64,
    },
}

/// Which way the payload of a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Up: HTTP POST.
    Post,
    /// Down: HTTP GET.
    Get,
}

/// HTTP requests of one size. Each has a connection of its own and ends with the answer's last byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Name of the report's lines.
    pub name: String,
    /// The server, such as `10.0.0.2:80`.
    pub server: String,
    /// Which way.
    pub direction: Direction,
    /// Bytes of the body.
    pub bytes: u64,
    /// How many.
    pub repeats: u32,
    /// Before each a pause of this many milliseconds and up to as many again, drawn from `seed`.
    pub pause_ms: u64,
    /// Of the pauses.
    pub seed: u64,
}

/// Computation of a fixed amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compute {
    /// Name of the report's lines.
    pub name: String,
    /// Rounds of the loop.
    pub rounds: u64,
    /// How many times.
    pub repeats: u32,
    /// Pause before each, milliseconds.
    pub pause_ms: u64,
}

/// Single packets of the foreground.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct React {
    /// Name of the report's lines.
    pub name: String,
    /// Where they go, such as `10.0.0.2:9`.
    pub to: String,
    /// How many.
    pub packets: u32,
    /// As in [`Transfer`].
    pub pause_ms: u64,
    /// Of the pauses.
    pub seed: u64,
}
