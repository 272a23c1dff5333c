//! The whole experiment: which boards are started for which question.

use std::fmt;
use std::str::FromStr;

use tokkyu_measure::rtnet::Load;

use super::cell::Cell;
use super::layout::Layout;
use super::setting::{Driver, Rung, Setting};

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The paper's: each load, ksoftirqd not in real time and in real time.
    Matrix,
    /// The same with the driver's work forced into ksoftirqd, on a processor of half the speed; and beside sending without
    /// trains of segments, which answers the paper's open question.
    Softirq,
    /// The cells of `Softirq` beside sending, few frames, with the kernel's trace: what happens while a frame waits.
    Trace,
    /// The tuner's own plan, and what it is compared to.
    Tuned,
    /// What each step of it buys, and some beyond.
    Ladder,
    /// Two cores with one port and with two, untuned and tuned.
    Cores,
}

impl Part {
    /// In this order.
    pub const ALL: [Part; 6] =
        [Part::Matrix, Part::Softirq, Part::Trace, Part::Tuned, Part::Ladder, Part::Cores];

    fn cells(self) -> Vec<(Layout, Driver, Setting)> {
        let one = |driver: Driver, settings: &[Setting]| {
            settings.iter().map(|setting| (Layout::ONE, driver, *setting)).collect::<Vec<_>>()
        };
        match self {
            Part::Matrix => one(Driver::Thread, &[Setting::Other, Setting::Fifo1]),
            Part::Softirq | Part::Trace => {
                let slow = Layout { slow: true, ..Layout::ONE };
                let no_trains = [false, true].map(|fifo1| Setting::NoTrains { fifo1 });
                let settings = [&[Setting::Other, Setting::Fifo1], no_trains.as_slice()].concat();
                settings.into_iter().map(|setting| (slow, Driver::Softirq, setting)).collect()
            }
            Part::Tuned => one(Driver::Thread, &[Setting::Other, Setting::Tuned]),
            Part::Ladder => {
                let rungs = Rung::ALL.map(Setting::Step);
                one(Driver::Thread, &[&[Setting::Other, Setting::Tuned], rungs.as_slice()].concat())
            }
            Part::Cores => [1, 2]
                .into_iter()
                .flat_map(|ports| {
                    let layout = Layout { cores: 2, ports, slow: false };
                    [Setting::Other, Setting::Tuned].map(|setting| (layout, Driver::Thread, setting))
                })
                .collect(),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Part::Matrix => "matrix",
            Part::Softirq => "softirq",
            Part::Trace => "trace",
            Part::Tuned => "tuned",
            Part::Ladder => "ladder",
            Part::Cores => "cores",
        })
    }
}

/// The word is not the name of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPart;

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a part: use {}", Part::ALL.map(|part| part.to_string()).join(", "))
    }
}

impl std::error::Error for UnknownPart {}

impl FromStr for Part {
    type Err = UnknownPart;

    fn from_str(word: &str) -> Result<Self, UnknownPart> {
        Part::ALL.into_iter().find(|part| part.to_string() == word).ok_or(UnknownPart)
    }
}

/// Frames of a board that traces: it prints each line of the trace itself, which takes longer than the frames.
const TRACED: u32 = 100;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// In this order; what two of them have in common is run once.
    pub parts: Vec<Part>,
    /// Beside each.
    pub loads: Vec<Load>,
    /// Of each cell.
    pub runs: u32,
    /// Number of the first of them: each number is another phase of the traffic.
    pub first_run: u32,
    /// Frames and requests of each run.
    pub count: u32,
}

impl Study {
    /// One for each start of a board: all of one repetition before the next, so that an end that comes early leaves whole ones.
    pub fn cells(&self) -> Vec<Cell> {
        (self.first_run..self.first_run + self.runs).flat_map(|run| self.repetition(run)).collect()
    }

    fn repetition(&self, run: u32) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        for part in &self.parts {
            for cell in self.cells_of(*part, run) {
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        }
        cells
    }

    fn cells_of(&self, part: Part, run: u32) -> Vec<Cell> {
        let traced = part == Part::Trace;
        let count = if traced { self.count.min(TRACED) } else { self.count };
        let of = |(layout, driver, setting)| {
            // A trace is looked at once; it and what has no trains are about what happens beside sending.
            let only_sending = traced || matches!(setting, Setting::NoTrains { .. });
            let wanted = |load: &&Load| !only_sending || **load == Load::Send;
            let cell = move |load: &Load| Cell { layout, driver, setting, load: *load, run, count, traced };
            let loads = self.loads.iter().filter(wanted);
            if traced && run > self.first_run { Vec::new() } else { loads.map(cell).collect::<Vec<_>>() }
        };
        part.cells().into_iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_have_in_common_is_run_once() {
        let study =
            Study { parts: Part::ALL.to_vec(), loads: vec![Load::Send], runs: 2, first_run: 0, count: 100 };
        let cells = study.cells();
        // Two of the paper's, four in ksoftirqd, the plan, six rungs, and four with two cores, twice; and four that trace, once.
        assert_eq!(cells.len(), 2 * (2 + 4 + 1 + 6 + 4) + 4);
        assert!(cells.is_sorted_by_key(|cell| cell.run));
        let study = Study {
            parts: vec![Part::Softirq, Part::Trace],
            loads: vec![Load::None, Load::Send],
            runs: 2,
            first_run: 0,
            count: 100,
        };
        let about_trains = |cell: &&Cell| cell.traced || matches!(cell.setting, Setting::NoTrains { .. });
        let cells = study.cells();
        // Two priorities beside two loads, and without trains beside sending, twice; and four that trace.
        assert_eq!(cells.len(), 2 * (2 * 2 + 2) + 4);
        assert!(cells.iter().filter(about_trains).all(|cell| cell.load == Load::Send));
        assert_eq!("ladder".parse(), Ok(Part::Ladder));
        assert_eq!("all".parse::<Part>(), Err(UnknownPart));
    }
}
