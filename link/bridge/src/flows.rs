//! Which flows of robot.yaml are a bridge's, and what it cannot be begun with.
//!
//! Pure.

use tokkyu_contract::yaml::Robot;
use tokkyu_contract::yaml::robot::{Flow, Toward};

/// The link's topics of the bridges' own, by which they speak (ROS2-33, NODE-94).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnTopics {
    /// What their names begin with; the end that publishes follows.
    pub name: &'static str,
    /// Their type.
    pub type_name: &'static str,
}

impl OwnTopics {
    /// The topic on which `end` speaks.
    pub fn of(&self, end: Toward) -> String {
        format!("{}/{}", self.name, end.as_str())
    }

    fn has(&self, flow: &str) -> bool {
        flow.strip_prefix(self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Types of the topics that a bridge carries.
#[derive(Clone, Copy, Debug)]
pub struct Types {
    /// Whether robot.yaml may declare it.
    pub has: fn(&str) -> bool,
    /// How it is written, for who wrote another.
    pub form: &'static str,
}

/// robot.yaml has no topic a bridge carries, or one that none does; each with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// A flow declares what no bridge carries.
    #[error(
        "robot.yaml: flows.{flow}.type: {type_name} is no message; the bridge carries topics, whose types are {form}"
    )]
    NoMessage {
        /// The flow.
        flow: String,
        /// Its type.
        type_name: String,
        /// How a type is written.
        form: &'static str,
    },
    /// A flow has a name the bridge needs itself.
    #[error("robot.yaml: flows.{flow}: the bridge itself uses {own}; give the flow another name")]
    Reserved {
        /// The flow.
        flow: String,
        /// What the bridge's own begin with.
        own: &'static str,
    },
    /// No flow is a topic.
    #[error(
        "robot {robot:?} has no flow a bridge carries: those without source and match; add one to robot.yaml"
    )]
    NothingToDo {
        /// The robot.
        robot: String,
    },
}

/// The other end of the link.
pub fn other(end: Toward) -> Toward {
    match end {
        Toward::Vehicle => Toward::Operator,
        Toward::Operator => Toward::Vehicle,
    }
}

/// Whether a flow is a topic of nodes: neither packets of other programs nor a camera that a program of ours reads.
pub fn is_carried(flow: &Flow) -> bool {
    flow.matching.is_none() && flow.source.is_none()
}

/// What is wrong with the flows, before anything is begun.
///
/// # Errors
/// There is nothing to carry, or a flow has a name or a type that no bridge carries.
pub fn check(robot: &Robot, own: OwnTopics, types: Types) -> Result<(), FlowError> {
    let mut carried = robot.flows.iter().filter(|flow| is_carried(flow)).peekable();
    if carried.peek().is_none() {
        return Err(FlowError::NothingToDo { robot: robot.name.clone() });
    }
    carried.try_for_each(|flow| check_flow(flow, own, types))
}

fn check_flow(flow: &Flow, own: OwnTopics, types: Types) -> Result<(), FlowError> {
    if own.has(&flow.name) {
        return Err(FlowError::Reserved { flow: flow.name.clone(), own: own.name });
    }
    match &flow.type_name {
        Some(type_name) if !(types.has)(type_name) => {
            let (flow, type_name) = (flow.name.clone(), type_name.clone());
            Err(FlowError::NoMessage { flow, type_name, form: types.form })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::yaml::robot;

    const OWN: OwnTopics = OwnTopics { name: "tokkyu/any", type_name: "tokkyu/any/1" };
    const TYPES: Types = Types { has: |name| name.starts_with("std_msgs/"), form: "pkg/Type" };

    fn refused(flows: &str) -> String {
        let robot = robot::parse("robot.yaml", &format!("robot: r\nflows:\n{flows}\n")).unwrap();
        check(&robot, OWN, TYPES).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_no_bridge_carries_is_refused_by_name() {
        assert_eq!(
            refused("  a: {class: realtime, type: std_msgs/String}\n  tokkyu/anything: {class: realtime}"),
            ""
        );
        let error = refused("  b: {class: realtime}\n  a: {class: realtime, type: std_srvs/srv/Trigger}");
        assert!(
            error.contains("flows.a.type: std_srvs/srv/Trigger") && error.contains("are pkg/Type"),
            "{error}"
        );
        for name in ["tokkyu/any", "tokkyu/any/x"] {
            let error = refused(&format!("  {name}: {{class: realtime}}"));
            assert!(error.contains("itself uses tokkyu/any;") && error.contains("another name"), "{error}");
        }
        assert!(refused("  a: {class: realtime, match: {dst_port: 9}}").contains("no flow a bridge carries"));
    }

    #[test]
    fn each_end_speaks_on_a_topic_of_its_own() {
        assert_eq!(OWN.of(Toward::Vehicle), "tokkyu/any/vehicle");
        assert_eq!(OWN.of(other(Toward::Vehicle)), "tokkyu/any/operator");
        assert_eq!(other(Toward::Operator), Toward::Vehicle);
    }
}
