//! One start of the machine: what Linux does there, and under which arms, one after the other.

use std::fmt;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How long processors wait for spin locks, by where the RTOS begins its task.
    Spin,
    /// How many instructions from when a task is due to its first function.
    Start,
    /// How long Linux's work takes while the RTOS has a share of one processor.
    Capacity,
    /// How many instructions a message takes to a program of Linux's and back.
    Topic,
    /// Whether a task is late while Linux does its worst.
    Fault,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::Spin, Kind::Start, Kind::Capacity, Kind::Topic, Kind::Fault];

    /// As results have it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Spin => "spin",
            Kind::Start => "start",
            Kind::Capacity => "capacity",
            Kind::Topic => "topic",
            Kind::Fault => "fault",
        }
    }

    /// Whether its time is instructions.
    pub const fn is_counted(self) -> bool {
        matches!(self, Kind::Start | Kind::Topic | Kind::Fault)
    }

    /// Whether it wants a kernel that counts with stolen time.
    pub const fn wants_accounting(self) -> bool {
        matches!(self, Kind::Capacity)
    }

    /// Whether it wants Linux's driver of topics.
    pub const fn wants_driver(self) -> bool {
        matches!(self, Kind::Topic | Kind::Fault)
    }

    /// Policies, what Linux does beside which load, how a message goes and its bytes, or what is done to Linux; `none`: without an RTOS's task; `timer`: with one that has nothing to do, for what
    /// the emulator's timers cost.
    pub(super) const fn arms(self) -> &'static [&'static str] {
        match self {
            Kind::Spin => &["none", "timer", "static", "spread", "least-locked", "bounded-defer"],
            Kind::Start => &["static", "least-locked"],
            Kind::Capacity => &[
                "tasks-none",
                "tasks-constant-50",
                "tasks-constant-80",
                "tasks-changing-80",
                "hackbench-none",
                "hackbench-constant-50",
                "hackbench-constant-80",
                "hackbench-changing-80",
            ],
            Kind::Topic => &["in-place-64", "in-place-262144", "copied-64", "copied-262144"],
            Kind::Fault => &["quiet", "work", "calls", "reboot", "panic"],
        }
    }

    /// Linux's only program.
    pub(super) const fn script(self) -> &'static str {
        match self {
            Kind::Spin => include_str!("spin.sh"),
            Kind::Start => include_str!("start.sh"),
            Kind::Capacity => include_str!("capacity.sh"),
            Kind::Topic => include_str!("topic.sh"),
            Kind::Fault => include_str!("fault.sh"),
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Kind, String> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == word);
        found.ok_or_else(|| format!("{word:?} is none of {}", Kind::ALL.map(Kind::name).join(", ")))
    }
}

/// One start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What is asked.
    pub kind: Kind,
    /// From 1.
    pub round: u32,
    /// Whether the scheduler counts with stolen time, where the kernel can.
    pub accounting: bool,
}

/// Of the machine, and of load/.
pub(super) const PROCESSORS: u32 = 2;

/// Of the RTOS's task that takes a share of a processor.
pub(super) const CAPACITY_PERIOD_US: u32 = 1000;

/// What the RTOS is ordered, and what Linux does meanwhile.
struct Orders {
    /// Of the task, from 0.
    home: u32,
    period_us: u32,
    work_us: u32,
    /// Of the script.
    runs: u32,
    /// More for the kernel.
    words: &'static str,
}

/// Of each kind. A kernel whose addresses are random has page tables of its own (KPTI), which an emulator pays for with all that it has
/// translated, at every call: seven times the work, and hardly ever two processors at one lock. A wait for the RTOS is as long as its
/// work: a long one. Where instructions are counted Linux has one processor: two would take turns, and one wait for the other's. A share of
/// a processor is taken in short pieces, as control takes it.
const fn orders(kind: Kind) -> Orders {
    match kind {
        Kind::Spin => Orders { home: 1, period_us: 500, work_us: 200, runs: 10, words: " kpti=off" },
        Kind::Start => Orders { home: 0, period_us: 100, work_us: 10, runs: 300, words: " maxcpus=1" },
        Kind::Capacity => {
            Orders { home: 1, period_us: CAPACITY_PERIOD_US, work_us: 0, runs: 200_000, words: "" }
        }
        Kind::Topic => Orders { home: 0, period_us: 0, work_us: 0, runs: 200, words: " maxcpus=1" },
        Kind::Fault => Orders { home: 0, period_us: 100, work_us: 10, runs: 300, words: " maxcpus=1" },
    }
}

impl Cell {
    /// Whether its time is instructions.
    pub(super) fn is_counted(&self) -> bool {
        self.kind.is_counted()
    }

    /// Each round begins with the arm behind the one before began with, so that none is always the first.
    pub(super) fn arms(&self) -> Vec<&'static str> {
        let arms = self.kind.arms();
        let first = (self.round as usize).saturating_sub(1) % arms.len();
        arms[first..].iter().chain(&arms[..first]).copied().collect()
    }

    /// What Linux is told.
    pub(super) fn words(&self) -> String {
        let Orders { home, period_us, work_us, runs, words } = orders(self.kind);
        let arms = self.arms().join(",");
        format!(
            "console=ttyAMA0 quiet tokkyu.ARMS={arms} tokkyu.HOME={home} tokkyu.PERIOD_US={period_us} \
             tokkyu.WORK_US={work_us} tokkyu.RUNS={runs}{words}{}",
            if self.accounting { "" } else { " no-steal-acc" }
        )
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = if self.accounting { "" } else { " without accounting" };
        write!(f, "{}{without}, round {}", self.kind.name(), self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, round: u32) -> Cell {
        Cell { kind, round, accounting: true }
    }

    #[test]
    fn each_arm_is_the_first_of_a_round() {
        let firsts: Vec<&str> = (1..=6).map(|round| of(Kind::Spin, round).arms()[0]).collect();
        assert_eq!(firsts, Kind::Spin.arms());
        assert_eq!(of(Kind::Spin, 7).arms(), Kind::Spin.arms());
        assert!(of(Kind::Start, 2).words().contains("tokkyu.ARMS=least-locked,static "));
    }
}
