//! Which topics cross, and what must be opened for it: the bridge's decisions, without ROS, link or clock.
//!
//! Pure. Facts come in by `on_*` events: what the master and the publishers say, who subscribes, what the other bridge
//! says. After each of them [`Graph::orders`] gives what has to change, worked out anew from all facts.
//!
//! ```text
//!  master, headers ─► on_master, on_heard ─┐                     ┌─► Subscribe, Unsubscribe   ROS subscription
//!  links, readers ─► on_linked, on_demand ─┤                     ├─► OpenSource, CloseSource  link publication
//!  other bridge ─► on_message ─────────────┼─► facts ─► update ──┼─► OpenTarget, CloseTarget  link subscription, ROS publisher
//!  silence ─► on_peer_gone ────────────────┤                     ├─► Tell                     message to the other bridge
//!  time ─► on_time ────────────────────────┘                     └─► reports                  what does not cross, and why
//! ```

mod report;
mod sources;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokkyu_bridge::flows::{is_carried, other};
use tokkyu_contract::yaml::robot::{Flow, Robot, Toward};
use tokkyu_contract::{Class, Durability, MonoTime, Qos, Rate, Reliability};

use crate::master::State;
use crate::message::{Message, Topic};
use crate::names::{self, Namespace};

pub use report::Report;
pub use sources::Publisher;
use sources::Source;

/// What both ends of a hop are opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// As the other bridge is told.
    pub topic: Topic,
    /// The topic's global name at this end.
    pub global: String,
    /// Its QoS on the link.
    pub qos: Qos,
    /// Class of the flow it belongs to.
    pub class: Class,
    /// Time between two samples, if the flow says how many there are in a second.
    pub period: Option<Duration>,
    /// Largest sample, if the flow says so; else 0.
    pub size_bytes: u32,
}

impl Opening {
    /// Whether the link and the target keep its last samples for who comes later.
    pub fn is_kept(&self) -> bool {
        self.qos.durability == Durability::TransientLocal
    }
}

/// What a topic is subscribed to with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The flow's name for it.
    pub topic: String,
    /// Its global name at this end.
    pub global: String,
    /// Class of the flow it belongs to.
    pub class: Class,
    /// Samples of one publisher that may wait; `None` as many as can.
    pub depth: Option<u32>,
    /// Whether the flow declares that late readers get the last samples.
    pub is_kept: bool,
}

/// Something has to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Subscribe to a topic of this end, of whatever type.
    Subscribe(Wish),
    /// Subscribe to it no more.
    Unsubscribe(String),
    /// Send a topic that is subscribed to.
    OpenSource(Opening),
    /// Send it no more.
    CloseSource(String),
    /// Receive a topic and publish it at this end.
    OpenTarget(Opening),
    /// Its last publisher is gone.
    CloseTarget(String),
    /// The other bridge must know.
    Tell(Message),
    /// Look at the master at once.
    AskMaster,
}

/// What this end is.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Which end of the link.
    pub end: Toward,
    /// Names this run of the bridge.
    pub instance: u64,
    /// Its node's name.
    pub node: String,
    /// Stands before the names at this end.
    pub namespace: Namespace,
}

/// Everything that is known.
#[derive(Debug)]
pub struct Graph {
    identity: Identity,
    robot: Robot,
    now: MonoTime,
    master: State,
    peer: Option<Message>,
    /// Another run of the other bridge speaks, and the master was not looked at since: it may be a node of it.
    is_stranger: bool,
    sources: BTreeMap<String, Source>,
    targets: BTreeMap<String, Opening>,
    /// Targets that have a subscriber at this end.
    demanded: BTreeSet<String>,
    /// Topics that could not be opened, until they may be tried again.
    paused: BTreeSet<String>,
    /// The last generation that was given away.
    generation: u32,
    /// Whether a fact has changed since it was worked out what follows.
    is_news: bool,
    told: Option<Message>,
    standing: BTreeSet<Report>,
    news: Vec<Report>,
    orders: Vec<Order>,
}

impl Graph {
    /// Nothing is known yet.
    pub fn new(identity: Identity, robot: Robot) -> Graph {
        Graph {
            // A run begins with a number of its own: nothing of a former one is taken for this one's (NODE-95).
            generation: identity.instance as u32,
            identity,
            robot,
            now: MonoTime::ZERO,
            master: State::default(),
            peer: None,
            is_stranger: false,
            sources: BTreeMap::new(),
            targets: BTreeMap::new(),
            demanded: BTreeSet::new(),
            paused: BTreeSet::new(),
            is_news: true,
            told: None,
            standing: BTreeSet::new(),
            news: Vec::new(),
            orders: Vec::new(),
        }
    }

    /// The other bridge says what it has and wants. False if it is older than what it said before (NODE-94).
    pub fn on_message(&mut self, message: Message) -> bool {
        let is_old = |known: &Message| known.instance == message.instance && known.number >= message.number;
        if self.peer.as_ref().is_some_and(is_old) {
            return false;
        }
        if self.peer.as_ref().is_some_and(|known| known.instance != message.instance) {
            // Another run: what the former had is closed before what this one has is opened (NODE-95).
            self.on_peer_gone();
            self.update();
        }
        if self.peer.replace(message).is_none() {
            self.is_stranger = true;
            self.orders.push(Order::AskMaster);
        }
        self.is_news = true;
        true
    }

    /// Nothing was heard of the other bridge for the linger time (NODE-95).
    pub fn on_peer_gone(&mut self) {
        self.peer = None;
        self.is_news = true;
    }

    /// A target has a subscriber at this end, or has none any more.
    pub fn on_demand(&mut self, topic: &str, is_wanted: bool) {
        self.is_news |= match is_wanted {
            true => self.demanded.insert(topic.to_owned()),
            false => self.demanded.remove(topic),
        };
    }

    /// A topic could not be opened: it counts as closed, and is left alone until its pause is over.
    pub fn on_not_opened(&mut self, topic: &str) {
        if let Some(source) = self.sources.get_mut(topic) {
            source.is_open = false;
        }
        self.targets.remove(topic);
        self.demanded.remove(topic);
        self.paused.insert(topic.to_owned());
        self.is_news = true;
    }

    /// It may be tried again.
    pub fn on_pause_over(&mut self, topic: &str) {
        self.is_news |= self.paused.remove(topic);
    }

    /// It is `now`.
    pub fn on_time(&mut self, now: MonoTime) {
        self.now = now;
        self.is_news |= self.sources.values().any(|source| source.is_over(now));
    }

    /// Works out what has to change; gives it in the order it has to be done in.
    pub fn orders(&mut self) -> Vec<Order> {
        if std::mem::take(&mut self.is_news) {
            self.update();
            self.tell();
        }
        std::mem::take(&mut self.orders)
    }

    /// What stands in the way now.
    pub fn standing(&self) -> impl Iterator<Item = &Report> {
        self.standing.iter()
    }

    /// What came to stand in the way since it was asked last.
    pub fn reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.news)
    }

    fn update(&mut self) {
        let mut standing = BTreeSet::new();
        if self.is_at_one_master() {
            standing.insert(Report::one_master());
        }
        self.update_sources(&mut standing);
        self.update_targets(&mut standing);
        self.refuse_services(&mut standing);
        self.news.extend(standing.difference(&self.standing).cloned());
        self.standing = standing;
    }

    /// A message whenever there is something new in it.
    fn tell(&mut self) {
        let topics = self.sources.values().filter_map(|source| source.life.clone()).collect();
        let said = self.told.as_ref();
        let number = said.map_or(1, |said| said.number + 1);
        let Identity { instance, node, .. } = self.identity.clone();
        let mut message = Message { instance, number, node, topics, wanted: self.wanted() };
        let is_new = |message: &Message| {
            said.is_none_or(|said| said.topics != message.topics || said.wanted != message.wanted)
        };
        if !is_new(&message) {
            return;
        }
        let left_out = message.fit();
        if is_new(&message) {
            self.news.extend(left_out.map(Report::no_room));
            self.told = Some(message.clone());
            self.orders.push(Order::Tell(message));
        }
    }

    /// The other bridge is a node of our master (NODE-97).
    fn is_at_one_master(&self) -> bool {
        self.peer.as_ref().is_some_and(|peer| self.master.nodes.contains(&peer.node))
    }

    /// The flow that carries `topic` toward `end`.
    fn flow_toward(&self, topic: &str, end: Toward) -> Option<&Flow> {
        self.robot.flow_of(topic).filter(|flow| flow.toward == end && is_carried(flow))
    }

    fn other_end(&self) -> Toward {
        other(self.identity.end)
    }

    fn opening(&self, topic: Topic, flow: &Flow) -> Opening {
        let size_bytes = flow.size.map_or(0, |size| u32::try_from(size.0).unwrap_or(u32::MAX));
        Opening {
            global: names::global(&self.identity.namespace, &topic.name),
            qos: qos_on_link(flow, topic.is_latched),
            topic,
            class: flow.class,
            period: flow.rate.map(Rate::period),
            size_bytes,
        }
    }

    /// Services that a flow names: they are told, and not carried.
    fn refuse_services(&self, standing: &mut BTreeSet<Report>) {
        let names =
            self.master.services.iter().filter_map(|name| names::outside(&self.identity.namespace, name));
        let is_named = |name: &&str| self.robot.flow(name).is_some_and(is_carried);
        standing.extend(names.filter(is_named).map(Report::service));
    }
}

/// The flow's QoS on the link (NODE-92). What is latched must come whenever it was published.
fn qos_on_link(flow: &Flow, is_latched: bool) -> Qos {
    match is_latched {
        true => {
            Qos { reliability: Reliability::Reliable, durability: Durability::TransientLocal, ..flow.qos }
        }
        false => flow.qos,
    }
}

/// The type a flow declares, as ROS 1 writes it.
fn declared_type(flow: &Flow) -> Option<String> {
    flow.type_name.as_deref().and_then(names::ros1_type)
}

#[cfg(test)]
mod tests;
