//! Why topics do not cross.

use std::io;

use tokkyu_monitor_topics::DirectoryError;
use tokkyu_node::NodeError;
use tokkyu_window::WindowError;

/// Why topics do not cross.
#[derive(Debug, thiserror::Error)]
pub enum BesideError {
    /// The RTOS's directory.
    #[error("{0}")]
    Directory(#[from] DirectoryError),
    /// Of this topic.
    #[error("{0}: {1}")]
    Window(String, WindowError),
    /// Of this topic.
    #[error("{0}: {1}")]
    Node(String, NodeError),
    /// The driver's.
    #[error("the driver of topics: {0}")]
    Device(#[from] io::Error),
}
