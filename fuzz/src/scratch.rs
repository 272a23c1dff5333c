//! One file, written anew for each input. Readers that take a path are fuzzed through it, permission checks included.

use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads of one program have a file each.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// A file only its owner can read. libFuzzer ends without running destructors: the script `run` removes the file.
pub struct ScratchFile {
    path: PathBuf,
    file: File,
}

impl ScratchFile {
    /// A new, empty file with this ending in the folder for temporary files.
    ///
    /// # Panics
    /// When the folder takes no file: a fuzz target cannot go on then.
    pub fn new(ending: &str) -> ScratchFile {
        let name =
            format!("tokkyu-fuzz-{}-{}.{ending}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(&path);
        let file = file.unwrap_or_else(|error| panic!("cannot create {}: {error}", path.display()));
        ScratchFile { path, file }
    }

    /// Makes `content` the whole content.
    ///
    /// # Panics
    /// When the disk is full.
    pub fn set(&mut self, content: &[u8]) -> &Path {
        self.file.set_len(0).expect("a file of our own can be emptied");
        self.file.rewind().expect("a regular file can be rewound");
        self.file.write_all(content).expect("room for a few kilobytes");
        &self.path
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
