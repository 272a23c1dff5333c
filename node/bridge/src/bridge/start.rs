//! What a bridge is begun with: whether it can be, its own topics of the link.

use tokkyu_bridge::flows::{self, FlowError, OwnTopics, Types};
use tokkyu_contract::yaml::Robot;

use crate::names;

/// The link's topics of the bridges' own (NODE-94).
pub(super) const OWN: OwnTopics = OwnTopics { name: "tokkyu/ros1", type_name: "tokkyu/ros1/1" };
const TYPES: Types = Types { has: |name| names::ros1_type(name).is_some(), form: "pkg/Type or pkg/msg/Type" };

/// What can be wrong before anything is begun.
pub(super) fn check(robot: &Robot) -> Result<(), FlowError> {
    flows::check(robot, OWN, TYPES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::yaml::robot;

    fn refused(flows: &str) -> String {
        let robot = robot::parse("robot.yaml", &format!("robot: r\nflows:\n{flows}\n")).unwrap();
        check(&robot).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_no_bridge_carries_is_refused_by_name() {
        assert_eq!(refused("  a: {class: realtime, type: std_msgs/String}"), "");
        assert!(refused("  a: {class: realtime, type: std_srvs/srv/Trigger}").contains("flows.a.type"));
        assert!(refused("  tokkyu/ros1/x: {class: realtime}").contains("another name"));
        assert!(refused("  a: {class: realtime, match: {dst_port: 9}}").contains("no flow a bridge carries"));
    }
}
