//! Why a case could not be run at all. What goes wrong during a run is no error but a fault of the run
//! ([`Outcome`](super::Outcome)): what was measured until then is kept.

use std::io;
use std::path::PathBuf;

use tokkyu_link::carrier::KeyError;

use crate::wire::WireError;

use super::algorithm::Algorithm;

/// Why a case could not be run.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The case's folder cannot be made or written to.
    #[error(
        "{}: {source}; choose another folder with --out, on a disk with space and where you may write",
        path.display()
    )]
    Folder {
        /// Folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The case's folder has a run in it.
    #[error("{}: this folder holds a run already; give another folder to --out", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// The keys of the run cannot be made.
    #[error("keys for this run: {0}")]
    Key(#[from] KeyError),
    /// There is no network to run over.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// No UDP port for the operator on the loopback device.
    #[error("no UDP port on the loopback device: {0}; is `lo` up (ip link set lo up)?")]
    Port(io::Error),
    /// No thread to hear the programs.
    #[error("cannot start a thread: {0}; are too many processes running?")]
    Thread(io::Error),
    /// The kernel does not have a congestion control, or does not let us use it.
    #[error(
        "TCP congestion control {algorithm}: {source}; this kernel has {available}; if {algorithm} is a module of it: \
         sudo modprobe tcp_{algorithm}"
    )]
    Algorithm {
        /// What was asked for.
        algorithm: Algorithm,
        /// What the kernel lists.
        available: String,
        /// What the system said.
        source: io::Error,
    },
    /// There is no network that carries TCP.
    #[error("TCP flows beside the link need the wire, and there is none: {because}")]
    NoTcp {
        /// Why not.
        because: String,
    },
    /// There is no network for the programs of others.
    #[error(
        "peers need the wire, as their programs speak UDP, TCP and discovery of their own, and there is none: {because}"
    )]
    NoPeers {
        /// Why not.
        because: WireError,
    },
    /// A TCP flow cannot be started.
    #[error("cannot start the TCP {algorithm} flow beside: {source}")]
    Flow {
        /// Its congestion control.
        algorithm: Algorithm,
        /// What the system said.
        source: io::Error,
    },
    /// A program cannot be started.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl DriveError {
    /// True when the disk is what failed, and not the network or a program.
    pub fn is_storage(&self) -> bool {
        match self {
            DriveError::Folder { .. } => true,
            DriveError::Key(error) => matches!(error, KeyError::Write { .. } | KeyError::Exists { .. }),
            _ => false,
        }
    }
}
