//! Why a board could not be run. What goes wrong on a board is in its [`Outcome`](super::Outcome).

use std::io;
use std::path::PathBuf;

/// Why a board could not be run.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The kernel, or a module of it, is not there.
    #[error("{}: {source}; linux/build fetches kernels and builds their modules (./tokkyu calls it), 6.1-debug only when it is named", path.display())]
    Missing {
        /// What is looked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The agent is not there.
    #[error("{}: {source}; lab/agent/build builds it (./tokkyu calls it)", path.display())]
    NoAgent {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The upload over LEDBAT is not there.
    #[error("{}: {source}; bench/ledbat/build --install builds it (./tokkyu calls it)", path.display())]
    NoLedbat {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A program that boards need is not on this machine.
    #[error("{program} is missing: {source}; apt-get install {package}")]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// The package that brings it.
        package: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the run cannot be written.
    #[error("{}: {source}; choose another folder with --out, on a disk with space and where you may write", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// QEMU does not start or is not heard.
    #[error("{program}: {source}; are too many processes running?")]
    Qemu {
        /// Its program.
        program: &'static str,
        /// What the system said.
        source: io::Error,
    },
}
