//! What does not cross, and why: ROS2-7, ROS2-12, ROS2-40.

use std::fmt;

use tokkyu_contract::Qos;

use crate::endpoint::{Endpoint, Representation, Role};
use crate::message::{CARRIED_MAX_BYTES, LeftOut};
use crate::qos::Terms;

/// Something stands in the way of a topic, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Report {
    /// The topic, without leading slash; empty if it is about all of them.
    pub topic: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.topic.as_str() {
            "" => write!(f, "{}; {}", self.what, self.remedy),
            topic => write!(f, "topic /{topic}: {}; {}", self.what, self.remedy),
        }
    }
}

fn report(topic: &str, what: String, remedy: impl Into<String>) -> Report {
    Report { topic: topic.to_owned(), what, remedy: remedy.into() }
}

impl Report {
    pub(super) fn offers_less(topic: &str, qos: &Qos, writer: &Qos) -> Report {
        let which = qos.mismatches(writer);
        let what = format!(
            "a writer offers {}, the topic has {} ({which}): its samples do not cross",
            Terms(writer),
            Terms(qos)
        );
        report(topic, what, "declare in the flow what the writer offers, or change the writer's QoS")
    }

    pub(super) fn requests_more(topic: &str, reader: &Qos, qos: &Qos) -> Report {
        let which = reader.mismatches(qos);
        let what = format!(
            "a reader requests {}, the topic has {} ({which}): it gets nothing",
            Terms(reader),
            Terms(qos)
        );
        report(topic, what, "change the reader's QoS, or the flow's in both robot.yaml and the writer's")
    }

    pub(super) fn other_type(topic: &str, ours: &str, other: &str, role: Role) -> Report {
        let who = match role {
            Role::Writer => "a writer",
            Role::Reader => "a reader",
        };
        let what = format!("{who} has type {other}, the topic has {ours}: nothing passes between them");
        report(topic, what, "give one of them another topic, or declare the type that is meant")
    }

    /// The endpoint writes another one, or does not take the topic's.
    pub(super) fn other_representation(topic: &str, ours: Representation, other: &Endpoint) -> Report {
        let its = match other.representations.as_slice() {
            [] => "neither XCDR1 nor XCDR2".to_owned(),
            [one] => one.to_string(),
            _ => "XCDR1 and XCDR2".to_owned(),
        };
        let (what, remedy) = match other.role {
            Role::Writer => (
                format!("a writer writes {its}, the topic's samples are {ours}: its samples do not cross"),
                format!(
                    "let all its writers write {ours} (their data representation QoS), or give it another topic"
                ),
            ),
            Role::Reader => (
                format!("a reader takes {its}, the topic's samples are {ours}: it gets nothing"),
                format!(
                    "let the reader take {ours} too, or the writer write what it takes (their data representation QoS)"
                ),
            ),
        };
        report(topic, what, remedy)
    }

    pub(super) fn no_ros_type(topic: &str, dds_type: &str, is_keyed: bool) -> Report {
        let what = match is_keyed {
            true => format!("its type {dds_type} has key fields, which are not carried"),
            false => format!("its type {dds_type} is none of ROS 2's (pkg::msg::dds_::Type_)"),
        };
        report(topic, what, "give it a name that no flow of robot.yaml has")
    }

    pub(super) fn declared_otherwise(topic: &str, fields: &str, ours: &str, theirs: &str) -> Report {
        let what =
            format!("{fields}: here robot.yaml declares {ours}, the other end has {theirs}: it is not taken");
        report(topic, what, "use the same robot.yaml at both ends")
    }

    pub(super) fn not_declared(topic: &str) -> Report {
        let what = "the other end sends it, but no flow of our robot.yaml brings it here".to_owned();
        report(topic, what, "use the same robot.yaml at both ends")
    }

    pub(super) fn service(name: &str) -> Report {
        let what = "it is a service or an action, which the bridge does not carry".to_owned();
        report(name, what, "take it out of robot.yaml, or write a topic for it")
    }

    pub(super) fn too_long(topic: &str) -> Report {
        let what =
            format!("its name is longer than the {CARRIED_MAX_BYTES} bytes that cross: it is not carried");
        report(topic, what, "give it a shorter one")
    }

    pub(super) fn too_many(topic: &str) -> Report {
        let what = "more topics match robot.yaml than a bridge carries, 512".to_owned();
        report(topic, what, "name fewer of them")
    }

    pub(super) fn no_room(left_out: LeftOut) -> Report {
        let what = match left_out.topics {
            0 => "the message to the other bridge is full: USER_DATA of the topics is left out".to_owned(),
            topics => format!("the message to the other bridge is full: {topics} topics are left out"),
        };
        report("", what, "name fewer topics in robot.yaml, or shorter ones")
    }

    pub(super) fn one_domain() -> Report {
        let what = "both bridges are in one DDS domain, where every node already has every topic: nothing is carried".to_owned();
        report("", what, "give one of them another --domain, or an --interface the other does not have")
    }
}
