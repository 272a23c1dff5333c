//! Hashes of programs and other files that many cells depend on, each taken once.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::identity::Identity;

/// What was hashed so far.
#[derive(Debug, Default)]
pub struct Hashes {
    known: Mutex<BTreeMap<PathBuf, Identity>>,
}

impl Hashes {
    /// Of a file's content, as it was when it was first asked for.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(&self, path: &Path) -> io::Result<Identity> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = known.get(path) {
            return Ok(identity.clone());
        }
        let identity = Identity::of_file(path)?;
        known.insert(path.to_path_buf(), identity.clone());
        Ok(identity)
    }
}
