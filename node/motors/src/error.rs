//! Why a vehicle's topics cannot be opened.

use std::io;

use tokkyu_node::NodeError;

/// Why they cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum MotorsError {
    /// The node cannot be made.
    #[error("vehicle.output.ros1: {0}")]
    Node(#[from] NodeError),
    /// The base would be on another host.
    #[error(
        "vehicle.output.ros1: the master at {0} is not on this host, as far as is known here; the base and its roscore \
         have to be on the vehicle's: set ROS_MASTER_URI, such as http://localhost:11311"
    )]
    Elsewhere(String),
    /// A thread cannot be started.
    #[error("vehicle.output.ros1: no thread for it: {0}")]
    Thread(#[from] io::Error),
}
