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
        let rounds = |kind: &Kind| {
            let kind = *kind;
            (1..=self.runs).map(move |round| Cell { kind, round })
        };
        self.kinds.iter().flat_map(rounds).collect()
    }
}
