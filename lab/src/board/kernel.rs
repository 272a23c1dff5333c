//! The kernels that boards can have, as `linux/build` left them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::BoardError;
use crate::built::built_folder;

/// The kernels, oldest first, by the names `linux/build` knows them by.
pub const KERNELS: [&str; 2] = ["6.1", "6.12"];

/// The same with PREEMPT_RT, and the newest of Debian's backports.
pub const REALTIME_KERNELS: [&str; 3] = ["6.1-rt", "6.12-rt", "backports-rt"];

/// A kernel that looks for faults in modules: for function alone, its times say nothing. `linux/build` builds it when it is
/// named, as that takes long.
pub const DEBUG_KERNEL: &str = "6.1-debug";

/// Folder of the kernels: `$TOKKYU_BOARDS`, else `boards` in the folder above the program's own, as cargo places it.
pub fn boards_folder() -> PathBuf {
    built_folder("TOKKYU_BOARDS", "boards")
}

/// A kernel with its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Such as `6.1`.
    pub name: String,
    /// Such as `6.1.0-56-amd64`.
    pub release: String,
    folder: PathBuf,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.release)
    }
}

impl Kernel {
    /// Looks for a kernel in the folder of kernels.
    ///
    /// # Errors
    /// [`BoardError::Missing`] if it was not fetched, or not with these modules.
    pub fn find(boards: &Path, name: &str) -> Result<Kernel, BoardError> {
        let folder = boards.join(name);
        let path = folder.join("release");
        let release = fs::read_to_string(&path).map_err(|source| BoardError::Missing { path, source })?;
        Ok(Kernel { name: name.to_owned(), release: release.trim().to_owned(), folder })
    }

    /// The folder of all kernels, which has the agent too.
    pub(super) fn boards(&self) -> &Path {
        self.folder.parent().unwrap_or(Path::new("."))
    }

    /// Unpacked where it is there: unpacking itself is half of a board's start.
    pub(super) fn image(&self) -> PathBuf {
        let unpacked = self.folder.join("vmlinux");
        if unpacked.exists() { unpacked } else { self.folder.join("vmlinuz") }
    }

    pub(super) fn modules(&self) -> PathBuf {
        self.folder.join("modules")
    }
}
