//! What an end may announce (LNK-6, LNK-30): checked where the application asks, so that no table is ever too much for
//! the peer.

/// Publications an end may have, and subscriptions as well (LNK-6).
pub const MAX_ENDPOINTS: usize = 1024;
/// Longest topic or type, bytes (LNK-30).
pub const MAX_NAME: usize = 255;

/// An endpoint was refused: it would exceed a limit of the link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// LNK-6.
    #[error("more than {limit} {kind}s at one end; one end of a link has at most {limit}")]
    TooMany {
        /// "publication" or "subscription".
        kind: &'static str,
        /// The limit.
        limit: usize,
    },
    /// LNK-30.
    #[error("topic {topic:?} is {bytes} bytes long; it has 1 to {limit} bytes")]
    Topic {
        /// How it begins.
        topic: String,
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// LNK-30.
    #[error("the type of topic {topic:?} has a name of {bytes} bytes; it has at most {limit}")]
    Type {
        /// The topic.
        topic: String,
        /// Length of the type's name.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

/// The number of the next endpoint of a kind that has `count`, counted from 1.
///
/// # Errors
/// `count` is the limit (LNK-6).
pub fn next_endpoint(kind: &'static str, count: usize) -> Result<u16, EndpointError> {
    match u16::try_from(count + 1) {
        Ok(next) if count < MAX_ENDPOINTS => Ok(next),
        _ => Err(EndpointError::TooMany { kind, limit: MAX_ENDPOINTS }),
    }
}

/// Whether a table can name the endpoint.
///
/// # Errors
/// It cannot: a name is too long, or there is no topic (LNK-30).
pub fn check_names(topic: &str, type_name: &str) -> Result<(), EndpointError> {
    if topic.is_empty() || topic.len() > MAX_NAME {
        let topic_begin = topic.chars().take(32).collect();
        return Err(EndpointError::Topic { topic: topic_begin, bytes: topic.len(), limit: MAX_NAME });
    }
    if type_name.len() > MAX_NAME {
        let topic = topic.to_owned();
        return Err(EndpointError::Type { topic, bytes: type_name.len(), limit: MAX_NAME });
    }
    Ok(())
}
