//! A source is read once the link knows who gets its samples: ROS2-21.
//!
//! That the other end wants a topic (`wanted`) and that it subscribes to it on the link (the link's table) are told on ways of
//! their own, and each may be lost and come again. What the link is given in between goes to nobody. Pure.

use std::collections::{BTreeMap, BTreeSet};

use tokkyu_contract::FlowId;

/// Holds back what waits for its publication to be matched.
#[derive(Debug)]
pub(super) struct Gate<T> {
    matched: BTreeSet<FlowId>,
    waiting: BTreeMap<FlowId, T>,
}

impl<T> Gate<T> {
    pub(super) fn new() -> Gate<T> {
        Gate { matched: BTreeSet::new(), waiting: BTreeMap::new() }
    }

    /// Gives it back if its publication is matched; else it waits.
    pub(super) fn pass(&mut self, flow: FlowId, what: T) -> Option<T> {
        if self.matched.contains(&flow) {
            return Some(what);
        }
        self.waiting.insert(flow, what);
        None
    }

    /// Gives what has waited for it.
    pub(super) fn on_matched(&mut self, flow: FlowId) -> Option<T> {
        self.matched.insert(flow);
        self.waiting.remove(&flow)
    }

    pub(super) fn on_unmatched(&mut self, flow: FlowId) {
        self.matched.remove(&flow);
    }

    /// The session is over: the next one matches anew.
    pub(super) fn on_down(&mut self) {
        self.matched.clear();
    }

    /// What is not wanted any more waits no longer.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&T) -> bool) {
        self.waiting.retain(|_, what| is_wanted(what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: FlowId = FlowId(3);

    #[test]
    fn what_comes_before_the_match_waits_for_it_and_what_comes_after_does_not() {
        let mut gate = Gate::new();
        assert_eq!(gate.pass(FLOW, "camera"), None);
        assert_eq!(gate.on_matched(FlowId(4)), None, "another's");
        assert_eq!(gate.on_matched(FLOW), Some("camera"));
        assert_eq!(gate.on_matched(FLOW), None, "once");
        assert_eq!(gate.pass(FLOW, "again"), Some("again"));
    }

    #[test]
    fn without_a_match_any_more_and_in_another_session_it_waits_again() {
        let mut gate = Gate::new();
        gate.on_matched(FLOW);
        gate.on_unmatched(FLOW);
        assert_eq!(gate.pass(FLOW, "camera"), None);
        assert_eq!(gate.on_matched(FLOW), Some("camera"));
        gate.on_down();
        assert_eq!(gate.pass(FLOW, "camera"), None);
    }

    #[test]
    fn what_is_closed_while_it_waits_is_not_opened() {
        let mut gate = Gate::new();
        gate.pass(FLOW, "camera");
        gate.retain(|name| *name != "camera");
        assert_eq!(gate.on_matched(FLOW), None);
    }
}
