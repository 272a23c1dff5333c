//! What does not cross is told with its remedy, or ends the program before it begins: ROS2-5, ROS2-12, ROS2-30, ROS2-41.

use super::peer::Cyclone;
use super::yard::{Operator, Vehicle, Yard, figure};

const TOPIC: &str = "--topic camera --type std_msgs/msg/String";

#[test]
fn a_writer_that_offers_less_than_the_flow_declares_is_told_and_not_read() {
    let Some(yard) = Yard::open("  camera: {class: realtime, reliability: reliable}", &[Cyclone]) else {
        return;
    };
    let (vehicle, _operator) = yard.bridges();
    let writer = "--reliability best_effort --count 1000 --period-ms 50";
    let writer = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} {writer}"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {TOPIC}"));
    reader.until_matched(1);
    let told = vehicle.until_told(&["topic /camera", "offers"]);
    for words in [
        "a writer offers best_effort volatile",
        "the topic has reliable volatile",
        "reliability (requested reliable, offered best_effort)",
        "declare in the flow what the writer offers, or change the writer's QoS",
    ] {
        assert!(told.contains(words), "{words:?} in {told}");
    }
    let refused = writer.until_event("incompatible_qos", |_| true);
    assert_eq!(refused["policy"], "RELIABILITY");
    writer.until_sent(20);
    assert_eq!(figure(&vehicle.next_figures(), "sources", "camera", "offered"), 0);
    assert_eq!(reader.numbers(), [0; 0]);
}

#[test]
fn a_reader_that_requests_more_than_the_topic_has_is_told_and_the_topic_is_not_sent_for_it() {
    let Some(yard) = Yard::open("  camera: {class: realtime}", &[Cyclone]) else { return };
    let (vehicle, operator) = yard.bridges();
    let writer = "--reliability best_effort --count 1000 --period-ms 50";
    let writer = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} {writer}"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {TOPIC}"));
    let told = operator.until_told(&["topic /camera", "requests"]);
    for words in [
        "a reader requests reliable volatile",
        "the topic has best_effort volatile",
        "reliability (requested reliable, offered best_effort)",
        "change the reader's QoS, or the flow's in both robot.yaml and the writer's",
    ] {
        assert!(told.contains(words), "{words:?} in {told}");
    }
    assert_eq!(reader.until_event("incompatible_qos", |_| true)["policy"], "RELIABILITY");
    writer.until_sent(20);
    assert_eq!(figure(&vehicle.next_figures(), "sources", "camera", "offered"), 0);
    assert_eq!(reader.numbers(), [0; 0]);
}

#[test]
fn another_type_than_the_flow_declares_is_told_with_both_and_not_carried() {
    let flows = "  camera: {class: realtime, type: sensor_msgs/msg/Image}";
    let Some(yard) = Yard::open(flows, &[Cyclone]) else { return };
    let (vehicle, _operator) = yard.bridges();
    let _writer = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} --count 10 --period-ms 0 --stay"));
    let told = vehicle.until_told(&["topic /camera"]);
    assert!(told.contains("std_msgs/msg/String, the topic has sensor_msgs/msg/Image"), "{told}");
    assert!(vehicle.told("goes to the other end").is_empty());
}

#[test]
fn a_service_and_an_action_that_a_flow_names_are_refused_by_name() {
    let Some(yard) = Yard::open("  arm/**: {class: realtime}", &[Cyclone]) else { return };
    let (vehicle, _operator) = yard.bridges();
    let write = |topic: &str| {
        let words = "--type std_msgs/msg/String --prefix rq --count 1 --period-ms 0 --stay";
        yard.peer(Cyclone, Vehicle, &format!("publish --topic {topic} {words}"))
    };
    let _service = write("arm/home/setRequest");
    let _action = write("arm/move/_action/send_goalRequest");
    for name in ["topic /arm/home/set:", "topic /arm/move:"] {
        let told = vehicle.until_told(&[name, "it is a service or an action"]);
        assert!(told.contains("take it out of robot.yaml, or write a topic for it"), "{told}");
    }
    assert!(vehicle.told("goes to the other end").is_empty());
}

/// Exit code and standard error of a bridge that does not begin.
fn refused(yard: &Yard, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = yard.command(Vehicle);
    let output = command.args(["--operator", "127.0.0.1:9", "--duration", "1 min"]).args(arguments).output();
    let output = output.expect("runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn assert_refused(flows: &str, arguments: &[&str], words: &[&str]) {
    let yard = Yard::open(flows, &[]).expect("needs no library");
    let (code, said) = refused(&yard, arguments);
    assert_eq!(code, Some(2), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} in {said}");
}

#[test]
fn a_flow_with_the_type_of_a_service_or_an_action_ends_the_program_at_its_start() {
    for type_name in ["std_srvs/srv/Trigger", "nav2_msgs/action/Spin"] {
        let flows = format!("  arm/home: {{class: realtime, type: {type_name}}}");
        assert_refused(&flows, &[], &["flows.arm/home.type", type_name, "pkg/msg/Type"]);
    }
}

#[test]
fn a_domain_or_an_interface_that_cannot_be_ends_the_program_at_its_start() {
    let flows = "  camera: {class: realtime}";
    assert_refused(flows, &["--domain", "233"], &["--domain 233", "0 to 232"]);
    assert_refused(flows, &["--interface", "nowhere0"], &["--interface nowhere0", "there are", "lo"]);
}
