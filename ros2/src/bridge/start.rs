//! What a bridge is begun with: whether it can be, its own topics of the link.

use tokkyu_bridge::flows::{self, OwnTopics, Types};

use super::{BridgeError, BridgeOptions};
use crate::dds::DOMAIN_MAX;
use crate::names;

/// The link's topics of the bridges' own (ROS2-33).
pub(super) const OWN: OwnTopics = OwnTopics { name: "tokkyu/ros2", type_name: "tokkyu/ros2/1" };
const TYPES: Types = Types { has: |name| names::dds_type(name).is_some(), form: "pkg/msg/Type" };

/// What can be wrong before anything is begun.
pub(super) fn check(options: &BridgeOptions) -> Result<(), BridgeError> {
    if options.domain > DOMAIN_MAX {
        return Err(BridgeError::Domain(options.domain));
    }
    Ok(flows::check(&options.robot, OWN, TYPES)?)
}
