//! Deadlines run through, and a slow reader holds up its own topic alone: ROS2-14, ROS2-36, ROS2-37.

use super::peer::{Cyclone, assert_none_missing};
use super::yard::{Operator, Vehicle, Yard, figure, until_joined};

#[test]
fn a_far_reader_sees_that_the_writer_missed_its_deadline() {
    let Some(yard) = Yard::open("  state: {class: realtime}", &[Cyclone]) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let topic = "--topic state --type std_msgs/msg/String --deadline-ms 400";
    let mut writer =
        yard.peer(Cyclone, Vehicle, &format!("publish {topic} --count 10 --period-ms 50 --wait-line --stay"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {topic}"));
    until_joined(&writer, &[&reader]);
    assert!(!reader.has_event("deadline_missed"), "none has begun");
    writer.go();
    reader.until_received(10);
    // It pauses, and more than one span goes by.
    reader.until_event("deadline_missed", |missed| missed["total"].as_u64() >= Some(2));
}

#[test]
fn a_slow_reader_holds_up_its_own_topic_and_never_another_one() {
    // Deep enough for two seconds: that a newer one goes before an older when nobody gets to run for 20 ms is not what is tried.
    let flows = "  slow: {class: realtime, history: keep_all}\n  cmd: {class: control, depth: 100}";
    let Some(yard) = Yard::open(flows, &[Cyclone]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let slow = "--topic slow --type sensor_msgs/msg/Image --size 100000 --history keep_all";
    let cmd = "--topic cmd --type geometry_msgs/msg/Twist";
    let mut slow_writer =
        yard.peer(Cyclone, Vehicle, &format!("publish {slow} --count 1000 --period-ms 20 --wait-line"));
    let mut writer =
        yard.peer(Cyclone, Vehicle, &format!("publish {cmd} --count 100000 --period-ms 20 --wait-line"));
    let slow_reader = yard.peer(Cyclone, Operator, &format!("subscribe {slow} --slow-ms 600000 --limit 2"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {cmd}"));
    until_joined(&slow_writer, &[&slow_reader]);
    until_joined(&writer, &[&reader]);
    slow_writer.go();
    operator.until_told(&["topic /slow", "a reader takes no more samples"]);
    writer.go();
    let all = reader.until_received(150);
    assert_eq!(all[0].n, 0);
    assert_none_missing(&all);
    let now = operator.next_figures();
    assert_eq!(slow_reader.numbers(), [0], "it is stuck still");
    assert_eq!(figure(&now, "targets", "cmd", "refused"), 0);
}
