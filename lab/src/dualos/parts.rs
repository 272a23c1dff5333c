//! The files that a machine is made of, and where they are looked for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::cell::Kind;
use crate::built::built_folder;

/// What is missing.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    /// A file.
    #[error("{}: not there; {remedy}", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
        /// What brings it.
        remedy: &'static str,
    },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder of the run cannot be written.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no emulator.
    #[error("qemu-system-aarch64: {0}; Debian: apt-get install qemu-system-arm")]
    Qemu(io::Error),
}

const MONITOR: &str = "monitor/build makes it (TOKKYU_MONITOR: the folder)";
const LINUX: &str = "monitor/fetch fetches it (TOKKYU_MONITOR_LINUX: the folder)";
const ACCOUNTING: &str = "it wants a kernel that counts with stolen time, which no distribution has: monitor/build-linux \
                          target/monitor-linux/accounting builds it, in 13 minutes of a processor";
const DRIVER: &str = "it wants Linux's driver of topics: monitor/build-driver target/monitor-linux builds it";
/// Of what `monitor/fetch` fetches, where each is found in Linux.
const PROGRAMS: [(&str, &str); 4] = [
    ("busybox", "bin/busybox"),
    ("bench/hackbench", "bin/hackbench"),
    ("bench/libc.so.6", "lib/libc.so.6"),
    ("bench/ld-linux-aarch64.so.1", "lib/ld-linux-aarch64.so.1"),
];
/// How orders are given, and what is told of an arm.
const ORDERS: &str = include_str!("../../../monitor/linux/orders");
const REPORT: &str = include_str!("report.sh");

/// All of them.
#[derive(Clone, Debug)]
pub struct Parts {
    pub(super) monitor: PathBuf,
    pub(super) rtos: PathBuf,
    kernel: PathBuf,
    /// Of the kernel, as Debian names it.
    pub release: String,
    /// The kernel that counts with stolen time, and its release, if it has been built.
    accounting: Option<(PathBuf, String)>,
    companion: PathBuf,
    topics: PathBuf,
    /// Linux's driver of topics, if it has been built.
    driver: Option<PathBuf>,
    linux: PathBuf,
}

fn there(path: PathBuf, remedy: &'static str) -> Result<PathBuf, PartsError> {
    if path.is_file() { Ok(path) } else { Err(PartsError::Missing { path, remedy }) }
}

/// In a folder's `what`.
fn release_in(folder: &Path) -> Option<String> {
    let what = fs::read_to_string(folder.join("what")).ok()?;
    what.lines().find_map(|line| line.strip_prefix("release ")).map(str::to_owned)
}

fn read(path: &Path) -> Result<Vec<u8>, PartsError> {
    fs::read(path).map_err(|source| PartsError::Read { path: path.to_path_buf(), source })
}

impl Parts {
    /// Looks for all of them.
    ///
    /// # Errors
    /// [`PartsError`] with what brings what is missing.
    pub fn find() -> Result<Parts, PartsError> {
        let monitor = built_folder("TOKKYU_MONITOR", "monitor");
        let linux = built_folder("TOKKYU_MONITOR_LINUX", "monitor-linux");
        for (file, _) in PROGRAMS {
            there(linux.join(file), LINUX)?;
        }
        there(linux.join("what"), LINUX)?;
        let built = linux.join("accounting");
        let image = built.join("Image");
        let accounting = release_in(&built).filter(|_| image.is_file()).map(|release| (image, release));
        Ok(Parts {
            monitor: there(monitor.join("monitor.bin"), MONITOR)?,
            rtos: there(monitor.join("load.elf"), MONITOR)?,
            companion: there(monitor.join("companion"), MONITOR)?,
            topics: there(monitor.join("topics"), MONITOR)?,
            driver: Some(linux.join("tokkyu_topics.ko")).filter(|driver| driver.is_file()),
            kernel: there(linux.join("Image"), LINUX)?,
            release: release_in(&linux).unwrap_or_else(|| "unknown".to_owned()),
            accounting,
            linux,
        })
    }

    /// What a part wants that has not been built, and what builds it.
    pub fn lacks(&self, kind: Kind) -> Option<&'static str> {
        let accounting = (kind.wants_accounting() && self.accounting.is_none()).then_some(ACCOUNTING);
        accounting.or((kind.wants_driver() && self.driver.is_none()).then_some(DRIVER))
    }

    /// The kernel that a part runs, and its release.
    pub(super) fn kernel_of(&self, kind: Kind) -> (&Path, &str) {
        match &self.accounting {
            Some((image, release)) if kind.wants_accounting() => (image, release),
            _ => (&self.kernel, &self.release),
        }
    }

    /// Linux's first file system, with a part's program as its first.
    pub(super) fn files(&self, kind: Kind) -> Result<Vec<(String, Vec<u8>)>, PartsError> {
        let mut files = vec![
            ("init".to_owned(), kind.script().as_bytes().to_vec()),
            ("bin/orders".to_owned(), ORDERS.as_bytes().to_vec()),
            ("bin/report".to_owned(), REPORT.as_bytes().to_vec()),
            ("bin/companion".to_owned(), read(&self.companion)?),
        ];
        if let Some(driver) = self.driver.as_ref().filter(|_| kind.wants_driver()) {
            files.push(("bin/topics".to_owned(), read(&self.topics)?));
            files.push(("bin/tokkyu_topics.ko".to_owned(), read(driver)?));
        }
        for (file, place) in PROGRAMS {
            files.push((place.to_owned(), read(&self.linux.join(file))?));
        }
        Ok(files)
    }
}
