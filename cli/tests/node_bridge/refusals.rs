//! What does not cross is told with its remedy, or ends the program before it begins: NODE-91, NODE-94.

use super::node::until;
use super::yard::{Operator, Vehicle, Yard, figure};

#[test]
fn another_type_than_the_flow_declares_is_told_with_both_and_not_carried() {
    let flows = "  state: {class: realtime, type: sensor_msgs/msg/Image}\n  arm/home: {class: realtime}";
    let Some(yard) = Yard::open(flows) else { return };
    let (vehicle, operator) = yard.bridges();
    let _service = yard.rospy(Vehicle, "serve service=/arm/home");
    let _talker = yard.talk(Vehicle, "/state");
    let told = vehicle.until_told(&["topic /state"]);
    assert!(told.contains("publishes std_msgs/String, the topic has sensor_msgs/Image"), "{told}");
    let told = vehicle.until_told(&["topic /arm/home"]);
    assert!(told.contains("it is a service") && told.contains("write a topic for it"), "{told}");
    let reports = vehicle.next_figures()["reports"].to_string();
    assert!(reports.contains("std_msgs/String"), "{reports}");
    vehicle.until_figures("counted", |all| (figure(all, "sources", "state", "unwanted") > 0).then_some(()));
    assert!(vehicle.told("goes to the other end").is_empty() && operator.told("is here").is_empty());
}

#[test]
fn a_second_publisher_with_another_type_is_told_and_the_first_one_s_samples_cross() {
    let Some(yard) = Yard::open("  state: {class: realtime}") else { return };
    let (vehicle, _operator) = yard.bridges();
    let talker = yard.talk(Vehicle, "/state");
    let listener = yard.listen(Operator, "/state");
    listener.until_heard(5);
    let other = yard.rospy(Vehicle, "publish topic=state kind=image bytes=10");
    let told = vehicle.until_told(&["topic /state", "sensor_msgs/Image, the topic has std_msgs/String"]);
    assert!(told.contains("give one of them another topic"), "{told}");
    vehicle.until_figures("refused", |all| (figure(all, "sources", "state", "refused") >= 10).then_some(()));
    listener.until_heard(listener.all().len() + 20);
    let numbers = listener.numbers();
    assert!(numbers.is_sorted_by(|one, next| one < next), "numbers of the first alone: {numbers:?}");
    // Once the first is gone the topic is what the other says.
    drop((talker, listener));
    let listener = yard.listen(Operator, "/state");
    until("pictures", || {
        listener.all().iter().any(|s| s.origin.datatype == "sensor_msgs/Image").then_some(())
    });
    drop(other);
}

#[test]
fn ends_that_declare_a_topic_otherwise_are_told_and_it_does_not_cross() {
    let Some(yard) = Yard::open("  state: {class: realtime, reliability: reliable}") else { return };
    let operator = yard.bridge(Operator, "");
    yard.declare("  state: {class: realtime, reliability: best_effort}\n  more: {class: realtime}");
    let vehicle = yard.bridge(Vehicle, "");
    let (_talker, _more) = (yard.talk(Vehicle, "/state"), yard.talk(Vehicle, "/more"));
    let listener = yard.listen(Operator, "/state");
    let told = vehicle.until_told(&["topic /state: the two ends declare it otherwise"]);
    assert!(told.contains("reliability") && told.contains("use the same robot.yaml at both ends"), "{told}");
    operator.until_told(&["topic /more: the other end sends it", "use the same robot.yaml at both ends"]);
    assert!(listener.all().is_empty());
}

/// Exit code and standard error of a bridge that does not begin.
fn assert_refused(flows: &str, code: i32, words: &[&str]) {
    let yard = Yard::without_masters(flows);
    let mut command = yard.command(Vehicle);
    let output = command.args(["--operator", "127.0.0.1:9", "--duration", "1 min"]).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} in {said}");
}

#[test]
fn what_no_bridge_carries_ends_the_program_at_its_start() {
    assert_refused(
        "  arm: {class: realtime, type: std_srvs/srv/Trigger}",
        2,
        &["flows.arm.type", "pkg/Type"],
    );
    assert_refused("  tokkyu/ros1/x: {class: realtime}", 2, &["flows.tokkyu/ros1/x", "another name"]);
    assert_refused("  ssh: {class: background, match: {dst_port: 22}}", 2, &["no flow a bridge carries"]);
}

#[test]
fn a_bridge_without_a_master_says_so_and_waits_for_one() {
    let yard = Yard::without_masters("  state: {class: realtime}");
    let bridge = yard.bridge(Operator, "");
    let told = bridge.until_told(&["the master at http://127.0.0.1:9"]);
    assert!(told.contains("does not answer") && told.contains("is roscore running there?"), "{told}");
    assert_eq!(bridge.next_figures()["is_up"], false);
}
