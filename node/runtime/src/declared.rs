//! What `robot.yaml` declares of the node's topics.

use std::path::Path;

use tokkyu_contract::yaml::robot::{self, Flow, Robot};
use tokkyu_contract::{Class, History, Reliability};

use tokkyu_topic::Limits;

use crate::error::NodeError;
use crate::memory;

/// The flows of the robot, if a file was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    robot: Option<Robot>,
}

impl From<Robot> for Declared {
    fn from(robot: Robot) -> Declared {
        Declared { robot: Some(robot) }
    }
}

impl Declared {
    pub(crate) fn load(path: &Path) -> Result<Declared, NodeError> {
        let robot = robot::load(path).map_err(|errors| NodeError::Declaration(errors.to_string()))?;
        Ok(Declared::from(robot))
    }

    /// The flow of a topic: that of its global name, without the slash at its front.
    fn flow(&self, topic: &str) -> Option<&Flow> {
        self.robot.as_ref()?.flow_of(topic.trim_start_matches('/'))
    }

    /// How much a topic's messages matter; what nobody declared is best effort.
    pub(crate) fn class(&self, topic: &str) -> Class {
        self.flow(topic).map_or(Class::BestEffort, |flow| flow.class)
    }

    /// Whether no sample of a topic may be lost. With `keep_last` the newest are kept, as in DDS, whatever the reliability.
    pub(crate) fn is_reliable(&self, topic: &str) -> bool {
        let wanted = |flow: &Flow| {
            flow.qos.reliability == Reliability::Reliable && flow.qos.history == History::KeepAll
        };
        self.flow(topic).is_some_and(wanted)
    }

    /// The limits of a declared topic's channel.
    pub(crate) fn limits(&self, topic: &str) -> Option<Limits> {
        self.flow(topic).map(|flow| memory::limits(flow, memory::LINKS))
    }

    /// Bytes of its largest message, as declared: memory that is taken when the topic is made.
    pub(crate) fn size(&self, topic: &str) -> usize {
        let size = self.flow(topic).and_then(|flow| flow.size);
        size.map_or(0, |size| usize::try_from(size.0).unwrap_or(0))
    }
}
