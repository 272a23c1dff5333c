//! Starts the boards of a study, as many at a time as there are processors: they count instructions and do not feel each other.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use super::cell::Cell;
use super::findings::{self, Finding};
use crate::board::several::each;
use crate::board::{BoardError, Kernel};

/// For one board: a busy host emulates slowly.
const PATIENCE: Duration = Duration::from_secs(4 * 3_600);

/// What became of a cell, told as soon as it is over; from several threads, one at a time. `None`: it was ended.
pub type OnOver<'a> = dyn FnMut(&Cell, Result<Option<Finding>, BoardError>) + Send + 'a;

/// Runs all cells, each in a folder of its own below `root`, `at_once` boards at a time; one that an earlier run there has finished is told
/// from what it left, unless something that it depends on has changed since (LAB-68). Returns when all are over, or were
/// ended because `stop` said so; a cell that had not begun by then is not told.
pub fn run(
    cells: &[(Kernel, Cell)],
    root: &Path,
    at_once: usize,
    on_over: &mut OnOver<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) {
    let on_over = Mutex::new(on_over);
    each(cells, at_once, stop, |(kernel, cell)| {
        let finding = run_one(cell, kernel, root, stop);
        // A listener that panicked ends the run anyway.
        let mut on_over = on_over.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        on_over(cell, finding);
    });
}

fn run_one(
    cell: &Cell,
    kernel: &Kernel,
    root: &Path,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Finding>, BoardError> {
    let folder = cell.folder(kernel, root);
    fs::create_dir_all(&folder).map_err(|source| BoardError::Folder { path: folder.clone(), source })?;
    let board = cell.board(kernel);
    let plan = cell.plan();
    let outcome = match board.recorded(&plan, &folder)? {
        Some(outcome) => outcome,
        None => board.run(&plan, &folder, PATIENCE, |_| {}, &|| stop())?,
    };
    Ok((!outcome.stopped).then(|| findings::find(cell, kernel, &outcome, &folder)))
}
