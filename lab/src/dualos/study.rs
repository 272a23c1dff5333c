//! The whole experiment.

use super::cell::{Cell, Kind};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// In this order.
    pub kinds: Vec<Kind>,
    /// Starts of the machine for each.
    pub runs: u32,
}

impl Study {
    /// One for each start. Counts of instructions differ by what Linux was about, and want rounds too.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for kind in &self.kinds {
            for round in 1..=self.runs {
                let with = Cell { kind: *kind, round, accounting: true };
                let without = Cell { accounting: false, ..with.clone() };
                cells.push(with);
                cells.extend(kind.wants_accounting().then_some(without));
            }
        }
        cells
    }
}
