//! Starts the boards of a study, as many at a time as there are processors.
//!
//! Boards that count instructions do not feel each other. Those in the host's time do, and run alone, after the others.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use super::cell::Cell;
use crate::board::several::each;
use crate::board::{Board, BoardError, Clock, Kernel, Outcome};

/// For one board: a busy host emulates slowly, and the longest transfers take an hour of virtual time.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// What became of a cell, told as soon as it is over; from several threads, one at a time.
pub type OnOver<'a> = dyn FnMut(&Cell, Result<Outcome, BoardError>) + Send + 'a;

/// Runs all cells, each in a folder of its own below `root`, `at_once` boards at a time. Returns when all are over, or were
/// ended because `stop` said so; a cell that had not begun by then is not told.
pub fn run(
    cells: &[Cell],
    kernel: &Kernel,
    root: &Path,
    at_once: usize,
    on_over: &mut OnOver<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) {
    let (counted, timed): (Vec<&Cell>, Vec<&Cell>) =
        cells.iter().partition(|cell| cell.clock() == Clock::Counted);
    let on_over = Mutex::new(on_over);
    for (cells, at_once) in [(counted, at_once), (timed, 1)] {
        each(&cells, at_once, stop, |cell| {
            let outcome = run_one(cell, kernel, root, stop);
            // A listener that panicked ends the run anyway.
            let mut on_over = on_over.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            on_over(cell, outcome);
        });
    }
}

fn run_one(
    cell: &Cell,
    kernel: &Kernel,
    root: &Path,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome, BoardError> {
    let folder = root.join(cell.folder_name(kernel));
    fs::create_dir_all(&folder).map_err(|source| BoardError::Folder { path: folder.clone(), source })?;
    let board = Board { kernel: kernel.clone(), clock: cell.clock(), arguments: String::new() };
    board.run(&cell.plan(), &folder, PATIENCE, |_| {}, &|| stop())
}
