//! What crosses and what does not, on facts alone.

use super::*;
use crate::endpoint::Representation;
use std::time::Duration;
use tokkyu_contract::yaml::robot;
use tokkyu_contract::{Durability, History, Reliability};

mod life;
mod representation;

const IMAGE: &str = "sensor_msgs/msg/Image";
const FLOWS: &str = "  camera/*: {class: realtime, lifespan: 500 ms}\n  cmd_vel: {type: geometry_msgs/msg/Twist, class: control, depth: 1, \
                     toward: vehicle}\n  map: {class: best_effort}\n";

fn graph(end: Toward) -> Graph {
    graph_in(end, "", FLOWS)
}

fn graph_in(end: Toward, namespace: &str, flows: &str) -> Graph {
    let robot = robot::parse("robot.yaml", &format!("robot: r\nflows:\n{flows}")).unwrap();
    let instance = if end == Toward::Vehicle { 1 } else { 2 };
    Graph::new(Identity { end, instance, namespace: Namespace::new(namespace).unwrap() }, robot)
}

fn guid(number: u8) -> Guid {
    Guid([number; 16])
}

fn endpoint(role: Role, number: u8, topic: &str, type_name: &str, qos: Qos) -> Change {
    Change::Endpoint(Endpoint {
        guid: guid(number),
        participant: guid(200),
        role,
        topic: names::dds_topic(topic),
        type_name: names::dds_type(type_name).unwrap(),
        qos,
        representations: vec![Representation::Xcdr1],
        is_keyed: false,
        user_data: b"typehash=x;".to_vec(),
    })
}

fn writer(number: u8, topic: &str, qos: Qos) -> Change {
    endpoint(Role::Writer, number, topic, IMAGE, qos)
}

fn reader(number: u8, topic: &str, qos: Qos) -> Change {
    endpoint(Role::Reader, number, topic, IMAGE, qos)
}

fn local() -> Qos {
    Qos { durability: Durability::TransientLocal, ..Qos::default() }
}

/// Carries messages between two graphs until both are content; gives what each had to do beside.
fn settle(one: &mut Graph, other: &mut Graph) -> (Vec<String>, Vec<String>) {
    let (mut done, mut done_there) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        let (here, there) = (one.orders(), other.orders());
        if here.is_empty() && there.is_empty() {
            return (done, done_there);
        }
        // The link has nothing under way.
        for (graph, orders) in [(&mut *one, &here), (&mut *other, &there)] {
            let closed = orders.iter().filter_map(|order| match order {
                Order::CloseSource(topic) => Some(topic),
                _ => None,
            });
            closed.for_each(|topic| graph.on_drained(topic));
        }
        here.into_iter().for_each(|order| pass(order, other, &mut done));
        there.into_iter().for_each(|order| pass(order, one, &mut done_there));
    }
    panic!("two bridges talk for ever");
}

fn pass(order: Order, to: &mut Graph, done: &mut Vec<String>) {
    match order {
        Order::Tell(message) => {
            let message = Message::parse(&message.write()).expect("we understand each other");
            assert!(to.on_message(message));
        }
        Order::OpenSource(opening) => done.push(format!("read {}", opening.dds_topic)),
        Order::CloseSource(topic) => done.push(format!("read no more {topic}")),
        Order::OpenTarget(opening) => done.push(format!("write {}", opening.dds_topic)),
        Order::CloseTarget(topic) => done.push(format!("write no more {topic}")),
    }
}

fn words(graph: &mut Graph) -> Vec<String> {
    graph.reports().iter().map(ToString::to_string).collect()
}

/// Vehicle and operator with a camera that somebody watches.
fn watched() -> (Graph, Graph) {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "camera/front", Qos::default()));
    operator.on_change(reader(9, "camera/front", Qos::default()));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!(
        (here, there),
        (vec!["read rt/camera/front".to_owned()], vec!["write rt/camera/front".to_owned()])
    );
    (vehicle, operator)
}

#[test]
fn a_topic_appears_at_the_other_end_and_is_read_once_somebody_wants_it() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "camera/front", Qos::default()));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!((here, there), (vec![], vec!["write rt/camera/front".to_owned()]), "nobody reads it yet");
    operator.on_change(reader(9, "camera/front", Qos::default()));
    assert_eq!(settle(&mut vehicle, &mut operator).0, ["read rt/camera/front"]);
    operator.on_change(Change::EndpointGone(Role::Reader, guid(9)));
    assert_eq!(settle(&mut vehicle, &mut operator).0, ["read no more camera/front"]);
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    assert_eq!(settle(&mut vehicle, &mut operator).1, ["write no more camera/front"]);
    assert_eq!((words(&mut vehicle), words(&mut operator)), (vec![], vec![]));
}

#[test]
fn the_target_has_type_qos_and_type_hash_of_the_source() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "camera/front", Qos::sensor_data()));
    let told = vehicle.orders();
    let [Order::Tell(message)] = told.as_slice() else { panic!("{told:?}") };
    operator.on_message(message.clone());
    let orders = operator.orders();
    let Some(Order::OpenTarget(opening)) = orders.first() else { panic!("{orders:?}") };
    let lifespan = Some(Duration::from_millis(500));
    assert_eq!(
        opening.topic.qos,
        Qos { lifespan, history: History::KeepLast { depth: 10 }, ..Qos::sensor_data() }
    );
    assert_eq!((opening.topic.type_name.as_str(), opening.class), (IMAGE, Class::Realtime));
    assert_eq!(opening.topic.user_data, b"typehash=x;");
}

#[test]
fn only_what_a_flow_names_in_its_own_direction_crosses() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "lidar", local()));
    vehicle.on_change(endpoint(Role::Writer, 2, "cmd_vel", "geometry_msgs/msg/Twist", local()));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    operator.on_change(endpoint(Role::Writer, 3, "cmd_vel", "geometry_msgs/msg/Twist", Qos::default()));
    vehicle.on_change(endpoint(Role::Reader, 4, "cmd_vel", "geometry_msgs/msg/Twist", Qos::default()));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!((here, there), (vec!["write rt/cmd_vel".to_owned()], vec!["read rt/cmd_vel".to_owned()]));
}

#[test]
fn a_transient_local_topic_is_read_before_anybody_wants_it() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "map", local()));
    assert_eq!(settle(&mut vehicle, &mut operator).0, ["read rt/map"]);
}

#[test]
fn a_writer_that_offers_less_is_reported_with_both_qos_and_the_remedy() {
    let flows = "  camera/front: {class: realtime, reliability: reliable}\n";
    let (mut vehicle, mut operator) =
        (graph_in(Toward::Vehicle, "", flows), graph_in(Toward::Operator, "", flows));
    vehicle.on_change(writer(1, "camera/front", Qos::sensor_data()));
    settle(&mut vehicle, &mut operator);
    let said = words(&mut vehicle);
    assert_eq!(
        said,
        [
            "topic /camera/front: a writer offers best_effort volatile, the topic has reliable volatile (reliability (requested \
             reliable, offered best_effort)): its samples do not cross; declare in the flow what the writer offers, or change \
             the writer's QoS"
        ]
    );
    vehicle.orders();
    assert_eq!(words(&mut vehicle), [""; 0], "the same thing is told once");
}

#[test]
fn a_reader_that_requests_more_is_reported_and_does_not_count_as_wanting() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "camera/front", Qos::sensor_data()));
    operator.on_change(reader(9, "camera/front", Qos::default()));
    assert_eq!(settle(&mut vehicle, &mut operator).0, [""; 0]);
    let said = words(&mut operator).join("\n");
    assert!(
        said.contains("a reader requests reliable") && said.contains("the topic has best_effort"),
        "{said}"
    );
    operator.on_change(reader(9, "camera/front", Qos::sensor_data()));
    assert_eq!(settle(&mut vehicle, &mut operator).0, ["read rt/camera/front"], "its QoS changed");
}

#[test]
fn another_type_is_reported_and_the_first_stays() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(endpoint(
        Role::Writer,
        2,
        "camera/front",
        "sensor_msgs/msg/CompressedImage",
        Qos::default(),
    ));
    operator.on_change(endpoint(
        Role::Reader,
        8,
        "camera/front",
        "sensor_msgs/msg/CompressedImage",
        Qos::default(),
    ));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    for graph in [&mut vehicle, &mut operator] {
        let said = words(graph).join("\n");
        assert!(
            said.contains("sensor_msgs/msg/CompressedImage, the topic has sensor_msgs/msg/Image"),
            "{said}"
        );
    }
}

#[test]
fn a_topic_that_comes_back_with_another_qos_gets_another_link_topic() {
    let (mut vehicle, mut operator) = watched();
    let generation = |graph: &Graph| graph.targets["camera/front"].topic.link_topic();
    assert_eq!(generation(&operator), "camera/front@1");
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    settle(&mut vehicle, &mut operator);
    vehicle.on_change(writer(1, "camera/front", local()));
    settle(&mut vehicle, &mut operator);
    assert_eq!(generation(&operator), "camera/front@2");
}

#[test]
fn what_a_writer_kept_that_is_gone_is_not_the_next_one_s() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    let generation = |graph: &Graph| graph.targets["map"].topic.generation;
    vehicle.on_change(writer(1, "map", local()));
    settle(&mut vehicle, &mut operator);
    let first = generation(&operator);
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    settle(&mut vehicle, &mut operator);
    vehicle.on_change(writer(1, "map", local()));
    assert_eq!(
        settle(&mut vehicle, &mut operator),
        (vec!["read rt/map".to_owned()], vec!["write rt/map".to_owned()])
    );
    assert_ne!(generation(&operator), first);
}

#[test]
fn what_is_kept_is_read_once_whoever_comes_and_goes() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(writer(1, "map", local()));
    assert_eq!(pass_all(vehicle.orders()), ["read rt/map"], "before anybody is there");
    settle(&mut vehicle, &mut operator);
    vehicle.on_peer_gone();
    assert_eq!(pass_all(vehicle.orders()), [""; 0]);
}

#[test]
fn a_wish_for_a_former_generation_is_none_for_this_one() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    vehicle.orders();
    let deadline = Some(Duration::from_millis(9));
    vehicle.on_change(writer(1, "camera/front", Qos { deadline, ..Qos::default() }));
    let orders = vehicle.orders();
    let [Order::Tell(message)] = orders.as_slice() else {
        panic!("what is wanted is the last one: {orders:?}")
    };
    operator.on_message(message.clone());
    assert_eq!(settle(&mut vehicle, &mut operator).0, ["read rt/camera/front"]);
}

#[test]
fn a_topic_whose_last_writer_of_its_type_goes_begins_anew_with_the_other_type() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(endpoint(
        Role::Writer,
        2,
        "camera/front",
        "sensor_msgs/msg/CompressedImage",
        Qos::default(),
    ));
    settle(&mut vehicle, &mut operator);
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!(here, ["read no more camera/front"]);
    assert_eq!(there, ["write no more camera/front", "write rt/camera/front"]);
}

#[test]
fn one_of_two_writers_may_go_and_the_topic_stays() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(writer(2, "camera/front", Qos::default()));
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
}

#[test]
fn a_bridge_that_is_gone_takes_its_topics_with_it_and_another_run_begins_anew() {
    let (mut vehicle, mut operator) = watched();
    let last = vehicle.told.clone().unwrap();
    operator.on_peer_gone();
    vehicle.on_peer_gone();
    assert_eq!(pass_all(operator.orders()), ["write no more camera/front"]);
    assert_eq!(pass_all(vehicle.orders()), ["read no more camera/front"]);
    let (mut vehicle, mut operator) = (watched().0, watched().1);
    settle(&mut vehicle, &mut operator);
    operator.on_message(Message { instance: 77, number: 1, ..last });
    assert_eq!(pass_all(operator.orders()), ["write no more camera/front", "write rt/camera/front"]);
}

fn pass_all(orders: Vec<Order>) -> Vec<String> {
    let (mut nobody, mut done) = (graph(Toward::Vehicle), Vec::new());
    orders
        .into_iter()
        .filter(|order| !matches!(order, Order::Tell(_)))
        .for_each(|order| pass(order, &mut nobody, &mut done));
    done
}

#[test]
fn an_old_message_changes_nothing() {
    let (mut vehicle, mut operator) = watched();
    let old = vehicle.told.clone().unwrap();
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    settle(&mut vehicle, &mut operator);
    assert!(!operator.on_message(old));
    assert_eq!(operator.orders(), []);
}

#[test]
fn what_bridges_write_and_read_is_never_bridged() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(Change::Participant(guid(200), mark(99)));
    vehicle.on_change(writer(1, "camera/front", Qos::default()));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    vehicle.on_change(Change::ParticipantGone(guid(200)));
    assert_eq!(settle(&mut vehicle, &mut operator).1, ["write rt/camera/front"]);
}

#[test]
fn an_endpoint_with_a_bridge_s_mark_is_known_before_its_participant() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    let Change::Endpoint(endpoint) = writer(1, "camera/front", Qos::default()) else { unreachable!() };
    let user_data = format!("typehash=x;{ENDPOINT_MARK}").into_bytes();
    vehicle.on_change(Change::Endpoint(Endpoint { user_data, ..endpoint }));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
}

#[test]
fn two_bridges_in_one_domain_carry_nothing_and_say_so() {
    let (mut vehicle, mut operator) = watched();
    operator.on_change(Change::Participant(guid(50), mark(1)));
    vehicle.on_change(Change::Participant(guid(51), mark(2)));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!(
        (here, there),
        (vec!["read no more camera/front".to_owned()], vec!["write no more camera/front".to_owned()])
    );
    assert!(words(&mut operator)[0].contains("both bridges are in one DDS domain"));
}

#[test]
fn two_declarations_that_differ_are_reported_and_nothing_is_opened() {
    let mut vehicle = graph_in(
        Toward::Vehicle,
        "",
        "  map: {class: realtime}\n  odom: {class: realtime, depth: 1}\n  tf: {class: realtime}\n",
    );
    let mut operator = graph_in(
        Toward::Operator,
        "",
        "  map: {class: realtime, type: nav_msgs/msg/Map}\n  odom: {class: realtime, depth: 2}\n",
    );
    for (number, topic) in (1..).zip(["map", "odom", "tf"]) {
        vehicle.on_change(writer(number, topic, Qos::default()));
    }
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    let said = words(&mut operator);
    assert!(said[0].contains("/map: type: here robot.yaml declares nav_msgs/msg/Map"), "{said:#?}");
    assert!(
        said[1].contains("/odom: history:") && said[2].contains("/tf: the other end sends it"),
        "{said:#?}"
    );
}

#[test]
fn services_keyed_types_and_foreign_types_are_refused_by_name() {
    let flows = "  arm/**: {class: realtime}\n  camera: {class: realtime}\n";
    let mut vehicle = graph_in(Toward::Vehicle, "", flows);
    let with = |topic: &str, type_name: &str, is_keyed| {
        let Change::Endpoint(endpoint) = writer(1, "camera", Qos::default()) else { unreachable!() };
        let guid = Guid([topic.len() as u8; 16]);
        Change::Endpoint(Endpoint {
            guid,
            topic: topic.into(),
            type_name: type_name.into(),
            is_keyed,
            ..endpoint
        })
    };
    vehicle.on_change(with("rq/arm/home/setRequest", "std_srvs::srv::dds_::Trigger_Request_", false));
    vehicle.on_change(with(
        "rq/arm/move/_action/send_goalRequest",
        "x::action::dds_::Move_SendGoal_Request_",
        false,
    ));
    vehicle.on_change(with("rt/camera", "HelloWorld", false));
    vehicle.on_change(with("rt/arm/one", "sensor_msgs::msg::dds_::Image_", true));
    vehicle.orders();
    let said = words(&mut vehicle);
    assert_eq!(said.len(), 4, "{said:#?}");
    assert!(
        said[0].contains("/arm/home/set: it is a service") && said[1].contains("/arm/move: it is a service"),
        "{said:#?}"
    );
    assert!(said[2].contains("/arm/one: its type") && said[2].contains("key fields"), "{said:#?}");
    assert!(said[3].contains("/camera: its type HelloWorld is none of ROS 2's"), "{said:#?}");
}

#[test]
fn a_namespace_stands_before_the_names_of_its_own_domain() {
    let mut vehicle = graph(Toward::Vehicle);
    let mut operator = graph_in(Toward::Operator, "/rover7", FLOWS);
    vehicle.on_change(writer(1, "camera/front", Qos::default()));
    operator.on_change(reader(9, "rover7/camera/front", Qos::default()));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!(
        (here, there),
        (vec!["read rt/camera/front".to_owned()], vec!["write rt/rover7/camera/front".to_owned()])
    );
}

#[test]
fn the_qos_of_a_topic_is_that_of_its_first_writers_and_a_later_one_that_differs_is_reported() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(writer(2, "camera/front", Qos::sensor_data()));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    assert!(words(&mut vehicle)[0].contains("a writer offers best_effort"));
    assert_eq!(operator.targets["camera/front"].topic.qos.reliability, Reliability::Reliable);
}
