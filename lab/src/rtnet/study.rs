//! The whole experiment: which boards are started for which question.

use tokkyu_measure::rtnet::Load;

use super::cell::Cell;
use super::layout::Layout;
use super::setting::{Driver, Setting};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// In this order.
    pub drivers: Vec<Driver>,
    /// Beside each.
    pub loads: Vec<Load>,
    /// Of each cell.
    pub runs: u32,
    /// Frames and requests of each run.
    pub count: u32,
}

impl Study {
    /// One for each start of a board: all of one repetition before the next, so that an end that comes early leaves whole ones.
    pub fn cells(&self) -> Vec<Cell> {
        (0..self.runs).flat_map(|run| self.repetition(run)).collect()
    }

    fn repetition(&self, run: u32) -> Vec<Cell> {
        let mut cells = Vec::new();
        for driver in &self.drivers {
            for setting in [Setting::Other, Setting::Fifo1] {
                cells.extend(self.loads.iter().map(|load| Cell {
                    layout: Layout::ONE,
                    driver: *driver,
                    setting,
                    load: *load,
                    run,
                    count: self.count,
                }));
            }
        }
        cells
    }
}
