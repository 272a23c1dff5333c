//! One start of the machine: what Linux does there, and under which arms, one after the other.

use std::fmt;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How long processors wait for spin locks, by where the RTOS begins its task.
    Spin,
    /// How many instructions from when a task is due to its first function.
    Start,
}

impl Kind {
    /// Both.
    pub const ALL: [Kind; 2] = [Kind::Spin, Kind::Start];

    /// As results have it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Spin => "spin",
            Kind::Start => "start",
        }
    }

    /// Policies; `none`: without an RTOS's task; `timer`: with one that has nothing to do, for what the emulator's timers cost.
    pub(super) const fn arms(self) -> &'static [&'static str] {
        match self {
            Kind::Spin => &["none", "timer", "static", "spread", "least-locked", "bounded-defer"],
            Kind::Start => &["static", "least-locked"],
        }
    }

    /// Linux's only program.
    pub(super) const fn script(self) -> &'static str {
        match self {
            Kind::Spin => include_str!("spin.sh"),
            Kind::Start => include_str!("start.sh"),
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
}

/// Of the machine, and of load/.
pub(super) const PROCESSORS: u32 = 2;

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
/// translated, at every call: seven times the work, and hardly ever two processors at one lock. A wait for the RTOS is as long as its work: a long one. Where instructions are counted Linux has one processor: two would
/// take turns, and one wait for the other's.
const fn orders(kind: Kind) -> Orders {
    match kind {
        Kind::Spin => Orders { home: 1, period_us: 500, work_us: 200, runs: 10, words: " kpti=off" },
        Kind::Start => Orders { home: 0, period_us: 100, work_us: 10, runs: 300, words: " maxcpus=1" },
    }
}

impl Cell {
    /// Whether its time is instructions.
    pub(super) fn is_counted(&self) -> bool {
        self.kind == Kind::Start
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
             tokkyu.WORK_US={work_us} tokkyu.RUNS={runs}{words}"
        )
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, round {}", self.kind.name(), self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arm_is_the_first_of_a_round() {
        let firsts: Vec<&str> = (1..=6).map(|round| Cell { kind: Kind::Spin, round }.arms()[0]).collect();
        assert_eq!(firsts, Kind::Spin.arms());
        assert_eq!(Cell { kind: Kind::Spin, round: 7 }.arms(), Kind::Spin.arms());
        assert!(Cell { kind: Kind::Start, round: 2 }.words().contains("tokkyu.ARMS=least-locked,static "));
    }
}
