//! Why a vehicle's topics cannot be opened.

use std::io;

use crate::bridge::BridgeError;
use crate::dds::DdsError;

/// Why they cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum MotorsError {
    /// The system does not tell which interfaces there are.
    #[error(transparent)]
    Place(#[from] BridgeError),
    /// DDS cannot.
    #[error("vehicle.output.ros2: {0}")]
    Dds(#[from] DdsError),
    /// A thread cannot be started.
    #[error("vehicle.output.ros2.speed: no thread for it: {0}")]
    Thread(io::Error),
}
