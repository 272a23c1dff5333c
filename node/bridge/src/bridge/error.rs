//! Why a bridge cannot begin, or ended by itself.

use tokkyu_link::carrier::CloseReason;
use tokkyu_link::core::EndpointError;
use tokkyu_node::NodeError;

/// Why a bridge ended; each with its remedy.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// A flow declares what no bridge carries.
    #[error(
        "robot.yaml: flows.{flow}.type: {type_name} is no message; the bridge carries topics, whose types are pkg/Type or pkg/msg/Type"
    )]
    NoMessage {
        /// The flow.
        flow: String,
        /// Its type.
        type_name: String,
    },
    /// A flow has a name the bridge needs itself.
    #[error("robot.yaml: flows.{flow}: the bridge itself uses tokkyu/ros1; give the flow another name")]
    Reserved {
        /// The flow.
        flow: String,
    },
    /// No flow is a topic.
    #[error(
        "robot {robot:?} has no flow a bridge carries: those without source and match; add one to robot.yaml"
    )]
    NothingToDo {
        /// The robot.
        robot: String,
    },
    /// What the environment says of the node or the master is wrong.
    #[error("{0}; ROS_MASTER_URI, ROS_IP, ROS_HOSTNAME and ROS_NAMESPACE say where the bridge's node is")]
    Place(NodeError),
    /// The node cannot be made here.
    #[error("the bridge's node cannot be made: {0}")]
    Node(NodeError),
    /// A thread cannot be started.
    #[error("no thread can be started: {0}; are too many processes running?")]
    Thread(#[from] std::io::Error),
    /// The link takes no more topics, or a name of ours is too long for it.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The peer will not have us, or we will not have it, and waiting changes nothing.
    #[error("{0}")]
    Refused(CloseReason),
    /// A thread of ours ended by itself.
    #[error("{0}; this is a fault of tokkyu, please report it")]
    Failed(String),
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
