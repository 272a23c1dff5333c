//! What is declared of the node's topics.

use alloc::sync::Arc;

use tokkyu_contract::Class;
use tokkyu_topic::Limits;

use crate::port::{Declaration, Topic};

/// The flows of the robot, if some are declared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared(pub(crate) Option<Arc<dyn Declaration>>);

impl Declared {
    /// That of a topic's global name, without the slash at its front.
    fn topic(&self, topic: &str) -> Option<Topic> {
        self.0.as_ref()?.topic(topic.trim_start_matches('/'))
    }

    /// How much a topic's messages matter; what nobody declared is best effort.
    pub(crate) fn class(&self, topic: &str) -> Class {
        self.topic(topic).map_or(Class::BestEffort, |topic| topic.class)
    }

    /// Whether no sample of a topic may be lost.
    pub(crate) fn is_reliable(&self, topic: &str) -> bool {
        self.topic(topic).is_some_and(|topic| topic.is_reliable)
    }

    /// The limits of a declared topic's channel.
    pub(crate) fn limits(&self, topic: &str) -> Option<Limits> {
        self.topic(topic).map(|topic| topic.limits)
    }

    /// Bytes of its largest message, as declared: memory that is taken when the topic is made.
    pub(crate) fn size(&self, topic: &str) -> usize {
        self.topic(topic).map_or(0, |topic| topic.bytes)
    }
}
