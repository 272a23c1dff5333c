//! Which topics cross, and what must be opened for it: the bridge's decisions, without DDS, link or clock.
//!
//! Pure. Facts come in by `on_*` events: what is in our domain, what the other bridge says. After each of them
//! [`Graph::orders`] gives what has to change, worked out anew from all facts: nothing depends on the order in which
//! they came, but for the type and the QoS of a topic, which stay as its first writer made them (ROS2-4, ROS2-10).
//!
//! ```text
//!  discovery ─► on_change ──┐                     ┌─► OpenSource, CloseSource   DDS reader and link publication
//!  other bridge ─► on_message ├─► facts ─► update ├─► OpenTarget, CloseTarget   link subscription and DDS writer
//!  silence ─► on_peer_gone ─┘                     ├─► Tell                      message to the other bridge
//!                                                 └─► reports                   what does not cross, and why
//! ```

mod mark;
mod report;
mod sources;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokkyu_bridge::flows::{is_carried, other};
use tokkyu_contract::yaml::robot::{Flow, Robot, Toward};
use tokkyu_contract::{Class, Qos, Rate};

use crate::endpoint::{Change, Endpoint, Guid, Role};
use crate::message::{ENTRIES_MAX, Message, Topic};
use crate::names::{self, Kind, Namespace};

pub use mark::{ENDPOINT_MARK, is_marked, mark, marked};
pub use report::Report;

/// Endpoints of a domain that are kept in mind at most (ROS2-24): more are passed over.
const ENDPOINTS_MAX: usize = 16 * 1024;

/// A topic's QoS, type and names: what both ends of a hop are opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// As the other bridge is told.
    pub topic: Topic,
    /// The topic's name in our domain, as DDS calls it.
    pub dds_topic: String,
    /// The type as DDS calls it.
    pub dds_type: String,
    /// Class of the flow it belongs to.
    pub class: Class,
    /// Time between two samples, if the flow says how many there are in a second.
    pub period: Option<Duration>,
    /// Largest sample, if the flow says so; else 0.
    pub size_bytes: u32,
}

/// Something has to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Read a topic of our domain and send it.
    OpenSource(Opening),
    /// Read it no more.
    CloseSource(String),
    /// Receive a topic and write it into our domain.
    OpenTarget(Opening),
    /// Its last writer is gone.
    CloseTarget(String),
    /// The other bridge must know.
    Tell(Message),
}

impl Order {
    /// The topic it opens.
    pub fn opens(&self) -> Option<&str> {
        match self {
            Order::OpenSource(opening) | Order::OpenTarget(opening) => Some(&opening.topic.name),
            Order::CloseSource(_) | Order::CloseTarget(_) | Order::Tell(_) => None,
        }
    }
}

/// What this end is.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Which end of the link.
    pub end: Toward,
    /// Names this run of the bridge.
    pub instance: u64,
    /// Stands before the names in our domain.
    pub namespace: Namespace,
}

/// A topic that has a writer in our domain.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    opening: Opening,
    is_read: bool,
}

/// Everything that is known.
#[derive(Debug)]
pub struct Graph {
    identity: Identity,
    robot: Robot,
    endpoints: BTreeMap<(Role, Guid), Endpoint>,
    /// Participants that are bridges, by their instance.
    bridges: BTreeMap<Guid, u64>,
    peer: Option<Message>,
    sources: BTreeMap<String, Source>,
    /// Topics whose last writer has gone while the link still has samples of them: the other end is told of them until
    /// it has these.
    leaving: BTreeMap<String, Topic>,
    targets: BTreeMap<String, Opening>,
    /// The last QoS and type of each topic we were the source of, with its generation.
    generations: BTreeMap<String, Topic>,
    /// Topics that could not be opened, until they may be tried again.
    paused: BTreeSet<String>,
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
            identity,
            robot,
            endpoints: BTreeMap::new(),
            bridges: BTreeMap::new(),
            peer: None,
            sources: BTreeMap::new(),
            leaving: BTreeMap::new(),
            targets: BTreeMap::new(),
            generations: BTreeMap::new(),
            paused: BTreeSet::new(),
            is_news: true,
            told: None,
            standing: BTreeSet::new(),
            news: Vec::new(),
            orders: Vec::new(),
        }
    }

    /// Something changed in our domain.
    pub fn on_change(&mut self, change: Change) {
        self.is_news = true;
        match change {
            Change::Endpoint(endpoint) => {
                let key = (endpoint.role, endpoint.guid);
                if self.endpoints.len() < ENDPOINTS_MAX || self.endpoints.contains_key(&key) {
                    self.endpoints.insert(key, endpoint);
                }
            }
            Change::EndpointGone(role, guid) => drop(self.endpoints.remove(&(role, guid))),
            Change::Participant(guid, user_data) => self.on_participant(guid, &user_data),
            Change::ParticipantGone(guid) => drop(self.bridges.remove(&guid)),
        }
    }

    fn on_participant(&mut self, guid: Guid, user_data: &[u8]) {
        if let Some(instance) = mark::instance_in(user_data) {
            self.bridges.insert(guid, instance);
        }
    }

    /// The other bridge says what it has and wants. False if it is older than what it said before (ROS2-34).
    pub fn on_message(&mut self, message: Message) -> bool {
        let is_old = |known: &Message| known.instance == message.instance && known.number >= message.number;
        if self.peer.as_ref().is_some_and(is_old) {
            return false;
        }
        if self.peer.as_ref().is_some_and(|known| known.instance != message.instance) {
            // Another run: what the former had is closed before what this one has is opened (ROS2-23).
            self.on_peer_gone();
            self.update();
        }
        self.peer = Some(message);
        self.is_news = true;
        true
    }

    /// Nothing was heard of the other bridge for the linger time (ROS2-22).
    pub fn on_peer_gone(&mut self) {
        self.peer = None;
        self.is_news = true;
    }

    /// What a source that was closed had under way is settled (ROS2-20).
    pub fn on_drained(&mut self, topic: &str) {
        self.is_news |= self.leaving.remove(topic).is_some();
    }

    /// A topic could not be opened: it counts as closed, and is left alone until its pause is over.
    pub fn on_not_opened(&mut self, topic: &str) {
        if let Some(source) = self.sources.get_mut(topic) {
            source.is_read = false;
        }
        self.targets.remove(topic);
        self.paused.insert(topic.to_owned());
        self.is_news = true;
    }

    /// It may be tried again.
    pub fn on_pause_over(&mut self, topic: &str) {
        self.is_news |= self.paused.remove(topic);
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

    /// What came to stand in the way since it was asked last (ROS2-40).
    pub fn reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.news)
    }

    fn update(&mut self) {
        let mut standing = BTreeSet::new();
        self.update_sources(&mut standing);
        self.update_targets(&mut standing);
        self.refuse_services(&mut standing);
        if self.is_in_one_domain() {
            standing.insert(Report::one_domain());
        }
        self.news.extend(standing.difference(&self.standing).cloned());
        self.standing = standing;
    }

    /// A message whenever there is something new in it.
    fn tell(&mut self) {
        let topics = self.topics();
        let wanted = self.wanted();
        let said = self.told.as_ref();
        let number = said.map_or(1, |said| said.number + 1);
        let mut message = Message { instance: self.identity.instance, number, topics, wanted };
        let is_new = |message: &Message| {
            said.is_none_or(|said| said.topics != message.topics || said.wanted != message.wanted)
        };
        if !is_new(&message) {
            return;
        }
        let left_out = message.fit();
        if is_new(&message) {
            self.news.extend(left_out.map(Report::no_room));
            self.say(message);
        }
    }

    /// Topics the other end is told of, by name: those there are, then those that leave as far as there is room.
    fn topics(&self) -> Vec<Topic> {
        let room = ENTRIES_MAX - self.sources.len();
        let there = self.sources.values().map(|source| &source.opening.topic);
        let topics = there.chain(self.leaving.values().take(room));
        let topics: BTreeMap<&str, &Topic> = topics.map(|topic| (topic.name.as_str(), topic)).collect();
        topics.into_values().cloned().collect()
    }

    fn say(&mut self, message: Message) {
        self.told = Some(message.clone());
        self.orders.push(Order::Tell(message));
    }

    /// Both bridges are in one DDS domain (ROS2-32).
    fn is_in_one_domain(&self) -> bool {
        self.peer
            .as_ref()
            .is_some_and(|peer| self.bridges.values().any(|instance| *instance == peer.instance))
    }

    /// Endpoints of `role` that no bridge made, with their topic's name beyond our domain.
    fn endpoints_of(&self, role: Role) -> impl Iterator<Item = (String, &Endpoint)> {
        self.foreign().filter(move |endpoint| endpoint.role == role).filter_map(|endpoint| {
            match names::kind_of(&endpoint.topic) {
                Kind::Topic(name) => Some((self.identity.namespace.outside(&name)?.to_owned(), endpoint)),
                Kind::Service(_) | Kind::Other => None,
            }
        })
    }

    fn foreign(&self) -> impl Iterator<Item = &Endpoint> {
        let is_a_bridge_s = |endpoint: &Endpoint| {
            self.bridges.contains_key(&endpoint.participant) || is_marked(&endpoint.user_data)
        };
        self.endpoints.values().filter(move |endpoint| !is_a_bridge_s(endpoint))
    }

    /// The flow that carries `topic` toward `end`.
    fn flow_toward(&self, topic: &str, end: Toward) -> Option<&Flow> {
        self.robot.flow_of(topic).filter(|flow| flow.toward == end && is_carried(flow))
    }

    fn other_end(&self) -> Toward {
        other(self.identity.end)
    }

    fn opening(&self, topic: Topic, flow: &Flow) -> Opening {
        let dds_topic = names::dds_topic(&self.identity.namespace.inside(&topic.name));
        let dds_type = names::dds_type(&topic.type_name).expect("checked when it was taken up");
        let size_bytes = flow.size.map_or(0, |size| u32::try_from(size.0).unwrap_or(u32::MAX));
        Opening {
            topic,
            dds_topic,
            dds_type,
            class: flow.class,
            period: flow.rate.map(Rate::period),
            size_bytes,
        }
    }

    /// Services that a flow names (ROS2-5).
    fn refuse_services(&self, standing: &mut BTreeSet<Report>) {
        for endpoint in self.foreign() {
            let Kind::Service(name) = names::kind_of(&endpoint.topic) else { continue };
            let Some(name) = self.identity.namespace.outside(&name) else { continue };
            let name = name.split("/_action/").next().unwrap_or(name);
            if self.robot.flow_of(name).is_some() {
                standing.insert(Report::service(name));
            }
        }
    }
}

/// Whether a reader that requests `requested` matches a writer that offers `offered`.
fn is_compatible(requested: &Qos, offered: &Qos) -> bool {
    requested.mismatches(offered).is_empty()
}

#[cfg(test)]
mod tests;
