//! What a cell sets before it measures.

use std::fmt;

use tokkyu_measure::rtnet::Load;

use super::layout::{BULK_FAR, BULK_NEAR, FAR};
use crate::board::Step as Do;
use crate::board::pair::{must, sleep, start, stop};

/// Who does the driver's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Its interrupt's thread, as PREEMPT_RT has it.
    Thread,
    /// ksoftirqd: the handler is never threaded, as in some drivers, and maybe the paper's.
    Softirq,
}

impl Driver {
    /// The parameter of vmac.
    pub(super) fn interrupt(self) -> u32 {
        match self {
            Driver::Thread => 1,
            Driver::Softirq => 2,
        }
    }

    /// In results.
    pub fn as_str(self) -> &'static str {
        match self {
            Driver::Thread => "thread",
            Driver::Softirq => "softirq",
        }
    }
}

/// How the board is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// As the kernel is, ksoftirqd at `SCHED_OTHER`.
    Other,
    /// As the kernel is, but for ksoftirqd at `SCHED_FIFO` 1: what the paper proposes.
    Fifo1,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Setting::Other => "untuned-other",
            Setting::Fifo1 => "untuned-fifo1",
        })
    }
}

impl Setting {
    pub(super) fn set(self) -> Vec<Do> {
        match self {
            Setting::Other => Vec::new(),
            Setting::Fifo1 => vec![must("agent schedule ksoftirqd/0 1")],
        }
    }
}

/// The port of the peer that bulk traffic goes to or comes from.
const BULK_PORT: u16 = 8_000;
/// Past slow start, and until the queue is as it will be.
const WARM_UP_MS: u64 = 600;

/// Starts the bulk traffic.
pub(super) fn begin(load: Load) -> Vec<Do> {
    let direction = match load {
        Load::None => return Vec::new(),
        Load::Send => "give",
        Load::Receive => "take",
    };
    let serve = format!("{FAR} agent probe load serve {BULK_FAR}:{BULK_PORT} --session 1 --from {BULK_NEAR}");
    // Until it is ended, for as long as no cell lasts.
    let flow =
        format!("agent probe load flow {direction} {BULK_FAR}:{BULK_PORT} --session 1 --seconds 100000");
    vec![
        start("serve", &serve, false),
        must("agent await /tmp/serve.out listening"),
        start("flow", &flow, false),
        sleep(WARM_UP_MS),
    ]
}

/// Ends it. That it had ended by itself is a fault.
pub(super) fn end(load: Load) -> Vec<Do> {
    match load {
        Load::None => Vec::new(),
        Load::Send | Load::Receive => vec![stop("flow"), stop("serve")],
    }
}
