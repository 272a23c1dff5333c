//! What running a cell of an experiment takes.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::identity::Identity;

/// Where and how the cells of an experiment are run. One cell is one run: of a board, of programs, of a simulation.
pub trait Stage: Sync {
    /// What is run.
    type Cell: Sync;
    /// What a run of it found.
    type Found: Send;
    /// Why it could not even begin: then no other can.
    type Error: Send;

    /// In a few words, for whoever waits; no two cells of a study have the same.
    fn name(&self, cell: &Self::Cell) -> String;

    /// Where its files go, below the folder of the run.
    fn folder(&self, cell: &Self::Cell) -> PathBuf;

    /// How long it takes, where that is known.
    fn expected(&self, _: &Self::Cell) -> Option<Duration> {
        None
    }

    /// Whether its times are the machine's, so that nothing else may run meanwhile.
    fn runs_alone(&self, _: &Self::Cell) -> bool {
        true
    }

    /// Hash of everything that what is found depends on.
    ///
    /// # Errors
    /// Something that a run needs is missing.
    fn identity(&self, cell: &Self::Cell) -> Result<Identity, Self::Error>;

    /// Takes away what a run that was broken off left in the folder, so that another can be made there.
    fn discard(&self, _: &Self::Cell, _: &Path) {}

    /// What an earlier run left in the folder, which had the same identity and came to its end; nothing if it cannot be read.
    fn reread(&self, cell: &Self::Cell, folder: &Path) -> Option<Self::Found>;

    /// Runs it. Nothing: `stop` said so before there was anything to keep.
    ///
    /// # Errors
    /// It could not begin. What goes wrong later is in what is found.
    fn run(
        &self,
        cell: &Self::Cell,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self::Found>, Self::Error>;

    /// Whether it came to its end and may be believed: only then it is not run again.
    fn is_whole(&self, found: &Self::Found) -> bool;

    /// The file system refused a folder.
    fn refused(&self, folder: &Path, source: io::Error) -> Self::Error;
}
