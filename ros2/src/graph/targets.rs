//! Topics of the other end that appear in our domain: ROS2-7, ROS2-12, ROS2-20, ROS2-35.

use std::collections::{BTreeMap, BTreeSet};

use super::{Graph, Opening, Order, Report, is_compatible};
use crate::endpoint::{Endpoint, Role};
use crate::message::Topic;
use crate::names;
use crate::qos;

impl Graph {
    pub(super) fn update_targets(&mut self, standing: &mut BTreeSet<Report>) {
        let found = self.find_targets(standing);
        let is_as_found = |name: &String, open: &Opening| found.get(name) == Some(open);
        let gone: Vec<String> = self
            .targets
            .iter()
            .filter(|(name, open)| !is_as_found(name, open))
            .map(|(name, _)| name.clone())
            .collect();
        for name in gone {
            self.targets.remove(&name);
            self.orders.push(Order::CloseTarget(name));
        }
        for (name, opening) in found {
            if !self.targets.contains_key(&name) {
                self.orders.push(Order::OpenTarget(opening.clone()));
                self.targets.insert(name, opening);
            }
        }
        self.report_readers(standing);
    }

    /// Topics the other end has, that our own declaration takes.
    fn find_targets(&self, standing: &mut BTreeSet<Report>) -> BTreeMap<String, Opening> {
        let Some(peer) = self.peer.as_ref().filter(|_| !self.is_in_one_domain()) else {
            return BTreeMap::new();
        };
        let take = |topic: &Topic| Some((topic.name.clone(), self.accept(topic, standing)?));
        peer.topics.iter().filter(|topic| !self.paused.contains(&topic.name)).filter_map(take).collect()
    }

    fn accept(&self, topic: &Topic, standing: &mut BTreeSet<Report>) -> Option<Opening> {
        let Some(flow) = self.flow_toward(&topic.name, self.identity.end) else {
            standing.insert(Report::not_declared(&topic.name));
            return None;
        };
        if let Some(declared) = flow.type_name.as_ref().filter(|declared| **declared != topic.type_name) {
            standing.insert(Report::declared_otherwise(&topic.name, "type", declared, &topic.type_name));
            return None;
        }
        let fields = qos::contradicted(flow, &topic.qos);
        if !fields.is_empty() {
            let (ours, theirs) = (qos::Words(&flow.qos).to_string(), qos::Words(&topic.qos).to_string());
            standing.insert(Report::declared_otherwise(&topic.name, &fields.join(", "), &ours, &theirs));
            return None;
        }
        Some(self.opening(topic.clone(), flow))
    }

    /// The link's topics of which a program in our domain reads what the target's writer offers.
    pub(super) fn wanted(&self) -> BTreeSet<String> {
        let read = |(name, reader): (String, &Endpoint)| {
            let open = self.targets.get(&name).filter(|open| suits(open, reader))?;
            Some(open.topic.link_topic())
        };
        self.endpoints_of(Role::Reader).filter_map(read).collect()
    }

    /// Readers that will get nothing, with the reason.
    fn report_readers(&self, standing: &mut BTreeSet<Report>) {
        for (name, reader) in self.endpoints_of(Role::Reader) {
            let Some(open) = self.targets.get(&name) else { continue };
            if reader.type_name != open.dds_type {
                let other = names::ros_type(&reader.type_name).unwrap_or_else(|| reader.type_name.clone());
                standing.insert(Report::other_type(&name, &open.topic.type_name, &other, Role::Reader));
            } else if !decodes(open, reader) {
                standing.insert(Report::other_representation(&name, open.topic.representation, reader));
            } else if !is_compatible(&reader.qos, &open.topic.qos) {
                standing.insert(Report::requests_more(&name, &reader.qos, &open.topic.qos));
            }
        }
    }
}

fn suits(open: &Opening, reader: &Endpoint) -> bool {
    reader.type_name == open.dds_type && decodes(open, reader) && is_compatible(&reader.qos, &open.topic.qos)
}

fn decodes(open: &Opening, reader: &Endpoint) -> bool {
    reader.representations.contains(&open.topic.representation)
}
