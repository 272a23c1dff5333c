//! Answers of a master to a bridge's `getSystemState` (node/bridge/SPEC.md NODE-90), one after the other: whatever they say, what is kept is bounded, and
//! the bridge subscribes to what robot.yaml takes to the other end and somebody publishes, once.

use std::collections::BTreeSet;

use tokkyu_contract::yaml::robot::{self, Toward};
use tokkyu_graph::Param;
use tokkyu_node_bridge::graph::{Graph, Identity, Order};
use tokkyu_node_bridge::master::State;
use tokkyu_node_bridge::names::Namespace;
use tokkyu_ros1::xmlrpc::{Triple, read_answer};

const ROBOT: &str =
    "robot: r\nflows:\n  camera/*: {class: realtime}\n  cmd_vel: {class: control, toward: vehicle}\n";

/// What the master knows, if that is an answer.
fn state(document: &[u8]) -> Option<State> {
    let triple = Triple::of(read_answer(document).ok()?).ok()?;
    let state = State::of(&Param::from_value(triple.value))?;
    assert!(state.publishers.len() <= 16 << 10 && state.services.len() <= 16 << 10);
    assert!(state.publishers.values().all(|nodes| nodes.len() <= 1 << 10));
    Some(state)
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let robot = robot::parse("robot.yaml", ROBOT).expect("a good file");
    let identity = Identity {
        end: Toward::Vehicle,
        instance: 1,
        node: "/tokkyu_bridge_vehicle_1".to_owned(),
        namespace: Namespace::default(),
    };
    let mut graph = Graph::new(identity, robot);
    let mut subscribed = BTreeSet::new();
    for state in bytes.split(|byte| *byte == 0).filter_map(state) {
        let published = state.publishers.clone();
        graph.on_master(state);
        for order in graph.orders() {
            match order {
                Order::Subscribe(wish) => {
                    assert!(wish.topic.starts_with("camera/"), "{} stays here", wish.topic);
                    assert!(
                        published.contains_key(&format!("/{}", wish.topic)),
                        "{} is not there",
                        wish.topic
                    );
                    assert!(subscribed.insert(wish.topic), "subscribed twice");
                }
                Order::Unsubscribe(topic) => {
                    assert!(subscribed.remove(&topic), "{topic} was not subscribed to")
                }
                Order::Tell(_) | Order::AskMaster => {}
                Order::OpenSource(_) | Order::CloseSource(_) => panic!("no type is known"),
                Order::OpenTarget(_) | Order::CloseTarget(_) => panic!("the other end has said nothing"),
            }
        }
    }
}
