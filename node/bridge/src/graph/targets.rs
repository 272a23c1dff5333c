//! Topics of the other end that appear at this one: NODE-91, NODE-93, NODE-94.

use std::collections::{BTreeMap, BTreeSet};

use super::{Graph, Opening, Order, Report, declared_type};
use crate::message::Topic;

impl Graph {
    pub(super) fn update_targets(&mut self, standing: &mut BTreeSet<Report>) {
        let found = self.find_targets(standing);
        let is_gone = |(name, open): &(&String, &Opening)| found.get(*name) != Some(*open);
        let gone: Vec<String> = self.targets.iter().filter(is_gone).map(|(name, _)| name.clone()).collect();
        for name in gone {
            self.targets.remove(&name);
            self.demanded.remove(&name);
            self.orders.push(Order::CloseTarget(name));
        }
        for (name, opening) in found {
            if !self.targets.contains_key(&name) {
                self.orders.push(Order::OpenTarget(opening.clone()));
                self.targets.insert(name, opening);
            }
        }
    }

    /// Topics the other end has, that our own declaration takes.
    fn find_targets(&self, standing: &mut BTreeSet<Report>) -> BTreeMap<String, Opening> {
        let Some(peer) = self.peer.as_ref().filter(|_| !self.is_stranger && !self.is_at_one_master()) else {
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
        if let Some(declared) = declared_type(flow).filter(|declared| *declared != topic.type_name) {
            standing.insert(Report::declared_otherwise(&topic.name, &declared, &topic.type_name));
            return None;
        }
        if self.is_own_log(&topic.name) {
            standing.insert(Report::own_log());
            return None;
        }
        Some(self.opening(topic.clone(), flow))
    }

    /// The link's topics that have a subscriber at this end.
    pub(super) fn wanted(&self) -> BTreeSet<String> {
        let wanted = |name: &String| self.targets.get(name).map(|open| open.topic.link_topic());
        self.demanded.iter().filter_map(wanted).collect()
    }
}
