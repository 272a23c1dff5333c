//! Why a bridge cannot begin, or ended by itself.

use tokkyu_link::carrier::CloseReason;
use tokkyu_link::core::EndpointError;

use super::source::SourceError;
use crate::dds::{DOMAIN_MAX, DdsError};

/// Why a bridge ended; each with its remedy.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// A flow declares what no bridge carries.
    #[error(
        "robot.yaml: flows.{flow}.type: {type_name} is no message; the bridge carries topics, whose types are pkg/msg/Type"
    )]
    NoMessage {
        /// The flow.
        flow: String,
        /// Its type.
        type_name: String,
    },
    /// A flow has a name the bridge needs itself.
    #[error("robot.yaml: flows.{flow}: the bridge itself uses tokkyu/ros2; give the flow another name")]
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
    /// The domain is out of range.
    #[error("--domain {0}: give 0 to {DOMAIN_MAX}")]
    Domain(u32),
    /// An interface is not there.
    #[error("--interface {name}: there is none of that name with an IPv4 address; there are {known}")]
    Interface {
        /// The name.
        name: String,
        /// Names there are.
        known: String,
    },
    /// The system does not tell which interfaces there are.
    #[error("cannot tell which network interfaces there are: {0}; give --interface")]
    Interfaces(std::io::Error),
    /// DDS cannot.
    #[error("{0}; is the interface up, and is the domain within 0 to {DOMAIN_MAX}?")]
    Dds(#[from] DdsError),
    /// A thread cannot be started.
    #[error(transparent)]
    Source(#[from] SourceError),
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
