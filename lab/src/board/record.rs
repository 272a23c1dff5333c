//! What a start was, kept beside what it said: where nothing of it has changed, an experiment that was interrupted need not start it again.

use std::fs;
use std::io;
use std::path::Path;

use ring::digest::{Context, SHA256};

use super::error::BoardError;
use super::files::Content;

const FILE: &str = "identity";

/// SHA-256 over all that a start depends on, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity(String);

impl Identity {
    pub(super) fn of(parts: &[&[u8]], content: &[Content]) -> Identity {
        let mut context = Context::new(&SHA256);
        // With its length before each, no two lists have the same bytes.
        let mut add = |bytes: &[u8]| {
            context.update(&(bytes.len() as u64).to_be_bytes());
            context.update(bytes);
        };
        parts.iter().for_each(|part| add(part));
        for (name, bytes) in content {
            add(name.as_bytes());
            add(bytes);
        }
        Identity(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// From now on the folder is of no whole start.
pub(super) fn forget(folder: &Path) -> Result<(), BoardError> {
    let path = folder.join(FILE);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(BoardError::Folder { path, source }),
        _ => Ok(()),
    }
}

/// The start came to its end.
pub(super) fn remember(identity: &Identity, folder: &Path) -> Result<(), BoardError> {
    let path = folder.join(FILE);
    fs::write(&path, &identity.0).map_err(|source| BoardError::Folder { path, source })
}

/// Of the start that the folder is of.
pub(super) fn remembered(folder: &Path) -> Option<Identity> {
    fs::read_to_string(folder.join(FILE)).ok().map(Identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_byte_is_another_start() {
        let file = |name: &str, bytes: &[u8]| vec![(name.to_owned(), bytes.to_vec())];
        let identity = |options: &[u8], content: &[Content]| Identity::of(&[options], content);
        let one = identity(b"-smp 2", &file("init", b"a"));
        assert_eq!(one, identity(b"-smp 2", &file("init", b"a")));
        for other in [
            identity(b"-smp 3", &file("init", b"a")),
            identity(b"-smp 2", &file("init", b"b")),
            identity(b"-smp 2", &file("inita", b"")),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_folder_is_of_its_last_whole_start() {
        let folder = tempfile::tempdir().unwrap();
        let identity = Identity::of(&[b"x"], &[]);
        assert_eq!(remembered(folder.path()), None);
        forget(folder.path()).unwrap();
        remember(&identity, folder.path()).unwrap();
        assert_eq!(remembered(folder.path()), Some(identity));
        forget(folder.path()).unwrap();
        assert_eq!(remembered(folder.path()), None);
    }
}
