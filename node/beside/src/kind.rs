//! What ROS's nodes are told of a topic's type.

use tokkyu_monitor_topics::Entry;
use tokkyu_node::Kind;

/// As the RTOS's image has it.
pub(crate) fn kind_of(topic: &Entry) -> Kind {
    Kind { datatype: topic.kind.clone(), md5sum: topic.md5.clone(), definition: topic.definition.clone() }
}
