//! Without `--interface` a bridge and the nodes of its own host find each other, on whatever interface, and it and another
//! host's do not. ROS2-38, ROS2-39.

use tokkyu_link::sim::path::Profile;

use super::capture::{Capture, DEVICE};
use super::peer::{Cyclone, Fast, Library, Peer, assert_none_missing};
use super::yard::{LINK_PORT, Operator, Vehicle, Yard, until_joined};

const FLOW: &str = "  state: {class: realtime}";
const TOPIC: &str = "--topic state --type std_msgs/msg/String";
/// Two devices that are each other's cable, both of one host.
const NEAR: [&str; 2] = ["near0", "near1"];

fn on_the_wire(libraries: &[Library]) -> Option<Yard> {
    let yard = Yard::over(&Profile::named("lan").expect("a known network"), FLOW, libraries)?;
    yard.allow_multicast();
    Some(yard)
}

/// The vehicle's second network, without an address.
fn lay_near(yard: &Yard) {
    yard.ip(Vehicle, &format!("link add {} type veth peer name {}", NEAR[0], NEAR[1]));
    NEAR.into_iter().for_each(|device| yard.ip(Vehicle, &format!("link set {device} up")));
}

fn give_address(yard: &Yard) {
    yard.ip(Vehicle, &format!("addr add 10.78.0.1/24 dev {}", NEAR[0]));
}

fn reader_of(yard: &Yard) -> Peer {
    yard.peer(Cyclone, Operator, &format!("subscribe {TOPIC}"))
}

#[test]
fn a_node_of_another_host_in_the_same_domain_is_not_found() {
    let Some(yard) = on_the_wire(&[Cyclone, Fast]) else { return };
    // At the operator's end of the wire, in the domain of the vehicle's bridge: before it is there, and after.
    let far = |library, words: &str| {
        let words = format!("{words} {TOPIC} --interface {DEVICE}");
        yard.peer_in(library, Operator, yard.domain(Vehicle), &words)
    };
    let publish = "publish --count 100000 --period-ms 20";
    let mut nodes = vec![far(Cyclone, publish), far(Fast, publish)];
    nodes[1].until_sent(1);
    let capture = Capture::start(yard.wire(), Vehicle);
    let (vehicle, _operator) = yard.bridges();
    nodes.extend([far(Cyclone, publish), far(Fast, publish)]);
    let reader = reader_of(&yard);
    // The bridge reads the topic, and writes it nowhere here: what it hears of the far ones it would carry.
    let near = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} --count 100000 --period-ms 20"));
    let samples = reader.until_received(100);
    nodes.iter().for_each(|node| node.until_sent(200));
    near.until_matched(1);
    assert_none_missing(&samples);
    nodes.iter().for_each(|node| assert_eq!(node.matches(), [0; 0], "{}", node.name()));
    assert_eq!(vehicle.told("goes to the other end").len(), 1);
    let of_vehicle = Vehicle.address().octets();
    let frames = capture.end();
    let sent = frames.iter().filter(|frame| frame.is_from(of_vehicle) && !frame.is_of_port(LINK_PORT));
    assert_eq!(sent.filter(|frame| !frame.is_membership_report()).count(), 0);
}

/// What the vehicle's bridge writes is read at its own host and not at another.
#[test]
fn a_reader_of_another_host_gets_nothing_that_a_bridge_writes() {
    let Some(yard) = on_the_wire(&[Cyclone]) else { return };
    yard.declare("  go: {class: realtime, toward: vehicle}");
    let _bridges = yard.bridges();
    let topic = "--topic go --type std_msgs/msg/String";
    let far = format!("subscribe {topic} --interface {DEVICE}");
    let far = yard.peer_in(Cyclone, Operator, yard.domain(Vehicle), &far);
    let mut writer = yard.peer(
        Cyclone,
        Operator,
        &format!("publish {topic} --count 200 --period-ms 20 --wait-line --stay"),
    );
    let near = yard.peer(Cyclone, Vehicle, &format!("subscribe {topic}"));
    until_joined(&writer, &[&near]);
    writer.go();
    near.until_received(200);
    assert_eq!((far.matches(), far.numbers()), (vec![], vec![]));
}

#[test]
fn a_node_on_another_interface_of_the_host_is_found() {
    for library in [Cyclone, Fast] {
        let Some(yard) = on_the_wire(&[Cyclone, library]) else { return };
        lay_near(&yard);
        give_address(&yard);
        let (vehicle, _operator) = yard.bridges();
        vehicle.until_told(&["DDS domain", NEAR[0], "this host only"]);
        crosses(&yard, library, NEAR[0]);
    }
}

#[test]
fn a_node_on_an_interface_that_got_its_address_later_is_found() {
    for library in [Cyclone, Fast] {
        let Some(yard) = on_the_wire(&[Cyclone, library]) else { return };
        lay_near(&yard);
        let _bridges = yard.bridges();
        give_address(&yard);
        crosses(&yard, library, NEAR[0]);
    }
}

/// What a node on `interface` alone writes arrives.
fn crosses(yard: &Yard, library: Library, interface: &str) {
    let words =
        format!("publish {TOPIC} --interface {interface} --count 50 --period-ms 20 --wait-line --stay");
    let mut writer = yard.peer(library, Vehicle, &words);
    let reader = reader_of(yard);
    until_joined(&writer, &[&reader]);
    writer.go();
    assert_none_missing(&reader.until_received(50));
}
