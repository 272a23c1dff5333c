//! What a declared topic takes in memory, settled before anything runs (NODE-11, NODE-67).

use tokkyu_callbacks::lend_limits;
use tokkyu_callbacks::port::declared_limits;
pub use tokkyu_callbacks::port::{HELD, LINKS, LOANS};
use tokkyu_contract::yaml::robot::{Flow, Robot};
use tokkyu_contract::{Class, Durability};
use tokkyu_graph::Payload;
use tokkyu_topic::{Channel, Limits};

use super::lend;

/// One declared topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name, or the pattern of its names; of a pattern each topic takes as much.
    pub topic: String,
    /// How much it matters.
    pub class: Class,
    /// Bytes of its largest message; nothing: not declared, so that slots grow when messages come.
    pub size: Option<u64>,
    /// What its channel is made with: a loan never fails within it.
    pub limits: Limits,
    /// Bytes of messages.
    pub messages: Option<u64>,
    /// Bytes of counts, links and cells.
    pub counts: u64,
    /// Slots beside these in shared memory while other processes subscribe, for whoever asks for a queue no deeper than theirs.
    pub shared: u32,
    /// Bytes of those, if all were used at once: memory is taken for those that are. Nothing: the size is not declared.
    pub shared_messages: Option<u64>,
}

/// The limits of a declared topic's channel, for as many subscriptions.
pub fn limits(flow: &Flow, links: u32) -> Limits {
    declared_limits(flow.qos.depth(), flow.qos.durability == Durability::TransientLocal, links)
}

/// Every topic of the robot that nodes publish; packets of other programs are none.
pub fn plan(robot: &Robot, links: u32) -> Vec<Row> {
    let is_topic = |flow: &&Flow| flow.matching.is_none();
    robot.flows.iter().filter(is_topic).map(|flow| row(flow, links)).collect()
}

fn row(flow: &Flow, links: u32) -> Row {
    let limits = limits(flow, links);
    let size = flow.size.map(|size| size.0);
    let shared = lend::limits(lend_limits(limits, 0, 0)).slots();
    Row {
        topic: flow.name.clone(),
        class: flow.class,
        size,
        limits,
        messages: size.map(|size| size * u64::from(limits.slots)),
        counts: Channel::<Payload>::bytes(&limits) as u64,
        shared,
        shared_messages: size.map(|size| size * u64::from(shared)),
    }
}
