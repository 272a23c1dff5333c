//! Does what the graph orders: opens and closes the two sides of each topic.
//!
//! A topic's publication or subscription of the link is there as long as its route is open: the link has places for 1024
//! of each at a time, and robots run for months.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use tokkyu_bridge::deaths::Deaths;
use tokkyu_bridge::target::{Incoming, TargetThread};
use tokkyu_contract::yaml::Site;
use tokkyu_contract::{FlowId, TraceId};
use tokkyu_link::core::{Endpoint, Publication, Subscription as LinkSubscription};
use tokkyu_link::runtime::Link;
use tokkyu_link::runtime::site::fifo;
use tokkyu_node::{Origin, Subscription};

use super::BridgeError;
use super::figures::{Register, SourceFigures, TargetFigures};
use super::ros::{Notice, Ros};
use super::source::{Lane, publisher};
use super::target::{Sink, Target};
use crate::graph::{Opening, Publisher, Wish};

/// A topic that is subscribed to, or will be when the master answers.
struct Route {
    lane: Arc<Lane>,
    subscription: Option<Subscription>,
    /// Links that there were at the last look.
    links: Vec<u32>,
}

/// All topics that are open.
pub(super) struct Routes {
    sources: BTreeMap<String, Route>,
    /// Topic of each publication by its flow in the link's events, until the link has withdrawn it.
    flows: HashMap<FlowId, String>,
    targets: BTreeMap<String, Target>,
    /// Threads of topics that are gone, until they have ended.
    ending: BTreeMap<String, TargetThread>,
    source_figures: Register<SourceFigures>,
    target_figures: Register<TargetFigures>,
    site: Site,
    priority: Option<u8>,
    notices: Sender<Notice>,
    deaths: Deaths,
}

impl Routes {
    pub(super) fn new(site: Site, priority: Option<u8>, notices: Sender<Notice>, deaths: Deaths) -> Routes {
        Routes {
            sources: BTreeMap::new(),
            flows: HashMap::new(),
            targets: BTreeMap::new(),
            ending: BTreeMap::new(),
            source_figures: Register::new(),
            target_figures: Register::new(),
            site,
            priority,
            notices,
            deaths,
        }
    }

    pub(super) fn subscribe(&mut self, ros: &Ros, wish: Wish) {
        let topic = wish.topic.clone();
        let first = SourceFigures { topic: topic.clone(), ..SourceFigures::default() };
        let figures = self.source_figures.of(&topic, first);
        let lane = Arc::new(Lane::new(&topic, wish.is_kept, figures, self.notices.clone()));
        self.sources.insert(topic, Route { lane: Arc::clone(&lane), subscription: None, links: Vec::new() });
        ros.subscribe(wish, lane);
    }

    /// The master knows of it. One that is not wanted any more ends here.
    pub(super) fn on_subscribed(&mut self, lane: &Arc<Lane>, subscription: Subscription) {
        if let Some(route) = self.sources.get_mut(lane.topic()).filter(|route| Arc::ptr_eq(&route.lane, lane))
        {
            route.subscription = Some(subscription);
        }
    }

    pub(super) fn unsubscribe(&mut self, topic: &str) {
        self.sources.remove(topic);
    }

    pub(super) fn open_source(&mut self, link: &Link, opening: Opening) -> Result<(), BridgeError> {
        let Some(route) = self.sources.get(&opening.topic.name) else { return Ok(()) };
        let publisher = link.publish(publication(&opening))?;
        self.flows.insert(publisher.flow(), opening.topic.name.clone());
        route.lane.open(publisher, opening);
        Ok(())
    }

    pub(super) fn close_source(&mut self, topic: &str) {
        self.sources.get(topic).iter().for_each(|route| route.lane.close());
    }

    pub(super) fn open_target(
        &mut self,
        link: &Link,
        ros: &Ros,
        opening: Opening,
    ) -> Result<(), BridgeError> {
        let topic = &opening.topic;
        let subscriber = link.subscribe(LinkSubscription {
            topic: topic.link_topic(),
            type_name: topic.type_name.clone(),
            qos: opening.qos,
        })?;
        let name = topic.name.clone();
        let first = TargetFigures { topic: name.clone(), ..TargetFigures::default() };
        let incoming = Incoming {
            subscriber,
            qos: opening.qos,
            class: opening.class,
            fifo_priority: fifo(&self.site, opening.class, self.priority),
            former: self.ending.remove(&name),
            deaths: self.deaths.clone(),
        };
        let (node, notices) = (ros.node().clone(), self.notices.clone());
        let sink = Sink { opening, node, figures: self.target_figures.of(&name, first), notices };
        self.targets.insert(name, Target::start(incoming, sink)?);
        Ok(())
    }

    pub(super) fn close_target(&mut self, topic: &str) {
        self.ending.retain(|_, thread| !thread.has_ended());
        if let Some(Target { thread, .. }) = self.targets.remove(topic) {
            thread.end();
            self.ending.insert(topic.to_owned(), thread);
        }
    }

    /// For each topic that is subscribed to, whether it is linked to a publisher, and those that are new since it was asked last.
    pub(super) fn linked(&mut self) -> Vec<(String, bool, Vec<Publisher>)> {
        let look = |(topic, route): (&String, &mut Route)| {
            let origins = route.subscription.as_ref()?.origins();
            let is_new = |origin: &&Arc<Origin>| !route.links.contains(&origin.link);
            let publishers = origins.iter().filter(is_new).map(|origin| publisher(origin)).collect();
            route.links = origins.iter().map(|origin| origin.link).collect();
            Some((topic.clone(), !origins.is_empty(), publishers))
        };
        self.sources.iter_mut().filter_map(look).collect()
    }

    /// Whether each topic that is published here has a reader.
    pub(super) fn demand(&self) -> impl Iterator<Item = (&str, bool)> {
        self.targets.iter().map(|(topic, target)| (topic.as_str(), target.is_wanted()))
    }

    /// A sample of the peer's will never come.
    pub(super) fn on_missed(&self, id: TraceId) {
        self.targets.values().for_each(|target| target.thread.on_missed(id));
    }

    /// The link has withdrawn an endpoint of ours: nothing more is told of it.
    pub(super) fn on_withdrawn(&mut self, endpoint: Endpoint) {
        if let Endpoint::Publication(flow) = endpoint {
            self.flows.remove(&flow);
        }
    }

    /// The link refused samples of a publication of ours; gives its topic.
    pub(super) fn on_refused(&self, flow: FlowId, samples: u64) -> Option<&str> {
        let topic = self.topic_of(flow)?;
        self.sources.get(topic).iter().for_each(|route| route.lane.figures().on_refused(samples));
        Some(topic)
    }

    /// A publication of ours has a reader at the other end; gives what is sent from now on.
    pub(super) fn on_matched(&self, flow: FlowId) -> Option<Opening> {
        self.sources.get(self.topic_of(flow)?)?.lane.on_matched(flow)
    }

    /// The topic of a publication of ours.
    pub(super) fn topic_of(&self, flow: FlowId) -> Option<&str> {
        self.flows.get(&flow).map(String::as_str)
    }

    pub(super) fn figures(&self) -> (Vec<SourceFigures>, Vec<TargetFigures>) {
        (self.source_figures.read(), self.target_figures.read())
    }

    /// All threads are to end, at the same time, not one after the other.
    pub(super) fn end(&self) {
        self.targets.values().for_each(|target| target.thread.end());
    }
}

/// The link's publication of a topic. What the flow does not say of how often samples come and how large they are the link
/// finds out.
fn publication(opening: &Opening) -> Publication {
    Publication {
        topic: opening.topic.link_topic(),
        type_name: opening.topic.type_name.clone(),
        class: opening.class,
        qos: opening.qos,
        period: opening.period,
        size_bytes: opening.size_bytes,
    }
}
