//! The keys this machine lets in: a directory of `*.pub` files, or one file with a key on each line.
//!
//! Pinned keys instead of certificates: a robot and its operator know each other beforehand, and there is no third
//! party whose clock, name or expiry could end a drive.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::keys::{self, KeyError, PublicKey};

/// Set of public keys whose owners are let in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustStore {
    keys: Vec<TrustedKey>,
}

/// A trusted key and the words that stand beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// What its file says about it: usually `user@machine`.
    pub comment: String,
}

impl TrustStore {
    /// Reads the trusted keys in `path`: a file, or a directory whose `*.pub` files are read in order of name. Empty
    /// lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// [`KeyError::Read`], [`KeyError::NotAPublicKey`], or [`KeyError::WritableByAll`] if anyone could add a key.
    pub fn load(path: &Path) -> Result<TrustStore, KeyError> {
        let mut store = TrustStore::default();
        for file in key_files(path)? {
            for trusted in read_keys(&file)? {
                store.insert(trusted);
            }
        }
        Ok(store)
    }

    /// A store of these keys, without comments.
    pub fn of(keys: impl IntoIterator<Item = PublicKey>) -> TrustStore {
        let mut store = TrustStore::default();
        keys.into_iter().for_each(|key| store.insert(TrustedKey { key, comment: String::new() }));
        store
    }

    /// Whether the owner of `key` is let in.
    pub fn contains(&self, key: &PublicKey) -> bool {
        self.keys.iter().any(|trusted| trusted.key == *key)
    }

    /// All trusted keys, in the order they were read.
    pub fn iter(&self) -> impl Iterator<Item = &TrustedKey> {
        self.keys.iter()
    }

    /// Whether nobody is let in.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn insert(&mut self, trusted: TrustedKey) {
        if !self.contains(&trusted.key) {
            self.keys.push(trusted);
        }
    }
}

/// Adds the one key in `file` to the trust directory `directory`, which is made if need be. To trust a key twice is
/// no error. Returns the key, for its fingerprint to be shown and compared.
///
/// # Errors
/// [`KeyError::NotAPublicKey`] if `file` does not hold exactly one key, [`KeyError::Read`], [`KeyError::Write`].
pub fn trust(directory: &Path, file: &Path) -> Result<TrustedKey, KeyError> {
    let [trusted] = <[TrustedKey; 1]>::try_from(read_keys(file)?)
        .map_err(|found| KeyError::NotAPublicKey { path: file.to_owned(), line: found.len().min(1) + 1 })?;
    fs::create_dir_all(directory).map_err(|source| KeyError::Write { path: directory.to_owned(), source })?;
    let line = format!("{}\n", trusted.key.to_line(&trusted.comment));
    match keys::write_new(&directory.join(file_name(&trusted.key)), 0o644, line.as_bytes()) {
        Ok(()) | Err(KeyError::Exists { .. }) => Ok(trusted),
        Err(error) => Err(error),
    }
}

/// A name without the characters of Base64 that mean something in a path.
fn file_name(key: &PublicKey) -> String {
    let fingerprint = key.fingerprint();
    let plain: String =
        fingerprint.chars().filter(char::is_ascii_alphanumeric).skip("SHA256".len()).collect();
    format!("{plain}.pub")
}

fn key_files(path: &Path) -> Result<Vec<PathBuf>, KeyError> {
    let read_error = |source: io::Error| KeyError::Read { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(read_error)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    refuse_writable_by_all(&keys::open(path)?, path)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(read_error)? {
        let file = entry.map_err(read_error)?.path();
        if file.extension().is_some_and(|end| end == "pub") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn read_keys(path: &Path) -> Result<Vec<TrustedKey>, KeyError> {
    let file = keys::open(path)?;
    refuse_writable_by_all(&file, path)?;
    let text = keys::read(file, path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    lines
        .map(|(index, line)| match PublicKey::from_line(line) {
            Some((key, comment)) => Ok(TrustedKey { key, comment: comment.to_owned() }),
            None => Err(KeyError::NotAPublicKey { path: path.to_owned(), line: index + 1 }),
        })
        .collect()
}

fn refuse_writable_by_all(file: &File, path: &Path) -> Result<(), KeyError> {
    let mode = keys::mode_of(file, path)?;
    match mode & 0o002 {
        0 => Ok(()),
        _ => Err(KeyError::WritableByAll { path: path.to_owned(), mode }),
    }
}
