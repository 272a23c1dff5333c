//! What does not cross, and why: NODE-91, NODE-94, NODE-97.

use std::fmt;

use tokkyu_contract::qos::Mismatches;

use super::Publisher;
use crate::message::{CARRIED_MAX_BYTES, ENTRIES_MAX, LeftOut};

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

fn report(topic: &str, what: String, remedy: &str) -> Report {
    Report { topic: topic.to_owned(), what, remedy: remedy.to_owned() }
}

const SAME_FILE: &str = "use the same robot.yaml at both ends";

impl Report {
    /// A publisher has another type than the topic, whose type is `type_name` and, where it is known, `md5sum`.
    pub(super) fn other_type(topic: &str, publisher: &Publisher, type_name: &str, md5sum: &str) -> Report {
        let Publisher { node, type_name: other, md5sum: others, .. } = publisher;
        let (other, ours) = match other == type_name {
            true => (format!("{other} with md5sum {others}"), format!("it with {md5sum}")),
            false => (other.clone(), type_name.to_owned()),
        };
        let what = format!("{node} publishes {other}, the topic has {ours}: its samples do not cross");
        report(topic, what, "give one of them another topic, or declare the type that is meant")
    }

    pub(super) fn no_type(topic: &str, publisher: &Publisher) -> Report {
        let Publisher { node, type_name, md5sum, .. } = publisher;
        let what = format!("{node} says type {type_name} and md5sum {md5sum}, which are none of a message");
        report(topic, what, "let it advertise the topic with the message's own type")
    }

    pub(super) fn looped(topic: &str, node: &str) -> Report {
        let what = format!("{node}, a bridge, publishes it: its samples do not cross again");
        report(
            topic,
            what,
            "name the topic in one link's robot.yaml alone, or give the bridges masters of their own",
        )
    }

    pub(super) fn one_master() -> Report {
        let what = "both bridges are nodes of one master, where every node already has every topic: nothing is carried";
        report("", what.to_owned(), "give one of them another ROS_MASTER_URI")
    }

    pub(super) fn declared_otherwise(topic: &str, ours: &str, theirs: &str) -> Report {
        let what =
            format!("type: here robot.yaml declares {ours}, the other end has {theirs}: it is not taken");
        report(topic, what, SAME_FILE)
    }

    pub(super) fn not_declared(topic: &str) -> Report {
        let what = "the other end sends it, but no flow of our robot.yaml brings it here";
        report(topic, what.to_owned(), SAME_FILE)
    }

    pub(super) fn service(name: &str) -> Report {
        let what = "it is a service, which the bridge does not carry";
        report(name, what.to_owned(), "take it out of robot.yaml, or write a topic for it")
    }

    pub(super) fn own_log() -> Report {
        let what = "it is each node's own log, the bridge's as well: it is not carried";
        report("rosout", what.to_owned(), "name rosout_agg, or a topic of your own")
    }

    pub(super) fn too_long(topic: &str) -> Report {
        let what =
            format!("its name is longer than the {CARRIED_MAX_BYTES} bytes that cross: it is not carried");
        report(topic, what, "give it a shorter one")
    }

    pub(super) fn too_many(topic: &str) -> Report {
        let what = format!("more topics match robot.yaml than a bridge carries, {ENTRIES_MAX}");
        report(topic, what, "name fewer of them")
    }

    pub(super) fn no_room(left_out: LeftOut) -> Report {
        let what = match left_out {
            LeftOut { definitions, topics: 0 } => {
                format!(
                    "the message to the other bridge is full: the texts of {definitions} types are left out"
                )
            }
            LeftOut { topics, .. } => {
                format!("the message to the other bridge is full: {topics} topics are left out")
            }
        };
        report("", what, "name fewer topics in robot.yaml, or shorter ones")
    }

    /// The link found the two ends of a topic with QoS that do not match.
    pub fn other_qos(topic: &str, mismatches: &Mismatches) -> Report {
        let what = format!("the two ends declare it otherwise: {mismatches}: it does not cross");
        report(topic, what, SAME_FILE)
    }
}
