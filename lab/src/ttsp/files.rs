//! Scenarios in a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Scenario;

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

/// Reads a scenario of a folder. One that is not understood is told as failed when it is played.
///
/// # Errors
/// [`TtspError`] if it cannot be read.
pub fn read(folder: &Path, path: &Path) -> Result<Scenario, TtspError> {
    let told = |source| TtspError::Read { path: path.to_owned(), source };
    let bytes = match fs::metadata(path).map_err(told)?.len() {
        0..=FILE_MAX_BYTES => fs::read(path).map_err(told)?,
        _ => return Err(told(io::Error::other("it is longer than a scenario"))),
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let about = path.strip_prefix(folder).ok().and_then(Path::parent).unwrap_or(Path::new(""));
    // Comments are in an encoding of their own.
    Ok(Scenario::new(name, about.to_string_lossy().into_owned(), &String::from_utf8_lossy(&bytes)))
}
