//! What a run depended on, kept beside what it left: where nothing of it has changed, a study that was broken off need not run it again.

use std::fs;
use std::io;
use std::path::Path;

use ring::digest::{Context, SHA256};

const FILE: &str = "identity";

/// SHA-256 over all that a run depends on, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(String);

impl Identity {
    /// Of these parts, in this order.
    pub fn of(parts: &[&[u8]]) -> Identity {
        let mut context = Context::new(&SHA256);
        // With its length before each, no two lists have the same bytes.
        for part in parts {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        Identity(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Of a file's content.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Identity> {
        Ok(Identity::of(&[&fs::read(path)?]))
    }

    /// As a part of another.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// From now on the folder is of no whole run.
pub(super) fn forget(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The run came to its end.
pub(super) fn remember(identity: &Identity, folder: &Path) -> io::Result<()> {
    fs::write(folder.join(FILE), &identity.0)
}

/// Of the run that the folder is of.
pub(super) fn remembered(folder: &Path) -> Option<Identity> {
    fs::read_to_string(folder.join(FILE)).ok().map(Identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_byte_is_another_run_and_so_is_the_same_in_other_parts() {
        let one = Identity::of(&[b"-smp 2", b"init", b"a"]);
        assert_eq!(one, Identity::of(&[b"-smp 2", b"init", b"a"]));
        let others: [&[&[u8]]; 3] =
            [&[b"-smp 3", b"init", b"a"], &[b"-smp 2", b"init", b"b"], &[b"-smp 2", b"inita", b""]];
        for other in others {
            assert_ne!(one, Identity::of(other));
        }
    }

    #[test]
    fn a_folder_is_of_its_last_whole_run() {
        let folder = tempfile::tempdir().unwrap();
        let identity = Identity::of(&[b"x"]);
        assert_eq!(remembered(folder.path()), None);
        forget(folder.path()).unwrap();
        remember(&identity, folder.path()).unwrap();
        assert_eq!(remembered(folder.path()), Some(identity));
        forget(folder.path()).unwrap();
        assert_eq!(remembered(folder.path()), None);
    }
}
