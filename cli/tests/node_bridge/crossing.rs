//! What crosses: every byte, both ways, with its type, md5sum and definition. NODE-90 to NODE-92.

use tokkyu_node::messages::std_msgs;

use super::node::{Heard, assert_string, string, until};
use super::yard::{Operator, Vehicle, Yard, figure};

/// Samples of `far` are those of `near` from the first one on that both have.
fn assert_same(near: &[Heard], far: &[Heard]) {
    let first =
        near.iter().position(|sample| sample.wire == far[0].wire).expect("the first one that crossed");
    let common = far.len().min(near.len() - first);
    assert!(common >= 20, "{common} samples to compare");
    for (near, far) in near[first..].iter().zip(far) {
        assert!(near.wire == far.wire, "every byte crosses as it is");
        let [near, far] = [near, far].map(|sample| {
            let origin = &*sample.origin;
            (origin.datatype.clone(), origin.md5sum.clone(), origin.definition.clone(), origin.is_latched)
        });
        assert_eq!(near, far);
    }
}

#[test]
fn strings_and_pictures_of_rospy_cross_as_they_are_and_its_tools_see_them_at_the_operator() {
    let flows = "  chatter: {class: realtime, type: std_msgs/msg/String}\n  camera: {class: realtime, depth: 10, size: 400 kB}";
    let Some(yard) = Yard::open(flows) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let _talker = yard.rospy(Vehicle, "publish topic=chatter text=héllo hz=30");
    let _camera = yard.rospy(Vehicle, "publish topic=camera kind=image bytes=374000 hz=10");
    for topic in ["/camera", "/chatter"] {
        let (near, far) = (yard.listen(Vehicle, topic), yard.listen(Operator, topic));
        let heard = far.until_heard(25);
        near.until_heard(25);
        // What is heard here was heard there, or is about to be.
        until("the last one", || near.all().iter().any(|near| near.wire == heard[24].wire).then_some(()));
        assert_same(&near.all(), &heard);
        assert!(heard[0].origin.callerid.starts_with("/tokkyu_bridge_operator"), "{:?}", heard[0].origin);
    }
    let echo = yard.tool(Operator, "rostopic echo -n 3 /chatter");
    let is_said = |line: &String| line.starts_with("data: ") && line.contains("llo");
    echo.until("rostopic echo", |lines| {
        (lines.iter().filter(|line| is_said(line)).count() == 3).then_some(())
    });
    let info = yard.tool(Operator, "rostopic info /chatter");
    info.until("rostopic info", |lines| {
        let has = |words: &str| lines.iter().any(|line| line.contains(words));
        (has("Type: std_msgs/String") && has("* /tokkyu_bridge_operator")).then_some(())
    });
}

#[test]
fn commands_cross_to_the_vehicle_and_rospy_hears_them_in_order() {
    let Some(yard) = Yard::open("  go: {class: control, depth: 1, lifespan: 5 s, toward: vehicle}") else {
        return;
    };
    let (vehicle, operator) = yard.bridges();
    let far = yard.rospy(Vehicle, "subscribe topic=go");
    let _talker = yard.talk(Operator, "/go");
    let numbers = far.until("40 commands", |lines| {
        let number = |line: &String| line.strip_prefix("heard ")?.trim_end_matches('.').parse::<u64>().ok();
        Some(lines.iter().filter_map(number).collect::<Vec<u64>>()).filter(|numbers| numbers.len() >= 40)
    });
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    operator
        .until_figures("the source's ledger", |all| closes(all, "sources", ["sent", "refused", "unwanted"]));
    vehicle.until_figures("the target's ledger", |all| {
        closes(all, "targets", ["published", "stale", "refused"])
    });
}

/// The ledger of `go` closes and has something in it.
fn closes(all: &serde_json::Value, side: &str, parts: [&str; 3]) -> Option<()> {
    let whole = figure(all, side, "go", if side == "sources" { "offered" } else { "delivered" });
    let sum: u64 = parts.iter().map(|part| figure(all, side, "go", part)).sum();
    assert_eq!(whole, sum, "{all}");
    (whole >= 40 && figure(all, side, "go", parts[0]) > 0).then_some(())
}

#[test]
fn a_topic_is_there_before_anything_was_published_and_its_first_sample_crosses() {
    let Some(yard) = Yard::open("  stop: {class: control, toward: vehicle}") else { return };
    let (_vehicle, operator) = yard.bridges();
    let node = yard.node(Operator, "button");
    let publisher = node.advertise::<std_msgs::String>("/stop", 1).expect("advertised");
    let listener = yard.listen(Vehicle, "/stop");
    operator.until_told(&["topic /stop goes to the other end"]);
    publisher.publish_ref(&string(7)).expect("published");
    let heard = listener.until_heard(1);
    assert_eq!(heard[0].number(), 7);
    assert_string(&heard[0].origin);
    node.shutdown();
}

#[test]
fn a_pattern_takes_its_topics_and_a_namespace_stands_before_them_at_its_end() {
    let flows = "  camera/*: {class: realtime}\n  status/**: {class: background}\n  go: {class: control, toward: vehicle}";
    let Some(yard) = Yard::open(flows) else { return };
    let operator = yard.bridge(Operator, "--namespace rover7");
    let vehicle = yard.bridge(Vehicle, "");
    let _unnamed = yard.talk(Vehicle, "/lidar");
    let cases = [
        (Vehicle, "/camera/front", "/rover7/camera/front"),
        (Vehicle, "/status/wheel/left", "/rover7/status/wheel/left"),
        (Operator, "/rover7/go", "/go"),
    ];
    for (from, near, far) in cases {
        let _talker = yard.talk(from, near);
        let listener = yard.listen(if from == Vehicle { Operator } else { Vehicle }, far);
        let heard = listener.until_heard(20);
        assert!(listener.numbers().is_sorted_by(|one, next| one < next));
        assert_string(&heard[0].origin);
    }
    assert_eq!((vehicle.told("lidar"), operator.told("lidar")), (vec![], vec![]), "no flow names it");
}
