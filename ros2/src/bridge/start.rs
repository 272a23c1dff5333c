//! What a bridge is begun with: whether it can be, its own topics of the link, its name.

use tokkyu_contract::yaml::robot::{Flow, Toward};
use tokkyu_contract::{Class, Durability, History, Qos};
use tokkyu_link::core::{Publication, Subscription};
use tokkyu_link::runtime::{Link, Publisher, Subscriber};

use super::source::wall_now;
use super::{BridgeError, BridgeOptions};
use crate::dds::DOMAIN_MAX;
use crate::names;

/// The link's topics of the bridges' own (ROS2-33).
const OWN_TOPICS: &str = "tokkyu/ros2";
const OWN_TYPE: &str = "tokkyu/ros2/1";

/// What can be wrong before anything is begun.
pub(super) fn check(options: &BridgeOptions) -> Result<(), BridgeError> {
    if options.domain > DOMAIN_MAX {
        return Err(BridgeError::Domain(options.domain));
    }
    let carried =
        || options.robot.flows.iter().filter(|flow| flow.matching.is_none() && flow.source.is_none());
    carried().try_for_each(check_flow)?;
    match carried().next() {
        Some(_) => Ok(()),
        None => Err(BridgeError::NothingToDo { robot: options.robot.name.clone() }),
    }
}

fn check_flow(flow: &Flow) -> Result<(), BridgeError> {
    if flow.name == OWN_TOPICS || flow.name.starts_with(&format!("{OWN_TOPICS}/")) {
        return Err(BridgeError::Reserved { flow: flow.name.clone() });
    }
    match &flow.type_name {
        Some(type_name) if names::dds_type(type_name).is_none() => {
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
    let other = match end {
        Toward::Vehicle => Toward::Operator,
        Toward::Operator => Toward::Vehicle,
    };
    let publication = Publication {
        topic: name(end),
        type_name: OWN_TYPE.to_owned(),
        class: Class::Realtime,
        qos,
        period: None,
        size_bytes: 0,
    };
    let subscription = Subscription { topic: name(other), type_name: OWN_TYPE.to_owned(), qos };
    Ok((link.publish(publication)?, link.subscribe(subscription)?))
}

/// A number no other run has: the time of its start and the process.
pub(super) fn instance() -> u64 {
    let process = u64::from(std::process::id());
    wall_now().as_nanos() ^ process << 40
}
