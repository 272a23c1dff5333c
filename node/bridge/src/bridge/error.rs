//! Why a bridge cannot begin, or ended by itself.

use tokkyu_bridge::flows::FlowError;
use tokkyu_bridge::session::SessionError;
use tokkyu_link::core::EndpointError;
use tokkyu_node::NodeError;

/// Why a bridge ended; each with its remedy.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// robot.yaml has nothing to carry, or what no bridge carries.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// What the environment says of the node or the master is wrong.
    #[error("{0}; ROS_MASTER_URI, ROS_IP, ROS_HOSTNAME and ROS_NAMESPACE say where the bridge's node is")]
    Place(NodeError),
    /// The node cannot be made here.
    #[error("the bridge's node cannot be made: {0}")]
    Node(NodeError),
    /// A thread cannot be started.
    #[error("no thread can be started: {0}; are too many processes running?")]
    Thread(#[from] std::io::Error),
    /// The session with the other bridge cannot begin, or is over for good.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl From<NodeError> for BridgeError {
    fn from(error: NodeError) -> BridgeError {
        match error {
            NodeError::Name(_) | NodeError::Address { .. } | NodeError::Declaration(_) => {
                BridgeError::Place(error)
            }
            _ => BridgeError::Node(error),
        }
    }
}

impl From<EndpointError> for BridgeError {
    fn from(error: EndpointError) -> BridgeError {
        BridgeError::Session(error.into())
    }
}
