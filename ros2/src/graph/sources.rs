//! Topics of our domain that go to the other end: ROS2-4, ROS2-7, ROS2-10, ROS2-20, ROS2-21.

use std::collections::{BTreeMap, BTreeSet};

use tokkyu_contract::{Durability, Qos};

use super::{Graph, Order, Report, Source, is_compatible};
use crate::endpoint::{Endpoint, Representation, Role};
use crate::message::{CARRIED_MAX_BYTES, ENTRIES_MAX, Topic, USER_DATA_MAX_BYTES};
use crate::names;
use crate::qos;

impl Graph {
    pub(super) fn update_sources(&mut self, standing: &mut BTreeSet<Report>) {
        let mut found = self.find_sources(standing);
        let goes_on = |source: &Source, found: &Topic| {
            let topic = &source.opening.topic;
            is_alike(topic, found) && topic.qos == found.qos && topic.generation == found.generation
        };
        let is_over = |(name, source): &(&String, &Source)| {
            found.get(*name).is_none_or(|found| !goes_on(source, found))
        };
        let over: Vec<String> = self.sources.iter().filter(is_over).map(|(name, _)| name.clone()).collect();
        for name in over {
            self.close_source(&name);
        }
        for (name, source) in &mut self.sources {
            if let Some(topic) = found.remove(name) {
                source.opening.topic = topic;
            }
        }
        for (name, topic) in found {
            if self.sources.len() == ENTRIES_MAX {
                standing.insert(Report::too_many(&name));
                break;
            }
            self.begin_source(name, topic);
        }
        self.read_what_is_wanted();
    }

    /// Each topic that has a writer we may carry, with its type and QoS.
    fn find_sources(&self, standing: &mut BTreeSet<Report>) -> BTreeMap<String, Topic> {
        let mut writers: BTreeMap<String, Vec<&Endpoint>> = BTreeMap::new();
        for (name, writer) in self.endpoints_of(Role::Writer) {
            if !names::is_topic(&name) || self.flow_toward(&name, self.other_end()).is_none() {
                continue;
            }
            match name.len() {
                0..=CARRIED_MAX_BYTES => writers.entry(name).or_default().push(writer),
                _ => drop(standing.insert(Report::too_long(&name))),
            }
        }
        let topic = |(name, writers): (String, Vec<&Endpoint>)| {
            Some((name.clone(), self.topic_of(&name, &writers, standing)?))
        };
        writers.into_iter().filter_map(topic).collect()
    }

    fn topic_of(&self, name: &str, writers: &[&Endpoint], standing: &mut BTreeSet<Report>) -> Option<Topic> {
        let flow = self.flow_toward(name, self.other_end())?;
        let known = self.sources.get(name).map(|source| &source.opening.topic);
        let usable = |writer: &&&Endpoint| match (writer.is_keyed, names::ros_type(&writer.type_name)) {
            (false, Some(_)) => true,
            _ => {
                standing.insert(Report::no_ros_type(name, &writer.type_name, writer.is_keyed));
                false
            }
        };
        let writers: Vec<&Endpoint> = writers.iter().filter(usable).copied().collect();
        let types = || writers.iter().filter_map(|writer| names::ros_type(&writer.type_name));
        let first = known.map(|topic| topic.type_name.clone()).filter(|known| types().any(|of| of == *known));
        let type_name = flow.type_name.clone().or(first).or_else(|| types().next())?;
        types().filter(|other| *other != type_name).for_each(|other| {
            standing.insert(Report::other_type(name, &type_name, &other, Role::Writer));
        });
        let is_ours = |writer: &&Endpoint| names::ros_type(&writer.type_name).as_ref() == Some(&type_name);
        let ours: Vec<&Endpoint> = writers.into_iter().filter(is_ours).collect();
        let (representation, ours) = of_one_representation(name, known, ours, standing)?;
        let first = ours.first()?;
        let same =
            known.filter(|topic| topic.type_name == type_name && topic.representation == representation);
        let qos =
            same.map_or_else(|| qos::resolve(flow, ours.iter().map(|writer| &writer.qos)), |topic| topic.qos);
        self.report_offers(name, &qos, &ours, standing);
        let user_data = same.map_or_else(|| user_data_of(first), |topic| topic.user_data.clone());
        let name = name.to_owned();
        let topic = Topic { name, type_name, qos, representation, user_data, generation: 0 };
        let generation = same.map_or_else(|| self.generation(&topic), |topic| topic.generation);
        Some(Topic { generation, ..topic })
    }

    fn report_offers(&self, name: &str, qos: &Qos, writers: &[&Endpoint], standing: &mut BTreeSet<Report>) {
        for writer in writers.iter().filter(|writer| !is_compatible(qos, &writer.qos)) {
            standing.insert(Report::offers_less(name, qos, &writer.qos));
        }
    }

    /// The generation of a topic whose first writer came. It keeps its name only if the other end was not told yet that it had
    /// gone, and reads on. Once told, the other end takes its subscription away and makes another one, and the link tells of
    /// both after this topic is wanted again: one of the same name would be matched with what is gone, and what is read then
    /// lost. One whose type, representation or QoS changed needs another name in any case, and one that is transient
    /// local, of which something is kept. A bridge begins with a number of its own, so that nothing of a former run is
    /// taken for this one's (ROS2-25).
    fn generation(&self, topic: &Topic) -> u32 {
        let is_same = |last: &Topic| {
            topic.qos.durability == Durability::Volatile && is_alike(last, topic) && last.qos == topic.qos
        };
        match self.generations.get(&topic.name) {
            Some(last) if self.leaving.contains_key(&topic.name) && is_same(last) => last.generation,
            Some(last) => last.generation.wrapping_add(1).max(1),
            None => (self.identity.instance as u32).max(1),
        }
    }

    fn begin_source(&mut self, name: String, topic: Topic) {
        let Some(flow) = self.flow_toward(&name, self.other_end()) else { return };
        let opening = self.opening(topic.clone(), flow);
        self.generations.insert(name.clone(), topic);
        self.leaving.remove(&name);
        self.sources.insert(name, Source { opening, is_read: false });
    }

    /// The last writer went. What was read of it may still be under way: the topic is told of until that is settled.
    fn close_source(&mut self, name: &str) {
        if let Some(source) = self.sources.remove(name).filter(|source| source.is_read) {
            self.orders.push(Order::CloseSource(name.to_owned()));
            self.leaving.insert(name.to_owned(), source.opening.topic);
        }
    }

    /// A topic is read while somebody wants it; a transient local one always: what its writers keep is read once and kept
    /// by the link, for whoever comes.
    fn read_what_is_wanted(&mut self) {
        let is_in_one_domain = self.is_in_one_domain();
        for (name, source) in &mut self.sources {
            let topic = &source.opening.topic;
            let is_local = topic.qos.durability == Durability::TransientLocal;
            let is_wanted = self.peer.as_ref().is_some_and(|peer| peer.wanted.contains(&topic.link_topic()));
            let wanted = !is_in_one_domain && !self.paused.contains(name) && (is_wanted || is_local);
            if wanted != source.is_read {
                source.is_read = wanted;
                self.orders.push(match wanted {
                    true => Order::OpenSource(source.opening.clone()),
                    false => Order::CloseSource(name.clone()),
                });
            }
        }
    }
}

/// Whether the samples of both are read in the same way.
fn is_alike(one: &Topic, other: &Topic) -> bool {
    one.type_name == other.type_name && one.representation == other.representation
}

/// The representation of a topic, which is its first writer's as long as one has it, and the writers that have it.
/// Others are reported: what they write does not fit what the target's writer offers (ROS2-7).
fn of_one_representation<'e>(
    name: &str,
    known: Option<&Topic>,
    writers: Vec<&'e Endpoint>,
    standing: &mut BTreeSet<Report>,
) -> Option<(Representation, Vec<&'e Endpoint>)> {
    let offered = || writers.iter().filter_map(|writer| writer.representations.first().copied());
    let first = known.map(|topic| topic.representation).filter(|known| offered().any(|of| of == *known));
    let topic_s = first.or_else(|| offered().next());
    let has_it = |writer: &&Endpoint| topic_s.is_some_and(|of| writer.representations.contains(&of));
    let (ours, others): (Vec<&Endpoint>, Vec<&Endpoint>) = writers.iter().copied().partition(has_it);
    for other in others {
        standing.insert(Report::other_representation(name, topic_s.unwrap_or_default(), other));
    }
    Some((topic_s?, ours))
}

fn user_data_of(writer: &Endpoint) -> Vec<u8> {
    let fits = writer.user_data.len() <= USER_DATA_MAX_BYTES;
    if fits { writer.user_data.clone() } else { Vec::new() }
}
