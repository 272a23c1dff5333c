//! A publisher of a topic, by the names that it goes by.

use alloc::string::String;

/// One publisher of one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkKey {
    pub(crate) topic: String,
    /// Its slave API.
    pub(crate) uri: String,
}
