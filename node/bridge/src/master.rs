//! What the master knows of the graph: the answer to `getSystemState` (NODE-90).
//!
//! Pure. The answer comes from outside: what is not as it should be is passed over, and no more is kept than bounds allow.

use std::collections::{BTreeMap, BTreeSet};

use tokkyu_node::Param;

/// Topics, and services, that are kept in mind at most.
const ENTRIES_MAX: usize = 16 * 1024;
/// Nodes of one topic that are kept in mind at most.
const NODES_MAX: usize = 1024;

/// Who publishes what, and who is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Nodes that publish a topic, by its global name.
    pub publishers: BTreeMap<String, BTreeSet<String>>,
    /// Services, by their global names.
    pub services: BTreeSet<String>,
    /// All nodes that publish or subscribe; every node has a log, so these are all.
    pub nodes: BTreeSet<String>,
}

impl State {
    /// Reads the answer; `None` if it is not one.
    pub fn of(answer: &Param) -> Option<State> {
        let Param::List(parts) = answer else { return None };
        let [publishers, subscribers, services] = parts.as_slice() else { return None };
        let publishers = entries(publishers)?;
        let nodes =
            publishers.values().cloned().chain(entries(subscribers)?.into_values()).flatten().collect();
        Some(State { publishers, services: entries(services)?.into_keys().collect(), nodes })
    }
}

/// `[[name, [node...]]...]`.
fn entries(list: &Param) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let Param::List(entries) = list else { return None };
    let entry = |entry: &Param| {
        let Param::List(pair) = entry else { return None };
        let [Param::Text(name), Param::List(nodes)] = pair.as_slice() else { return None };
        let node = |node: &Param| match node {
            Param::Text(node) => Some(node.clone()),
            _ => None,
        };
        Some((name.clone(), nodes.iter().take(NODES_MAX).filter_map(node).collect()))
    };
    Some(entries.iter().take(ENTRIES_MAX).filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: impl IntoIterator<Item = Param>) -> Param {
        Param::List(items.into_iter().collect())
    }

    fn entry(name: &str, nodes: &[&str]) -> Param {
        list([Param::Text(name.into()), list(nodes.iter().map(|node| Param::Text((*node).into())))])
    }

    #[test]
    fn publishers_services_and_all_nodes_are_read() {
        let answer = list([
            list([entry("/chatter", &["/talker", "/other"]), entry("/rosout", &["/talker"])]),
            list([entry("/chatter", &["/listener"])]),
            list([entry("/arm/home", &["/arm"])]),
        ]);
        let state = State::of(&answer).unwrap();
        assert_eq!(state.publishers["/chatter"], ["/other".to_owned(), "/talker".to_owned()].into());
        assert_eq!(state.services, ["/arm/home".to_owned()].into());
        assert!(state.nodes.contains("/listener") && state.nodes.contains("/other"));
    }

    #[test]
    fn what_is_no_answer_is_passed_over() {
        assert_eq!(State::of(&Param::Int(1)), None);
        assert_eq!(State::of(&list([list([]), list([])])), None);
        let odd = list([list([Param::Nil, entry("/a", &["/b"])]), list([Param::Int(3)]), list([])]);
        assert_eq!(State::of(&odd).unwrap().publishers.len(), 1);
    }
}
