//! Topics of this end that go to the other: NODE-90, NODE-91, NODE-93, NODE-95.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokkyu_bridge::flows::is_carried;
use tokkyu_contract::yaml::robot::Flow;
use tokkyu_contract::{Durability, MonoTime};

use super::{Graph, Order, Report, Wish, declared_type};
use crate::master::State;
use crate::message::{CARRIED_MAX_BYTES, DEFINITION_MAX_BYTES, ENTRIES_MAX, Topic};
use crate::names;

/// A topic whose publishers are all gone for so long has ended.
const GONE_AFTER: Duration = Duration::from_secs(1);
/// Looks at the master in which a publisher that was heard is not named, after which it counts as gone: one may have been
/// under way when it came.
const LOOKS_MISSED: u8 = 2;
/// Publishers of one topic that are kept in mind at most.
const PUBLISHERS_MAX: usize = 256;

/// A publisher of this end, as its connection header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// Its name.
    pub node: String,
    /// The type it publishes.
    pub type_name: String,
    /// That type's md5sum.
    pub md5sum: String,
    /// That type's text.
    pub definition: String,
    /// Whether it keeps its last message for who subscribes later.
    pub is_latched: bool,
}

/// A topic that is subscribed to.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// In the order in which they were heard first, and how many looks at the master have missed each since.
    publishers: Vec<(Publisher, u8)>,
    /// What the topic is, as its first publisher says.
    pub(super) life: Option<Topic>,
    /// Whether it is sent.
    pub(super) is_open: bool,
    is_linked: bool,
    /// Since when it has had no publisher.
    empty_since: Option<MonoTime>,
    /// It is to be subscribed to anew: what has another type may be what it is now.
    begins_anew: bool,
}

impl Source {
    /// Its publishers are gone for good.
    pub(super) fn is_over(&self, now: MonoTime) -> bool {
        self.life.is_some() && self.empty_since.is_some_and(|since| now.since(since) >= GONE_AFTER)
    }

    fn is_of_life(&self, publisher: &Publisher) -> bool {
        let same = |life: &Topic| life.type_name == publisher.type_name && life.md5sum == publisher.md5sum;
        self.life.as_ref().is_some_and(same) && !names::is_bridge(&publisher.node)
    }

    /// None of those that made the topic what it is are there, and somebody is with a type that it may have.
    fn is_taken_over(&self, declared: Option<&str>) -> bool {
        let may_be = |publisher: &Publisher| {
            is_message(publisher)
                && !names::is_bridge(&publisher.node)
                && declared.is_none_or(|declared| declared == publisher.type_name)
        };
        self.life.is_some()
            && !self.publishers.iter().any(|(publisher, _)| self.is_of_life(publisher))
            && self.publishers.iter().any(|(publisher, _)| may_be(publisher))
    }
}

impl Graph {
    /// A look at the master.
    pub fn on_master(&mut self, state: State) {
        let nobody = BTreeSet::new();
        for (name, source) in &mut self.sources {
            let named =
                state.publishers.get(&names::global(&self.identity.namespace, name)).unwrap_or(&nobody);
            for (publisher, missed) in &mut source.publishers {
                *missed = if named.contains(&publisher.node) { 0 } else { missed.saturating_add(1) };
            }
            source.publishers.retain(|(_, missed)| *missed < LOOKS_MISSED);
            let declared = self.robot.flow_of(name).and_then(declared_type);
            source.begins_anew |= source.is_taken_over(declared.as_deref());
        }
        self.master = state;
        self.is_stranger = false;
        self.is_news = true;
    }

    /// A publisher's connection header has come.
    pub fn on_heard(&mut self, topic: &str, publisher: Publisher) {
        let Some(source) = self.sources.get_mut(topic) else { return };
        // It may have another type than before.
        source.publishers.retain(|(known, _)| known.node != publisher.node);
        if source.publishers.len() < PUBLISHERS_MAX {
            source.publishers.push((publisher, 0));
        }
        (source.is_linked, source.empty_since) = (true, None);
        self.is_news = true;
    }

    /// It could not be subscribed to: it is left alone until its pause is over.
    pub fn on_not_subscribed(&mut self, topic: &str) {
        if self.sources.get(topic).is_some_and(|source| source.is_open) {
            self.orders.push(Order::CloseSource(topic.to_owned()));
        }
        self.sources.remove(topic);
        self.paused.insert(topic.to_owned());
        self.is_news = true;
    }

    /// Whether a topic is linked to a publisher now.
    pub fn on_linked(&mut self, topic: &str, is_linked: bool, now: MonoTime) {
        let Some(source) = self.sources.get_mut(topic) else { return };
        self.is_news |= source.is_linked != is_linked;
        source.is_linked = is_linked;
        source.empty_since = if is_linked { None } else { source.empty_since.or(Some(now)) };
    }

    pub(super) fn update_sources(&mut self, standing: &mut BTreeSet<Report>) {
        let found = self.find_topics(standing);
        let is_to_go = |(name, source): &(&String, &Source)| !found.contains_key(*name) || source.begins_anew;
        let to_go: Vec<String> = self.sources.iter().filter(is_to_go).map(|(name, _)| name.clone()).collect();
        for name in to_go {
            self.end_life(&name);
            self.sources.remove(&name);
            self.orders.push(Order::Unsubscribe(name));
        }
        for (name, wish) in found {
            if self.sources.contains_key(&name) {
                continue;
            }
            if self.sources.len() == ENTRIES_MAX {
                standing.insert(Report::too_many(&name));
                break;
            }
            self.sources.insert(name, Source::default());
            self.orders.push(Order::Subscribe(wish));
        }
        for name in self.sources.keys().cloned().collect::<Vec<_>>() {
            self.update_life(&name, standing);
            self.open_or_close(&name);
        }
    }

    /// Topics to subscribe to: those that are declared by name, and those of patterns that somebody publishes.
    fn find_topics(&self, standing: &mut BTreeSet<Report>) -> BTreeMap<String, Wish> {
        if self.is_at_one_master() {
            return BTreeMap::new();
        }
        let toward = self.other_end();
        let is_ours = |flow: &&Flow| flow.toward == toward && is_carried(flow);
        let exact = self.robot.flows.iter().filter(is_ours).filter(|flow| !flow.is_pattern());
        let linked = self.sources.iter().filter(|(_, source)| source.is_linked || source.life.is_some());
        let mut names: BTreeSet<&str> = exact.map(|flow| flow.name.as_str()).collect();
        names.extend(linked.map(|(name, _)| name.as_str()));
        names.extend(self.published());
        let mut found = BTreeMap::new();
        for name in names {
            let Some(flow) = self.flow_toward(name, toward) else { continue };
            if self.paused.contains(name) && !self.sources.contains_key(name) {
                continue;
            } else if self.is_own_log(name) {
                standing.insert(Report::own_log());
            } else if name.len() > CARRIED_MAX_BYTES {
                standing.insert(Report::too_long(name));
            } else {
                found.insert(name.to_owned(), self.wish(name, flow));
            }
        }
        found
    }

    /// Topics that a node other than a bridge publishes, as the master says.
    fn published(&self) -> impl Iterator<Item = &str> {
        let is_published = |nodes: &BTreeSet<String>| nodes.iter().any(|node| !names::is_bridge(node));
        let topics = self.master.publishers.iter().filter(move |(_, nodes)| is_published(nodes));
        let outside = topics.filter_map(|(global, _)| names::outside(&self.identity.namespace, global));
        outside.filter(|name| names::is_topic(name))
    }

    /// The topic on which each node, ours as well, says what it logs.
    pub(super) fn is_own_log(&self, name: &str) -> bool {
        names::global(&self.identity.namespace, name) == "/rosout"
    }

    fn wish(&self, name: &str, flow: &Flow) -> Wish {
        Wish {
            topic: name.to_owned(),
            global: names::global(&self.identity.namespace, name),
            class: flow.class,
            depth: flow.qos.depth(),
            is_kept: flow.qos.durability == Durability::TransientLocal,
        }
    }

    /// A topic is what its first publisher says, until its last one has gone.
    fn update_life(&mut self, name: &str, standing: &mut BTreeSet<Report>) {
        if self.sources.get(name).is_some_and(|source| source.is_over(self.now)) {
            self.end_life(name);
            self.sources.entry(name.to_owned()).and_modify(|source| source.publishers.clear());
        }
        let declared = self.flow_toward(name, self.other_end()).and_then(declared_type);
        let next = self.generation.wrapping_add(1).max(1);
        let Some(source) = self.sources.get_mut(name) else { return };
        for (publisher, _) in &source.publishers {
            match against(name, publisher, declared.as_deref(), source.life.as_ref()) {
                Some(report) => drop(standing.insert(report)),
                None if source.life.is_none() => {
                    self.generation = next;
                    source.life = Some(topic_of(name, publisher, next));
                }
                None => {}
            }
        }
    }

    fn end_life(&mut self, name: &str) {
        let Some(source) = self.sources.get_mut(name) else { return };
        source.life = None;
        if std::mem::take(&mut source.is_open) {
            self.orders.push(Order::CloseSource(name.to_owned()));
        }
    }

    /// A topic is sent while somebody wants it; one that is kept always: its last samples were published once (NODE-93).
    fn open_or_close(&mut self, name: &str) {
        let Some(source) = self.sources.get(name) else { return };
        let (is_open, life) = (source.is_open, source.life.clone());
        let opening = life.and_then(|topic| {
            let flow = self.flow_toward(name, self.other_end())?;
            Some(self.opening(topic, flow))
        });
        let opening = opening.filter(|opening| {
            let is_wanted =
                || self.peer.as_ref().is_some_and(|peer| peer.wanted.contains(&opening.topic.link_topic()));
            !self.paused.contains(name) && (opening.is_kept() || is_wanted())
        });
        let order = match (is_open, opening) {
            (false, Some(opening)) => Order::OpenSource(opening),
            (true, None) => Order::CloseSource(name.to_owned()),
            _ => return,
        };
        if let Some(source) = self.sources.get_mut(name) {
            source.is_open = !is_open;
        }
        self.orders.push(order);
    }
}

/// What keeps a publisher's samples of `topic` from crossing, if anything does.
fn against(
    topic: &str,
    publisher: &Publisher,
    declared: Option<&str>,
    life: Option<&Topic>,
) -> Option<Report> {
    let Publisher { node, type_name, md5sum, .. } = publisher;
    if names::is_bridge(node) {
        return Some(Report::looped(topic, node));
    }
    if !is_message(publisher) {
        return Some(Report::no_type(topic, publisher));
    }
    if let Some(declared) = declared.filter(|declared| declared != type_name) {
        return Some(Report::other_type(topic, publisher, declared, ""));
    }
    let life = life.filter(|life| life.type_name != *type_name || life.md5sum != *md5sum)?;
    Some(Report::other_type(topic, publisher, &life.type_name, &life.md5sum))
}

fn is_message(publisher: &Publisher) -> bool {
    names::ros1_type(&publisher.type_name).as_ref() == Some(&publisher.type_name)
        && names::is_md5sum(&publisher.md5sum)
}

fn topic_of(name: &str, publisher: &Publisher, generation: u32) -> Topic {
    let fits = publisher.definition.len() <= DEFINITION_MAX_BYTES;
    Topic {
        name: name.to_owned(),
        type_name: publisher.type_name.clone(),
        md5sum: publisher.md5sum.clone(),
        definition: if fits { publisher.definition.clone() } else { String::new() },
        is_latched: publisher.is_latched,
        generation,
    }
}
