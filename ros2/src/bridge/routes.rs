//! Does what the graph orders: opens and closes the two sides of each topic.
//!
//! A topic's publication or subscription of the link is there as long as its route is open: the link has places for 1024
//! of each at a time, and robots run for months.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokkyu_bridge::deaths::Deaths;
use tokkyu_bridge::target::{Incoming, TargetThread};
use tokkyu_contract::yaml::Site;
use tokkyu_contract::{Class, Durability, FlowId, MonoTime, TraceId};
use tokkyu_link::carrier::clock;
use tokkyu_link::core::{Endpoint, Publication, Subscription};
use tokkyu_link::runtime::Link;
use tokkyu_link::runtime::site::fifo;

use super::BridgeError;
use super::figures::Counts;
use super::gate::Gate;
use super::notice::Notices;
use super::source::{Feed, SourceThread};
use super::target::{self, Sink};
use crate::dds::{Participant, Writer};
use crate::graph::{Opening, marked};
use crate::message::Topic;

/// Longest time for which a topic without a writer is kept for what is under way of it.
const DRAIN_MAX: Duration = Duration::from_secs(10);

/// What all routes are made with.
pub(super) struct Means {
    pub(super) participant: Arc<Participant>,
    pub(super) site: Site,
    pub(super) priority: Option<u8>,
    pub(super) notices: Notices,
    pub(super) deaths: Deaths,
    pub(super) counts: Counts,
}

/// All topics that are open.
pub(super) struct Routes {
    means: Means,
    readers: BTreeMap<Class, SourceThread>,
    open_sources: BTreeMap<String, Class>,
    gate: Gate<Feed>,
    /// Topic of each publication by its flow in the link's events, until the link has withdrawn it.
    flows: HashMap<FlowId, String>,
    /// Topics that were closed, each with the time when it counts as settled at the latest.
    leaving: BTreeMap<String, MonoTime>,
    targets: BTreeMap<String, TargetThread>,
    /// Threads of topics that are gone, until they have ended.
    ending: BTreeMap<String, TargetThread>,
}

impl Routes {
    pub(super) fn new(means: Means) -> Routes {
        Routes {
            means,
            readers: BTreeMap::new(),
            open_sources: BTreeMap::new(),
            gate: Gate::new(),
            flows: HashMap::new(),
            leaving: BTreeMap::new(),
            targets: BTreeMap::new(),
            ending: BTreeMap::new(),
        }
    }

    pub(super) fn open_source(&mut self, link: &Link, opening: Opening) -> Result<(), BridgeError> {
        let (class, name) = (opening.class, opening.topic.name.clone());
        let publisher = link.publish(publication(&opening))?;
        self.flows.insert(publisher.flow(), name.clone());
        let count = self.means.counts.source(&name);
        // What a transient local topic keeps DDS gives once, and the link keeps it for whoever comes.
        let is_kept = opening.topic.qos.durability == Durability::TransientLocal;
        let flow = publisher.flow();
        let feed = Feed { opening, publisher, count };
        self.leaving.remove(&name);
        self.open_sources.insert(name, class);
        match if is_kept { Some(feed) } else { self.gate.pass(flow, feed) } {
            Some(feed) => self.read(feed),
            None => Ok(()),
        }
    }

    fn read(&mut self, feed: Feed) -> Result<(), BridgeError> {
        self.reader(feed.opening.class)?.open(feed);
        Ok(())
    }

    /// A publication of ours has a reader at the other end.
    pub(super) fn on_matched(&mut self, flow: FlowId) -> Result<(), BridgeError> {
        self.gate.on_matched(flow).map_or(Ok(()), |feed| self.read(feed))
    }

    /// It has none any more.
    pub(super) fn on_unmatched(&mut self, flow: FlowId) {
        self.gate.on_unmatched(flow);
    }

    /// The session is over.
    pub(super) fn on_down(&mut self) {
        self.gate.on_down();
    }

    pub(super) fn close_source(&mut self, topic: &str) {
        let class = self.open_sources.remove(topic);
        self.gate.retain(|feed| feed.opening.topic.name != topic);
        if let Some(thread) = class.and_then(|class| self.readers.get(&class)) {
            thread.close(topic);
        }
        self.leaving.insert(topic.to_owned(), clock::now() + DRAIN_MAX);
    }

    /// Topics that were closed and have nothing under way any more.
    pub(super) fn drained(&mut self, now: MonoTime) -> Vec<String> {
        let is_over =
            |name: &String, until: &MonoTime| now >= *until || !self.flows.values().any(|of| of == name);
        let over: Vec<String> =
            self.leaving.iter().filter(|(n, until)| is_over(n, until)).map(|(n, _)| n.clone()).collect();
        self.leaving.retain(|name, _| !over.contains(name));
        over
    }

    pub(super) fn open_target(&mut self, link: &Link, opening: Opening) -> Result<(), BridgeError> {
        let topic = &opening.topic;
        let user_data = marked(&topic.user_data);
        let participant = &self.means.participant;
        let (dds_topic, dds_type) = (&opening.dds_topic, &opening.dds_type);
        let writer =
            Writer::new(participant, dds_topic, dds_type, &topic.qos, topic.representation, &user_data)?;
        let subscriber = link.subscribe(subscription(topic))?;
        let name = topic.name.clone();
        let incoming = Incoming {
            subscriber,
            qos: topic.qos,
            class: opening.class,
            fifo_priority: fifo(&self.means.site, opening.class, self.means.priority),
            former: self.ending.remove(&name),
            deaths: self.means.deaths.clone(),
        };
        let (count, notices) = (self.means.counts.target(&name), self.means.notices.clone());
        let sink = Sink { topic: name.clone(), writer, count, notices };
        let thread = target::start(incoming, sink).map_err(super::source::SourceError::Thread)?;
        self.targets.insert(name, thread);
        Ok(())
    }

    pub(super) fn close_target(&mut self, topic: &str) {
        self.ending.retain(|_, target| !target.has_ended());
        if let Some(target) = self.targets.remove(topic) {
            target.end();
            self.ending.insert(topic.to_owned(), target);
        }
    }

    /// A sample of the peer's will never come.
    pub(super) fn on_missed(&self, id: TraceId) {
        self.targets.values().for_each(|target| target.on_missed(id));
    }

    /// The link has withdrawn an endpoint of ours: nothing more is told of it.
    pub(super) fn on_withdrawn(&mut self, endpoint: Endpoint) {
        if let Endpoint::Publication(flow) = endpoint {
            self.flows.remove(&flow);
            self.gate.on_unmatched(flow);
        }
    }

    /// The topic of a publication of ours.
    pub(super) fn topic_of(&self, flow: FlowId) -> Option<&str> {
        self.flows.get(&flow).map(String::as_str)
    }

    fn reader(&mut self, class: Class) -> Result<&SourceThread, BridgeError> {
        let Means { participant, site, priority, .. } = &self.means;
        match self.readers.entry(class) {
            Entry::Occupied(thread) => Ok(thread.into_mut()),
            Entry::Vacant(place) => {
                let fifo_priority = fifo(site, class, *priority);
                let thread = SourceThread::start(participant, class, fifo_priority, &self.means)?;
                Ok(place.insert(thread))
            }
        }
    }
}

impl Drop for Routes {
    /// All threads end at the same time, not one after the other.
    fn drop(&mut self) {
        self.targets.values().for_each(TargetThread::end);
    }
}

/// The link's publication of a topic. How often samples come and how large they are is not known of a ROS 2 topic before
/// they do: the link finds out.
fn publication(opening: &Opening) -> Publication {
    let Topic { type_name, qos, .. } = &opening.topic;
    Publication {
        topic: opening.topic.link_topic(),
        type_name: type_name.clone(),
        class: opening.class,
        qos: *qos,
        period: opening.period,
        size_bytes: opening.size_bytes,
    }
}

/// The link's subscription for a topic.
fn subscription(topic: &Topic) -> Subscription {
    Subscription { topic: topic.link_topic(), type_name: topic.type_name.clone(), qos: topic.qos }
}
