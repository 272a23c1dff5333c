//! What a bridge is begun with: whether it can be, its own topics of the link, its name.

use std::time::{SystemTime, UNIX_EPOCH};

use tokkyu_contract::yaml::Robot;
use tokkyu_contract::yaml::robot::{Flow, Toward};
use tokkyu_contract::{Class, Durability, History, Qos};
use tokkyu_link::core::{Publication, Subscription};
use tokkyu_link::runtime::{Link, Publisher, Subscriber};

use super::BridgeError;
use crate::graph::{is_carried, other};
use crate::names;

/// The link's topics of the bridges' own (NODE-94).
const OWN_TOPICS: &str = "tokkyu/ros1";
const OWN_TYPE: &str = "tokkyu/ros1/1";

/// What can be wrong before anything is begun.
pub(super) fn check(robot: &Robot) -> Result<(), BridgeError> {
    let mut carried = robot.flows.iter().filter(|flow| is_carried(flow)).peekable();
    if carried.peek().is_none() {
        return Err(BridgeError::NothingToDo { robot: robot.name.clone() });
    }
    carried.try_for_each(check_flow)
}

fn check_flow(flow: &Flow) -> Result<(), BridgeError> {
    if flow.name == OWN_TOPICS || flow.name.starts_with(&format!("{OWN_TOPICS}/")) {
        return Err(BridgeError::Reserved { flow: flow.name.clone() });
    }
    match &flow.type_name {
        Some(type_name) if names::ros1_type(type_name).is_none() => {
            Err(BridgeError::NoMessage { flow: flow.name.clone(), type_name: type_name.clone() })
        }
        _ => Ok(()),
    }
}

/// The publication and the subscription that carry what the bridges tell each other.
pub(super) fn own_topics(link: &Link, end: Toward) -> Result<(Publisher, Subscriber), BridgeError> {
    let name = |end: Toward| format!("{OWN_TOPICS}/{}", end.as_str());
    let qos = Qos {
        history: History::KeepLast { depth: 1 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let publication = Publication {
        topic: name(end),
        type_name: OWN_TYPE.to_owned(),
        class: Class::Realtime,
        qos,
        period: None,
        size_bytes: 0,
    };
    let subscription = Subscription { topic: name(other(end)), type_name: OWN_TYPE.to_owned(), qos };
    Ok((link.publish(publication)?, link.subscribe(subscription)?))
}

/// A number no other run has: the time of its start and the process.
pub(super) fn instance() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanoseconds = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
    nanoseconds ^ u64::from(std::process::id()) << 40
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
