//! What running a cell takes: one start of a board, in virtual time.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cell::Cell;
use super::findings::{self, Finding};
use crate::board::{BoardError, Kernel};
use crate::study::{Identity, Stage};

/// For one board: a busy host emulates slowly.
const PATIENCE: Duration = Duration::from_secs(4 * 3_600);

/// Boards that count instructions: they do not feel each other, nor what else the machine does.
#[derive(Clone, Copy, Debug)]
pub struct Boards;

impl Stage for Boards {
    type Cell = (Kernel, Cell);
    type Found = Finding;
    type Error = BoardError;

    fn name(&self, (kernel, cell): &(Kernel, Cell)) -> String {
        format!("Linux {}, {cell}", kernel.name)
    }

    fn folder(&self, (kernel, cell): &(Kernel, Cell)) -> PathBuf {
        cell.folder(kernel)
    }

    fn runs_alone(&self, _: &(Kernel, Cell)) -> bool {
        false
    }

    fn identity(&self, (kernel, cell): &(Kernel, Cell)) -> Result<Identity, BoardError> {
        cell.board(kernel).identity(&cell.plan())
    }

    fn reread(&self, (kernel, cell): &(Kernel, Cell), folder: &Path) -> Option<Finding> {
        Some(findings::find(cell, kernel, &cell.board(kernel).reread(folder)?, folder))
    }

    fn run(
        &self,
        (kernel, cell): &(Kernel, Cell),
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Finding>, BoardError> {
        let outcome = cell.board(kernel).run(&cell.plan(), folder, PATIENCE, |_| {}, &|| stop())?;
        Ok((!outcome.stopped).then(|| findings::find(cell, kernel, &outcome, folder)))
    }

    fn is_whole(&self, found: &Finding) -> bool {
        found.run.is_ok()
    }

    fn refused(&self, folder: &Path, source: io::Error) -> BoardError {
        BoardError::Folder { path: folder.to_path_buf(), source }
    }
}
