//! What running a cell takes: one start of a board.
//!
//! Boards that count instructions do not feel each other. Those in the host's time do, and run alone, after the others.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokkyu_measure::Fault;
use tokkyu_measure::lbe::LbeCase;

use super::cell::Cell;
use super::findings::cases;
use crate::board::{Architecture, Board, BoardError, Clock, Kernel, Outcome};
use crate::study::{Identity, Stage};

/// For one board: a busy host emulates slowly, and the longest transfers take an hour of virtual time.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// Boards with one kernel.
#[derive(Clone, Debug)]
pub struct Boards {
    /// What they run.
    pub kernel: Kernel,
}

/// What one start found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which start.
    pub name: String,
    /// Whose it was.
    pub scheme: String,
    /// Its cases, or why there are none that may be believed.
    pub cases: Result<Vec<LbeCase>, String>,
}

impl Found {
    /// Why it is in no figure, if it is in none.
    pub fn fault(&self) -> Option<Fault> {
        let because = self.cases.as_ref().err()?.clone();
        Some(Fault { cell: self.name.clone(), by: self.scheme.clone(), because })
    }
}

impl Boards {
    fn board(&self, cell: &Cell) -> Board {
        let architecture = Architecture::X86_64;
        Board { architecture, kernel: self.kernel.clone(), clock: cell.clock(), arguments: String::new() }
    }

    fn found(&self, cell: &Cell, outcome: &Outcome) -> Found {
        let cases = match &outcome.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(cases(cell, &self.kernel.release, outcome)),
        };
        Found { name: cell.to_string(), scheme: cell.scheme.to_string(), cases }
    }
}

impl Stage for Boards {
    type Cell = Cell;
    type Found = Found;
    type Error = BoardError;

    fn name(&self, cell: &Cell) -> String {
        cell.to_string()
    }

    fn folder(&self, cell: &Cell) -> PathBuf {
        cell.folder_name(&self.kernel).into()
    }

    fn runs_alone(&self, cell: &Cell) -> bool {
        cell.clock() != Clock::Counted
    }

    fn identity(&self, cell: &Cell) -> Result<Identity, BoardError> {
        self.board(cell).identity(&cell.plan())
    }

    fn reread(&self, cell: &Cell, folder: &Path) -> Option<Found> {
        Some(self.found(cell, &self.board(cell).reread(folder)?))
    }

    fn run(
        &self,
        cell: &Cell,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Found>, BoardError> {
        let outcome = self.board(cell).run(&cell.plan(), folder, PATIENCE, |_| {}, &|| stop())?;
        Ok((!outcome.stopped).then(|| self.found(cell, &outcome)))
    }

    fn is_whole(&self, found: &Found) -> bool {
        found.cases.is_ok()
    }

    fn refused(&self, folder: &Path, source: io::Error) -> BoardError {
        BoardError::Folder { path: folder.to_path_buf(), source }
    }
}
