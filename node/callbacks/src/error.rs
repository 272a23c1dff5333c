//! What can go wrong, and what to do about it.

use alloc::string::String;

use tokkyu_graph::Failure;

use crate::port::NetworkError;

/// A node cannot be made, or cannot have something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// A name that is none.
    #[error(transparent)]
    Name(#[from] tokkyu_ros1::names::NameError),
    /// An address that is none.
    #[error("{variable}={value}: {error}")]
    Address {
        /// Where it stands.
        variable: &'static str,
        /// What stands there.
        value: String,
        /// What is wrong with it.
        error: tokkyu_ros1::uri::UriError,
    },
    /// The system refuses.
    #[error(
        "the node cannot have {what}: {error}; are there too many threads or open files (ulimit -u, -n)?"
    )]
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        error: String,
    },
    /// The node cannot be reached.
    #[error("{0}")]
    Listen(String),
    /// The master or another part of the node refuses.
    #[error("{name}: {failure}")]
    Refused {
        /// The topic or service.
        name: String,
        /// Why.
        failure: Failure,
    },
    /// `robot.yaml` is wrong.
    #[error("{0}")]
    Declaration(String),
    /// A topic's limits are not possible, or there is no memory for its messages.
    #[error("{name}: {reason}; it comes from the options it was advertised with, or its flow in robot.yaml")]
    Limits {
        /// The topic.
        name: String,
        /// Which limit, or how much memory.
        reason: tokkyu_graph::NoChannel,
    },
}

/// A message was not published: nobody has got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// All loans are out.
    #[error("all {0} loans of the publisher are out; publish or drop one, or advertise with more")]
    Loans(u32),
    /// A reliable subscription is full.
    #[error("a reliable subscription is full; publish again once it has read")]
    Full,
    /// A loan of another publisher.
    #[error("the loan is another publisher's; publish it there")]
    Foreign,
    /// No memory.
    #[error("no memory for a message of {0} bytes")]
    Memory(usize),
}

impl From<NetworkError> for NodeError {
    fn from(error: NetworkError) -> NodeError {
        match error {
            NetworkError::System { what, error } => NodeError::System { what, error },
            NetworkError::Listen(text) => NodeError::Listen(text),
        }
    }
}
