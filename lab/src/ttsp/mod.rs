//! Scenarios of the TOPPERS Test Suite Package, run on the kernel. Follows SPEC.md LAB-110 to LAB-113.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tokkyu_measure::ttsp::{KernelPort, Outcome, TtspCase};
use tokkyu_ttsp::compile::{Compiled, compile};
use tokkyu_ttsp::hosted::play;

/// Longest file that is read: the suite's are below 10 kB.
const FILE_MAX_BYTES: u64 = 1 << 20;

/// A folder with scenarios that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TtspError {
    /// It, or something in it, cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing is there.
    #[error("{}: no scenario (*.yaml) in it; give the folder of the suite", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// All scenarios below a folder, by name.
///
/// # Errors
/// [`TtspError`] with the file or folder.
pub fn scenarios(folder: &Path) -> Result<Vec<PathBuf>, TtspError> {
    let mut found = Vec::new();
    find(folder, &mut found)?;
    found.sort();
    if found.is_empty() {
        return Err(TtspError::Empty { path: folder.to_owned() });
    }
    Ok(found)
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), TtspError> {
    let told = |source| TtspError::Read { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(told)? {
        let entry = entry.map_err(told)?;
        let path = entry.path();
        // A link that leads back up would have no end.
        if entry.file_type().map_err(told)?.is_dir() {
            find(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "yaml") {
            found.push(path);
        }
    }
    Ok(())
}

/// Runs a scenario of a folder.
///
/// # Errors
/// [`TtspError`] if it cannot be read. One that is not understood has failed.
pub fn run(folder: &Path, scenario: &Path) -> Result<TtspCase, TtspError> {
    let told = |source| TtspError::Read { path: scenario.to_owned(), source };
    let bytes = match fs::metadata(scenario).map_err(told)?.len() {
        0..=FILE_MAX_BYTES => fs::read(scenario).map_err(told)?,
        _ => return Err(told(io::Error::other("it is longer than a scenario"))),
    };
    // Comments are in an encoding of their own.
    let (result, reason) = match compile(&String::from_utf8_lossy(&bytes)) {
        Ok(Compiled::Excluded(reason)) => (Outcome::Excluded, reason.to_owned()),
        Ok(Compiled::Plan(plan)) => match play(*plan) {
            Ok(()) => (Outcome::Passed, String::new()),
            Err(error) => (Outcome::Failed, error),
        },
        Err(error) => (Outcome::Failed, format!("it is not understood: {error}")),
    };
    let name = scenario.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let about = scenario.strip_prefix(folder).ok().and_then(Path::parent).unwrap_or(Path::new(""));
    let about = about.to_string_lossy().into_owned();
    Ok(TtspCase { scenario: name, about, port: KernelPort::Hosted, result, reason })
}
