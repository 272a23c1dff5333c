//! Files of a measurement: what can go wrong with one, in words that name the file and the remedy, and the write
//! that leaves either the old file or the whole new one.
//!
//! Runs in the tool's ordinary threads, before and after a measurement; every call here may block on the disk.
//! Invariant: a reader never sees half a result file, because the new content is renamed into place after it is
//! on the disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file of a measurement could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}; {}", path.display(), remedy(source))]
pub struct StorageError {
    /// What was attempted: `create`, `write`, `read`, ...
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The system's answer.
    pub source: io::Error,
}

impl StorageError {
    pub(crate) fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        StorageError { action, path: path.to_path_buf(), source }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free space on this file system or choose a directory on another one"
        }
        io::ErrorKind::PermissionDenied => "choose a directory you may write to, or change its permissions",
        io::ErrorKind::ReadOnlyFilesystem => "choose a directory on a file system that can be written",
        io::ErrorKind::NotFound => "check the path and create the directory first",
        io::ErrorKind::AlreadyExists => "give another file: this one is kept as it is",
        io::ErrorKind::IsADirectory => "name a file, not a directory",
        io::ErrorKind::FileTooLarge => "raise the file size limit (ulimit -f) or split the run",
        _ => "check the path and the disk",
    }
}

/// Replaces `path` by `content`, whole or not at all. Blocks until the content is on the disk.
///
/// # Errors
/// [`StorageError`] with the action that failed; the file at `path` is then what it was before.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), StorageError> {
    let temporary = temporary_beside(path);
    let written =
        write_whole(&temporary, content).map_err(|source| StorageError::new("write", path, source)).and_then(
            |()| fs::rename(&temporary, path).map_err(|source| StorageError::new("replace", path, source)),
        );
    if written.is_err() {
        // The error that matters is the first one; a temporary file that cannot be removed shows in the directory.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Same directory, so that the rename stays within one file system; the process id keeps two runs apart.
fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_holds_the_new_content_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("result.json");
        replace(&path, b"old").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_replacement_keeps_the_old_file_and_names_file_and_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        let error = replace(&path, b"x").unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert!(path.is_dir());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "the temporary file is gone");

        let missing = replace(&dir.path().join("no/such/result.json"), b"x").unwrap_err();
        assert!(missing.to_string().contains("create the directory first"), "{missing}");
    }

    #[test]
    fn a_full_disk_is_told_with_its_remedy() {
        let error = StorageError::new("write", Path::new("r.csv"), io::ErrorKind::StorageFull.into());
        assert!(error.to_string().starts_with("cannot write r.csv: "), "{error}");
        assert!(error.to_string().contains("free space"), "{error}");
    }
}
