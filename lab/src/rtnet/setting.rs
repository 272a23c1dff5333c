//! What a cell sets before it measures.

use std::fmt;

use tokkyu_measure::rtnet::Load;

use super::layout::{BULK_DEVICE, BULK_FAR, BULK_FAR_DEVICE, BULK_NEAR, FAR, Layout, MEASURED_DEVICE};
use crate::board::Step as Do;
use crate::board::pair::{must, sleep, start, stop};

/// `SCHED_FIFO` of who sends, asks and answers, as in the paper.
pub(super) const PRIORITY: u8 = 10;

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

/// How board and peer are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// As the kernel is, ksoftirqd at `SCHED_OTHER`.
    Other,
    /// As the kernel is, but for ksoftirqd at `SCHED_FIFO` 1: what the paper proposes.
    Fifo1,
    /// One of both, and no trains of segments.
    NoTrains {
        /// ksoftirqd at `SCHED_FIFO` 1.
        fifo1: bool,
    },
    /// So far up the ladder.
    Step(Rung),
    /// The tuner's own plan, at both ends, and sockets marked as it advises.
    Tuned,
}

/// The ladder: each holds those before it, but for the last two, which are the plan and one thing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Of the board: no trains of segments.
    Gso,
    /// A band for each class, and marked sockets.
    Band,
    /// One frame in the device.
    Bql,
    /// The interrupt's thread below the sender: the whole plan, of the board alone.
    Irq,
    /// The plan at both ends, and the sender past the queueing discipline.
    Bypass,
    /// The plan at both ends for answers in place of regularity.
    Answers,
}

impl Rung {
    /// From the bottom.
    pub const ALL: [Rung; 6] = [Rung::Gso, Rung::Band, Rung::Bql, Rung::Irq, Rung::Bypass, Rung::Answers];

    fn name(self) -> &'static str {
        match self {
            Rung::Gso => "gso",
            Rung::Band => "band",
            Rung::Bql => "bql",
            Rung::Irq => "irq",
            Rung::Bypass => "bypass",
            Rung::Answers => "answers",
        }
    }

    /// Steps of the tuner, on the board.
    fn steps(self) -> &'static str {
        match self {
            Rung::Gso => " only=gso",
            Rung::Band => " only=gso,band",
            Rung::Bql => " only=gso,band,bql",
            Rung::Irq | Rung::Bypass => "",
            Rung::Answers => " answers",
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Other => f.pad("untuned-other"),
            Setting::Fifo1 => f.pad("untuned-fifo1"),
            Setting::NoTrains { fifo1: false } => f.pad("step:gso+other"),
            Setting::NoTrains { fifo1: true } => f.pad("step:gso+fifo1"),
            Setting::Step(rung) => write!(f, "step:{}", rung.name()),
            Setting::Tuned => f.pad("tuned"),
        }
    }
}

impl Setting {
    /// Among the others, in tables and plots: the plan comes after the steps that it is made of, and before what is beyond it.
    pub(super) fn place(self) -> u32 {
        match self {
            Setting::Other => 0,
            Setting::Fifo1 => 1,
            Setting::NoTrains { fifo1 } => 2 + u32::from(fifo1),
            Setting::Step(rung) if rung <= Rung::Irq => 4 + rung as u32,
            Setting::Tuned => 10,
            Setting::Step(rung) => 11 + rung as u32,
        }
    }
}

/// `SO_PRIORITY` of the class control.
const MARK: &str = " --skb-priority 6";

impl Setting {
    /// Sets both ends, with the same tuner that users have.
    pub(super) fn set(self, layout: Layout) -> Vec<Do> {
        let ksoftirqd = || must("agent schedule ksoftirqd/0 1");
        let no_trains = || must(&format!("ip link set {BULK_DEVICE} gso_max_segs 1"));
        match self {
            Setting::Other => Vec::new(),
            Setting::Fifo1 => vec![ksoftirqd()],
            Setting::NoTrains { fifo1: false } => vec![no_trains()],
            Setting::NoTrains { fifo1: true } => vec![no_trains(), ksoftirqd()],
            Setting::Step(_) | Setting::Tuned => self.set_plan(layout),
        }
    }

    fn set_plan(self, layout: Layout) -> Vec<Do> {
        let steps = if let Setting::Step(rung) = self { rung.steps() } else { "" };
        let apply = |device: &str, options: &str| {
            must(&format!("agent tune apply {device} senders={PRIORITY}{options}"))
        };
        let mut set = vec![apply(BULK_DEVICE, steps)];
        if layout.ports == 2 {
            // What is measured has the last processor for itself, its port's interrupts among it.
            set.push(apply(MEASURED_DEVICE, &format!(" cpu={}", self.sender_cpu(layout))));
        }
        if self.tunes_peer() {
            // Its answerer is what its sender is to the board: it answers before the device's work goes on.
            set.push(must(&format!("{FAR} agent tune apply {BULK_FAR_DEVICE} senders={PRIORITY}{steps}")));
        }
        set
    }

    /// Processor of the sender.
    pub(super) fn sender_cpu(self, layout: Layout) -> u32 {
        match self {
            Setting::Step(_) | Setting::Tuned => layout.cores - 1,
            Setting::Other | Setting::Fifo1 | Setting::NoTrains { .. } => 0,
        }
    }

    /// Options of the bulk traffic: a plan keeps it off the sender's processor, where there is another.
    fn bulk_options(self, layout: Layout) -> &'static str {
        match self.sender_cpu(layout) {
            0 => "",
            _ => " --cpu 0",
        }
    }

    fn tunes_peer(self) -> bool {
        matches!(self, Setting::Tuned | Setting::Step(Rung::Bypass | Rung::Answers))
    }

    /// Options of the sender of frames.
    pub(super) fn send_options(self) -> String {
        match self {
            Setting::Step(Rung::Bypass) => format!("{MARK} --by bypass"),
            _ => self.mark().to_owned(),
        }
    }

    /// Options of requests.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Setting::Other | Setting::Fifo1 | Setting::NoTrains { .. } | Setting::Step(Rung::Gso) => "",
            Setting::Step(_) | Setting::Tuned => MARK,
        }
    }

    /// Options of answers.
    pub(super) fn far_mark(self) -> &'static str {
        if self.tunes_peer() { MARK } else { "" }
    }
}

/// The port of the peer that bulk traffic goes to or comes from.
const BULK_PORT: u16 = 8_000;
/// Past slow start, and until the queue is as it will be.
const WARM_UP_MS: u64 = 600;
/// By so much later a repetition begins than the one before: counted instructions would make it the same to the last figure.
const PHASE_MS: u64 = 7;

/// Starts the bulk traffic.
pub(super) fn begin(load: Load, setting: Setting, layout: Layout, run: u32) -> Vec<Do> {
    let direction = match load {
        Load::None => return Vec::new(),
        Load::Send => "give",
        Load::Receive => "take",
    };
    let serve = format!(
        "{FAR} agent probe load serve {BULK_FAR}:{BULK_PORT} --session 1 --from {BULK_NEAR} --cpu {}",
        layout.peer_cpu()
    );
    // Until it is ended, for as long as no cell lasts.
    let flow = format!(
        "agent probe load flow {direction} {BULK_FAR}:{BULK_PORT} --session 1 --seconds 100000{}",
        setting.bulk_options(layout)
    );
    vec![
        start("serve", &serve, false),
        must("agent await /tmp/serve.out listening"),
        start("flow", &flow, false),
        sleep(WARM_UP_MS + u64::from(run) * PHASE_MS),
    ]
}

/// Ends it. That it had ended by itself is a fault.
pub(super) fn end(load: Load) -> Vec<Do> {
    match load {
        Load::None => Vec::new(),
        Load::Send | Load::Receive => vec![stop("flow"), stop("serve")],
    }
}
