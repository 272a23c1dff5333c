//! Messages of another bridge of ROS 1 topics, one a line (node/bridge/SPEC.md NODE-94): what is understood is written again as the same message, and
//! whatever it says, the graph opens nothing that robot.yaml does not bring here, and nothing twice.

use std::collections::BTreeSet;

use tokkyu_contract::yaml::robot::{self, Toward};
use tokkyu_node_bridge::graph::{Graph, Identity, Order};
use tokkyu_node_bridge::master::State;
use tokkyu_node_bridge::message::Message;
use tokkyu_node_bridge::names::Namespace;

const ROBOT: &str =
    "robot: r\nflows:\n  camera/*: {class: realtime}\n  cmd_vel: {class: control, toward: vehicle}\n";

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let robot = robot::parse("robot.yaml", ROBOT).expect("a good file");
    let identity = Identity {
        end: Toward::Operator,
        instance: 1,
        node: "/tokkyu_bridge_operator_1".to_owned(),
        namespace: Namespace::default(),
    };
    let mut graph = Graph::new(identity, robot);
    let mut open = BTreeSet::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(message) = Message::parse(line) else { continue };
        assert_eq!(Message::parse(&message.write()), Ok(message.clone()), "NODE-94");
        graph.on_message(message);
        // What another run says counts once the master was looked at (NODE-97).
        graph.on_master(State::default());
        for order in graph.orders() {
            match order {
                Order::OpenTarget(opening) => {
                    assert!(opening.topic.name.starts_with("camera/"), "{} is not ours", opening.topic.name);
                    assert!(open.insert(opening.topic.name), "opened twice");
                }
                Order::CloseTarget(topic) => assert!(open.remove(&topic), "closed and was not open"),
                Order::OpenSource(opening) => panic!("there is no publisher of {}", opening.topic.name),
                Order::CloseSource(topic) => panic!("{topic} was not open"),
                Order::Subscribe(wish) => assert_eq!(wish.topic, "cmd_vel"),
                Order::Unsubscribe(topic) => panic!("nobody took {topic} away"),
                Order::Tell(_) | Order::AskMaster => {}
            }
        }
    }
}
