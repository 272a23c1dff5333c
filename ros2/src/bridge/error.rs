//! Why a bridge cannot begin, or ended by itself.

use tokkyu_bridge::flows::FlowError;
use tokkyu_bridge::session::SessionError;
use tokkyu_link::core::EndpointError;

use super::source::SourceError;
use crate::dds::{DOMAIN_MAX, DdsError};

/// Why a bridge ended; each with its remedy.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// robot.yaml has nothing to carry, or what no bridge carries.
    #[error(transparent)]
    Flow(#[from] FlowError),
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
    /// The session with the other bridge cannot begin, or is over for good.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl From<EndpointError> for BridgeError {
    fn from(error: EndpointError) -> BridgeError {
        BridgeError::Session(error.into())
    }
}
