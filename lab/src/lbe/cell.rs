//! One start of a board: a scheme, a background, and everything the foreground does beside them.

use std::fmt;

use super::background::Background;
use super::scheme::Scheme;
use crate::board::LEDBAT;
use crate::board::pair::{self, DEVICE, DISCARD, FAR, HTTP, NEAR, load, modprobe, sleep};
use crate::board::plan::{Compute, Direction, React, Transfer};
use crate::board::{Kernel, Plan, Step};

/// The link between the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// kbit/s from the near end.
    pub up_kbps: u32,
    /// kbit/s to the near end.
    pub down_kbps: u32,
    /// One way, milliseconds.
    pub delay_ms: u32,
}

/// What W-CDMA gave when the paper was written, which tells no rate.
pub const SLOW: Link = Link { up_kbps: 384, down_kbps: 1_000, delay_ms: 50 };
/// Fast enough that handling its packets costs the processor something.
pub const FAST: Link = Link { up_kbps: 20_000, down_kbps: 20_000, delay_ms: 10 };

/// What the foreground does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// HTTP requests of these sizes in bytes, each so often.
    Transfers {
        /// Which ways.
        directions: Vec<Direction>,
        /// Bytes of the body.
        sizes: Vec<u64>,
        /// Times each.
        repeats: u32,
    },
    /// A loop of this many rounds, so often; and an idle time, for what the background costs and gets.
    Compute {
        /// Of the loop.
        rounds: u64,
        /// Times.
        repeats: u32,
    },
    /// Single packets, so many.
    React {
        /// How many.
        packets: u32,
    },
}

/// One start of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Who keeps the background away.
    pub scheme: Scheme,
    /// What there is to keep away.
    pub background: Background,
    /// Over which link.
    pub link: Link,
    /// From what.
    pub work: Work,
    /// Of the pauses between requests.
    pub seed: u64,
    /// Of the board: 1, and time is virtual; more, and it is the host's.
    pub processors: u32,
}

/// The first of its ports, one for each flow.
const LEDBAT_PORT: u16 = 6881;
/// Longer than any board runs.
const LEDBAT_SECONDS: u32 = 100_000;

/// How long nothing is done in the foreground, for what the background gets.
const IDLE_MS: u64 = 10_000;

/// Names of rounds that are no transfer's.
pub(super) const COMPUTE: &str = "compute";
pub(super) const IDLE: &str = "idle";
pub(super) const REACT: &str = "react";

/// Name of the rounds of a transfer.
pub(super) fn transfer_name(direction: Direction, bytes: u64) -> String {
    match direction {
        Direction::Post => format!("post {bytes}"),
        Direction::Get => format!("get {bytes}"),
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.work {
            Work::Transfers { .. } => "transfers",
            Work::Compute { .. } => "computation",
            Work::React { .. } => "single packets",
        };
        write!(f, "{}, {}, {what}", self.scheme, self.background)
    }
}

impl Cell {
    /// All that the board has to do.
    pub fn plan(&self) -> Plan {
        let mut steps = self.load();
        steps.extend(self.scheme.set_up(self.link.up_kbps));
        steps.extend(pair::serve());
        if self.background != Background::None {
            steps.extend(self.flood());
            // Past slow start, and until the queue is as it will be.
            steps.push(sleep(self.warm_up_ms()));
        }
        steps.extend(self.work());
        if self.background != Background::None {
            steps.push(pair::stop("flood"));
        }
        steps.push(pair::run("qdisc", &format!("tc -s qdisc show dev {DEVICE}")));
        Plan { steps }
    }

    fn load(&self) -> Vec<Step> {
        let Link { up_kbps, down_kbps, delay_ms } = self.link;
        let delay_us = delay_ms * 1_000;
        let queue = self.scheme.device_parameters();
        // Datagrams end on the wire: what the far end would do with them is not the sender's work.
        let alone = self.background == Background::Udp && matches!(self.work, Work::Compute { .. });
        let discard = if alone { " discard=1,0" } else { "" };
        let mut steps = pair::join(&format!(
            "rate_kbps={up_kbps},{down_kbps} delay_us={delay_us},{delay_us} {queue}{discard}"
        ));
        steps.push(load("sch_lbe.ko", ""));
        steps.extend(self.scheme.modules().iter().map(|name| modprobe(name)));
        steps
    }

    /// LEDBAT finds the path's delay first.
    fn warm_up_ms(&self) -> u64 {
        if self.scheme == Scheme::Ledbat { 30_000 } else { 6_000 }
    }

    fn flood(&self) -> Vec<Step> {
        let (kind, flows, port) = match self.background {
            Background::Udp => ("udp", 1, DISCARD),
            Background::Tcp(flows) => ("tcp", flows, HTTP),
            Background::None => ("tcp", 0, HTTP),
        };
        if self.scheme == Scheme::Ledbat {
            let far = format!("ip netns exec far {LEDBAT} take {FAR} {LEDBAT_PORT} {flows}");
            let near = format!("{LEDBAT} give {NEAR} {LEDBAT_PORT} {flows} {FAR} {LEDBAT_SECONDS}");
            return vec![pair::start("take", &far, false), sleep(1_000), pair::start("flood", &near, false)];
        }
        let options = self.scheme.flood_options().join(" ");
        let line = format!("agent flood {kind} {FAR}:{port} {flows} {options}");
        vec![pair::start("flood", &line, self.scheme.idle_task())]
    }

    /// Where its console is kept.
    pub(super) fn folder_name(&self, kernel: &Kernel) -> String {
        let what = match &self.work {
            Work::Transfers { .. } => "transfers",
            Work::Compute { .. } => COMPUTE,
            Work::React { .. } => REACT,
        };
        let processors =
            if self.processors == 1 { String::new() } else { format!("-{}cpus", self.processors) };
        format!("{}-{}-{}-{what}{processors}", kernel.name, self.scheme, self.background)
    }

    /// Names of the rounds, in the order in which they are run.
    pub(super) fn names(&self) -> Vec<String> {
        let idle = (self.background != Background::None).then(|| IDLE.to_owned());
        match &self.work {
            Work::Transfers { .. } => {
                self.transfers().map(|(way, bytes)| transfer_name(way, bytes)).chain(idle).collect()
            }
            Work::Compute { .. } => idle.into_iter().chain([COMPUTE.to_owned()]).collect(),
            Work::React { .. } => vec![REACT.to_owned()],
        }
    }

    /// What a reader must know of the figures.
    pub(super) fn notes(&self) -> Vec<String> {
        match (&self.work, self.background) {
            (Work::Compute { .. }, Background::Tcp(_)) => {
                vec!["both ends of the flows are on the one processor: half of what packets cost is the far end's".to_owned()]
            }
            _ => Vec::new(),
        }
    }

    fn transfers(&self) -> impl Iterator<Item = (Direction, u64)> {
        let (directions, sizes) = match &self.work {
            Work::Transfers { directions, sizes, .. } => (directions.as_slice(), sizes.as_slice()),
            _ => (&[][..], &[][..]),
        };
        directions.iter().flat_map(|way| sizes.iter().map(|size| (*way, *size)))
    }

    fn work(&self) -> Vec<Step> {
        let idle = Step::Idle { name: IDLE.to_owned(), ms: IDLE_MS };
        match &self.work {
            Work::Transfers { repeats, .. } => {
                let mut steps: Vec<Step> =
                    self.transfers().map(|(way, bytes)| self.transfer(way, bytes, *repeats)).collect();
                if self.background != Background::None {
                    // The last connection closes.
                    steps.extend([sleep(1_000), idle]);
                }
                steps
            }
            Work::Compute { rounds, repeats } => vec![
                idle,
                Step::Compute(Compute {
                    name: COMPUTE.to_owned(),
                    rounds: *rounds,
                    repeats: *repeats,
                    pause_ms: 500,
                }),
            ],
            Work::React { packets } => vec![Step::React(React {
                name: REACT.to_owned(),
                to: format!("{FAR}:{DISCARD}"),
                packets: *packets,
                pause_ms: 400,
                seed: self.seed,
            })],
        }
    }

    /// The pause lets the background come back to its full rate, and is drawn so that no phase is met twice.
    fn transfer(&self, direction: Direction, bytes: u64, repeats: u32) -> Step {
        Step::Transfer(Transfer {
            name: transfer_name(direction, bytes),
            server: format!("{FAR}:{HTTP}"),
            direction,
            bytes,
            repeats,
            pause_ms: 400,
            seed: self.seed.wrapping_add(bytes),
        })
    }
}
