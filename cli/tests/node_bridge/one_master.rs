//! Bridges that meet at one master: nothing goes round, nothing comes twice. NODE-97.

use super::yard::{Operator, Vehicle, Yard, figure};

const FLOWS: &str = "  state: {class: realtime}\n  go: {class: control, toward: vehicle}";

#[test]
fn two_bridges_at_one_master_carry_nothing_and_say_what_to_do() {
    let Some(yard) = Yard::with_one_master(FLOWS) else { return };
    let talker = yard.talk(Vehicle, "/state");
    let listener = yard.listen(Operator, "/state");
    listener.until_heard(5);
    let (vehicle, operator) = yard.bridges();
    for bridge in [&vehicle, &operator] {
        let told = bridge.until_told(&["both bridges are nodes of one master"]);
        assert!(told.contains("give one of them another ROS_MASTER_URI"), "{told}");
    }
    talker.until_said_more(50);
    let numbers = listener.numbers();
    assert!(numbers.is_sorted_by(|one, next| one < next), "nothing comes twice: {numbers:?}");
    for (bridge, side, name) in [(&operator, "targets", "published"), (&vehicle, "sources", "sent")] {
        assert_eq!(figure(&bridge.next_figures(), side, "state", name), 0);
    }
    assert_eq!(vehicle.told("both bridges are nodes of one master").len(), 1);
}

#[test]
fn what_a_bridge_publishes_is_not_carried_on_by_another_bridge_at_its_master() {
    let Some(yard) = Yard::open("  '**': {class: realtime}") else { return };
    let (_vehicle, _operator) = yard.bridges();
    // A further link: its vehicle stands where the first one's operator is.
    let Some(further) = Yard::open("  state: {class: realtime}") else { return };
    let _far_operator = further.bridge(Operator, "");
    let far_vehicle = further.bridge_at(Vehicle, yard.master(Operator));
    far_vehicle.until_told(&["with the other bridge is up"]);
    let _talker = yard.talk(Vehicle, "/state");
    let near = yard.listen(Operator, "/state");
    near.until_heard(20);
    let told = far_vehicle.until_told(&["topic /state", "a bridge, publishes it"]);
    assert!(told.contains("in one link's robot.yaml alone"), "{told}");
    far_vehicle
        .until_figures("refused", |all| (figure(all, "sources", "state", "refused") >= 10).then_some(()));
    assert!(far_vehicle.told("goes to the other end").is_empty());
}
