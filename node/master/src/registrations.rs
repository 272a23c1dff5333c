//! Who publishes, subscribes to and offers what.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Names of each kind (NODE-125).
const NAMES_MOST: usize = 4096;
/// What a subscriber says that takes any type.
const ANY: &str = "*";

/// There are as many names already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// On which side of a topic a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Publisher,
    Subscriber,
}

/// A topic that somebody publishes or subscribes to; nodes in the order in which they came.
#[derive(Debug, Default)]
struct Topic {
    kind: String,
    publishers: Vec<String>,
    subscribers: Vec<String>,
}

impl Topic {
    fn side(&mut self, side: Side) -> &mut Vec<String> {
        match side {
            Side::Publisher => &mut self.publishers,
            Side::Subscriber => &mut self.subscribers,
        }
    }

    fn names(&self, node: &str) -> bool {
        self.publishers.iter().chain(&self.subscribers).any(|other| other == node)
    }
}

/// Of a service, who offers it and where.
#[derive(Debug)]
struct Offer {
    node: String,
    uri: String,
}

/// What others are to be told of.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// Topics whose publishers are others now.
    pub(crate) topics: Vec<String>,
    /// Where a node was that is elsewhere now.
    pub(crate) gone: Option<String>,
}

/// A name, and the nodes that have it.
pub(crate) type Holders = (String, Vec<String>);

/// Nodes by name, and what they have.
#[derive(Debug, Default)]
pub(crate) struct Registrations {
    /// Of each its own XML-RPC.
    nodes: BTreeMap<String, String>,
    topics: BTreeMap<String, Topic>,
    services: BTreeMap<String, Offer>,
    watched: BTreeMap<String, Vec<String>>,
}

fn check_room<T>(names: &BTreeMap<String, T>, name: &str) -> Result<(), TooMany> {
    if names.len() < NAMES_MOST || names.contains_key(name) { Ok(()) } else { Err(TooMany) }
}

fn without(nodes: &mut Vec<String>, node: &str) -> bool {
    let before = nodes.len();
    nodes.retain(|other| other != node);
    nodes.len() < before
}

impl Registrations {
    /// The node is there. If it was elsewhere before, nothing of that is left (NODE-124).
    fn meet(&mut self, node: &str, uri: &str) -> Result<Changed, TooMany> {
        check_room(&self.nodes, node)?;
        let gone = self.nodes.get(node).filter(|known| *known != uri).cloned();
        let topics = if gone.is_some() { self.forget(node) } else { Vec::new() };
        self.nodes.insert(node.to_owned(), uri.to_owned());
        Ok(Changed { topics, gone })
    }

    /// It has nothing any more; topics that it published.
    fn forget(&mut self, node: &str) -> Vec<String> {
        let mut published = Vec::new();
        for (name, topic) in &mut self.topics {
            if without(&mut topic.publishers, node) {
                published.push(name.clone());
            }
            without(&mut topic.subscribers, node);
        }
        self.services.retain(|_, offer| offer.node != node);
        for watchers in self.watched.values_mut() {
            without(watchers, node);
        }
        self.clean();
        published
    }

    /// Names that nobody has are gone, and so are nodes that have none.
    fn clean(&mut self) {
        self.topics.retain(|_, topic| !topic.publishers.is_empty() || !topic.subscribers.is_empty());
        self.watched.retain(|_, watchers| !watchers.is_empty());
        let Registrations { nodes, topics, services, watched } = self;
        nodes.retain(|node, _| {
            topics.values().any(|topic| topic.names(node))
                || services.values().any(|offer| offer.node == *node)
                || watched.values().flatten().any(|watcher| watcher == node)
        });
    }

    /// A node takes a side of a topic.
    pub(crate) fn join(
        &mut self,
        side: Side,
        node: &str,
        topic: &str,
        (kind, uri): (&str, &str),
    ) -> Result<Changed, TooMany> {
        check_room(&self.topics, topic)?;
        let mut changed = self.meet(node, uri)?;
        let entry = self.topics.entry(topic.to_owned()).or_default();
        // Who publishes knows the type; who subscribes may take any.
        if entry.kind.is_empty() || entry.kind == ANY || (side == Side::Publisher && kind != ANY) {
            kind.clone_into(&mut entry.kind);
        }
        let nodes = entry.side(side);
        if !nodes.iter().any(|other| other == node) {
            nodes.push(node.to_owned());
        }
        if side == Side::Publisher {
            changed.topics.retain(|other| other != topic);
            changed.topics.push(topic.to_owned());
        }
        Ok(changed)
    }

    /// It leaves, if it is the one that lives there. Whether it was there.
    pub(crate) fn leave(&mut self, side: Side, node: &str, topic: &str, uri: &str) -> bool {
        let is_it = self.nodes.get(node).is_some_and(|known| known == uri);
        let was_there =
            is_it && self.topics.get_mut(topic).is_some_and(|topic| without(topic.side(side), node));
        self.clean();
        was_there
    }

    /// Offers a service; who did before does no more.
    pub(crate) fn offer(
        &mut self,
        node: &str,
        service: &str,
        (service_uri, uri): (&str, &str),
    ) -> Result<Changed, TooMany> {
        check_room(&self.services, service)?;
        let changed = self.meet(node, uri)?;
        let offer = Offer { node: node.to_owned(), uri: service_uri.to_owned() };
        self.services.insert(service.to_owned(), offer);
        self.clean();
        Ok(changed)
    }

    /// Whether it was there.
    pub(crate) fn end_offer(&mut self, service: &str, service_uri: &str) -> bool {
        let is_it = self.services.get(service).is_some_and(|offer| offer.uri == service_uri);
        if is_it {
            self.services.remove(service);
            self.clean();
        }
        is_it
    }

    pub(crate) fn watch(&mut self, node: &str, key: &str, uri: &str) -> Result<Changed, TooMany> {
        check_room(&self.watched, key)?;
        let changed = self.meet(node, uri)?;
        let watchers = self.watched.entry(key.to_owned()).or_default();
        if !watchers.iter().any(|other| other == node) {
            watchers.push(node.to_owned());
        }
        Ok(changed)
    }

    /// Whether it did.
    pub(crate) fn unwatch(&mut self, node: &str, key: &str) -> bool {
        let did = self.watched.get_mut(key).is_some_and(|watchers| without(watchers, node));
        self.clean();
        did
    }

    /// Where a node is.
    pub(crate) fn node(&self, name: &str) -> Option<&str> {
        self.nodes.get(name).map(String::as_str)
    }

    /// Where a service is.
    pub(crate) fn service(&self, name: &str) -> Option<&str> {
        self.services.get(name).map(|offer| offer.uri.as_str())
    }

    /// Where those are who are on that side of a topic.
    pub(crate) fn uris(&self, side: Side, topic: &str) -> Vec<String> {
        let Some(topic) = self.topics.get(topic) else { return Vec::new() };
        let nodes = match side {
            Side::Publisher => &topic.publishers,
            Side::Subscriber => &topic.subscribers,
        };
        nodes.iter().filter_map(|node| self.nodes.get(node).cloned()).collect()
    }

    /// Parameters that somebody watches, and where who does is.
    pub(crate) fn watched(&self) -> impl Iterator<Item = (&str, Vec<String>)> {
        let uris =
            |nodes: &Vec<String>| nodes.iter().filter_map(|node| self.nodes.get(node).cloned()).collect();
        self.watched.iter().map(move |(key, nodes)| (key.as_str(), uris(nodes)))
    }

    /// Topics and their types; `published`: only those that somebody publishes, in that namespace.
    pub(crate) fn kinds(&self, published: Option<&str>) -> Vec<(String, String)> {
        let is_asked = |name: &str, topic: &Topic| match published {
            None => true,
            Some(namespace) => !topic.publishers.is_empty() && name.starts_with(namespace),
        };
        let asked = self.topics.iter().filter(|(name, topic)| is_asked(name, topic));
        asked.map(|(name, topic)| (name.clone(), topic.kind.clone())).collect()
    }

    /// Publishers, subscribers, services: names, and the nodes that have them.
    pub(crate) fn state(&self) -> [Vec<Holders>; 3] {
        let side = |of: fn(&Topic) -> &Vec<String>| {
            let all = self.topics.iter().map(|(name, topic)| (name.clone(), of(topic).clone()));
            all.filter(|(_, nodes)| !nodes.is_empty()).collect()
        };
        let offered = self.services.iter().map(|(name, offer)| (name.clone(), [offer.node.clone()].into()));
        [side(|topic| &topic.publishers), side(|topic| &topic.subscribers), offered.collect()]
    }
}
