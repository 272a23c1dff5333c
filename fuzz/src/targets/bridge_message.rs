//! Messages of another bridge, one a line (ros2/SPEC.md ROS2-34): what is understood is written again as the same message,
//! and whatever it says, the graph opens nothing that robot.yaml does not bring here (ROS2-35), and nothing twice.

use std::collections::BTreeSet;

use tokkyu_contract::yaml::robot::{self, Toward};
use tokkyu_ros2::graph::{Graph, Identity, Order};
use tokkyu_ros2::message::Message;
use tokkyu_ros2::names::Namespace;

const ROBOT: &str =
    "robot: r\nflows:\n  camera/*: {class: realtime}\n  cmd_vel: {class: control, toward: vehicle}\n";

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let robot = robot::parse("robot.yaml", ROBOT).expect("a good file");
    let identity = Identity { end: Toward::Operator, instance: 1, namespace: Namespace::default() };
    let mut graph = Graph::new(identity, robot);
    let mut open = BTreeSet::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(message) = Message::parse(line) else { continue };
        assert_eq!(Message::parse(&message.write()), Ok(message.clone()), "ROS2-34");
        graph.on_message(message);
        for order in graph.orders() {
            match order {
                Order::OpenTarget(opening) => {
                    assert!(opening.topic.name.starts_with("camera/"), "ROS2-35: {}", opening.topic.name);
                    assert!(open.insert(opening.topic.name), "opened twice");
                }
                Order::CloseTarget(topic) => assert!(open.remove(&topic), "closed and was not open"),
                Order::OpenSource(opening) => panic!("there is no writer of {}", opening.topic.name),
                Order::CloseSource(topic) => panic!("{topic} was not open"),
                Order::Tell(_) => {}
            }
        }
    }
}
