//! Why the experiment cannot go on. What goes wrong with one run of a peer is in its [`Finding`](super::Finding).

use std::io;
use std::path::PathBuf;

/// Why the experiment cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A folder of the run cannot be made, or a file of it not be written.
    #[error("{}: {source}; choose another folder with --out, on a disk with space and where you may write", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A program cannot be started.
    #[error("{} cannot be started: {source}; build it anew with bench/local/build", path.display())]
    Start {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The master does not come up.
    #[error(
        "rosmaster: {0}; does it run by itself (rosmaster --core)? Leave the peers over ROS out with --peers otherwise"
    )]
    Master(String),
}
