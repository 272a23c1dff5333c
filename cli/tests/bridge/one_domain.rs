//! Bridges that see each other in a DDS domain: nothing goes round. ROS2-31, ROS2-32.

use super::peer::{Cyclone, assert_none_missing};
use super::yard::{Operator, Vehicle, Yard, figure, until_joined};

const TOPIC: &str = "--topic state --type std_msgs/msg/String";
const FLOW: &str = "  state: {class: realtime}";

#[test]
fn two_bridges_in_one_domain_carry_nothing_and_say_what_to_do() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let domain = yard.domain(Vehicle);
    // A writer and a reader that are there before the bridges are, and keep on.
    let _writer = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} --count 100000 --period-ms 20"));
    let reader = yard.peer(Cyclone, Vehicle, &format!("subscribe {TOPIC}"));
    reader.until_received(10);
    let bridges = [Operator, Vehicle].map(|end| yard.bridge_in(end, domain, ""));
    for bridge in &bridges {
        let told = bridge.until_told(&["both bridges are in one DDS domain"]);
        assert!(told.contains("give one of them another --domain"), "{told}");
    }
    let before = reader.received().len();
    assert_none_missing(&reader.until_received(before + 100));
    for (bridge, side, name) in [(&bridges[0], "targets", "written"), (&bridges[1], "sources", "offered")] {
        assert_eq!(figure(&bridge.next_figures(), side, "state", name), 0);
    }
}

#[test]
fn what_a_bridge_writes_is_not_carried_on_by_another_bridge_in_its_domain() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let Some(further) = Yard::open(FLOW, &[Cyclone]) else { return };
    let _bridges = yard.bridges();
    // The further yard's vehicle stands where the first one's operator is.
    let domain = yard.domain(Operator);
    let _far_operator = further.bridge(Operator, "");
    let far_vehicle = further.bridge_in(Vehicle, domain, "");
    far_vehicle.until_told(&["with the other bridge is up"]);
    let mut writer =
        yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} --count 50 --period-ms 20 --wait-line --stay"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {TOPIC}"));
    let far_reader = further.peer(Cyclone, Operator, &format!("subscribe {TOPIC}"));
    until_joined(&writer, &[&reader]);
    writer.go();
    reader.until_received(50);
    assert_eq!(reader.numbers(), (0..50).collect::<Vec<u64>>());
    // A writer that is no bridge's is carried, and nothing but its samples.
    let own = format!("publish {TOPIC} --count 1000 --period-ms 20 --wait-line");
    let mut own = yard.peer(Cyclone, Operator, &own);
    far_reader.until_matched(1);
    own.until_matched(2);
    own.go();
    let far = far_reader.until_received(50);
    assert_eq!(far[0].n, 0);
    assert_none_missing(&far);
}
