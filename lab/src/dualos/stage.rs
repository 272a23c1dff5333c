//! What running a cell takes: one start of the machine, which runs alone where its time is this machine's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokkyu_measure::Fault;
use tokkyu_measure::dualos::DualosCase;

use super::cell::{Cell, Kind};
use super::findings::cases;
use super::machine::{self, CONSOLE, End};
use super::parts::{Parts, PartsError};
use crate::study::{Hashes, Identity, Stage};

/// Machines of these parts.
#[derive(Debug)]
pub struct Machines {
    /// Of all.
    pub parts: Parts,
    hashes: Hashes,
}

/// What one start found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which start.
    pub name: String,
    /// Its cases, or why there are none that may be believed.
    pub cases: Result<Vec<DualosCase>, String>,
}

impl Found {
    /// Why it is in no figure, if it is in none.
    pub fn fault(&self) -> Option<Fault> {
        let because = self.cases.as_ref().err()?.clone();
        Some(Fault { cell: self.name.clone(), by: "tokkyu".to_owned(), because })
    }
}

impl Machines {
    /// Of these.
    pub fn new(parts: Parts) -> Machines {
        Machines { parts, hashes: Hashes::default() }
    }

    fn found(&self, cell: &Cell, folder: &Path) -> io::Result<Found> {
        let words = fs::read(folder.join(CONSOLE))?;
        let cases = cases(cell, self.parts.kernel_of(cell.kind).1, &String::from_utf8_lossy(&words));
        Ok(Found { name: cell.to_string(), cases })
    }
}

impl Stage for Machines {
    type Cell = Cell;
    type Found = Found;
    type Error = PartsError;

    fn name(&self, cell: &Cell) -> String {
        cell.to_string()
    }

    fn folder(&self, cell: &Cell) -> PathBuf {
        let without = if cell.accounting { "" } else { "-without" };
        format!("{}{without}-{}", cell.kind.name(), cell.round).into()
    }

    fn expected(&self, cell: &Cell) -> Option<Duration> {
        Some(Duration::from_secs(match cell.kind {
            Kind::Spin => 45,
            Kind::Start => 10,
            Kind::Capacity => 30,
            Kind::Topic => 15,
            Kind::Fault => 40,
        }))
    }

    fn runs_alone(&self, cell: &Cell) -> bool {
        !cell.is_counted()
    }

    fn identity(&self, cell: &Cell) -> Result<Identity, PartsError> {
        let Parts { monitor, rtos, .. } = &self.parts;
        let mut parts = Vec::new();
        for path in [monitor, rtos, self.parts.kernel_of(cell.kind).0] {
            let read = |source| PartsError::Read { path: path.to_path_buf(), source };
            parts.push(self.hashes.of(path).map_err(read)?.as_bytes().to_vec());
        }
        for (path, content) in self.parts.files(cell.kind)? {
            parts.extend([path.into_bytes(), content]);
        }
        parts.push(cell.words().into_bytes());
        Ok(Identity::of(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>()))
    }

    fn reread(&self, cell: &Cell, folder: &Path) -> Option<Found> {
        self.found(cell, folder).ok()
    }

    fn run(
        &self,
        cell: &Cell,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Found>, PartsError> {
        match machine::run(&self.parts, cell, folder, stop)? {
            End::Stopped => Ok(None),
            End::Off(Some(fault)) => Ok(Some(Found { name: cell.to_string(), cases: Err(fault) })),
            End::Off(None) => {
                let read = |source| PartsError::Read { path: folder.join(CONSOLE), source };
                self.found(cell, folder).map(Some).map_err(read)
            }
        }
    }

    fn is_whole(&self, found: &Found) -> bool {
        found.cases.is_ok()
    }

    fn refused(&self, folder: &Path, source: io::Error) -> PartsError {
        PartsError::Folder { path: folder.to_path_buf(), source }
    }
}
