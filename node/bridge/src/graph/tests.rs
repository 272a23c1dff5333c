//! Facts in, orders out, in virtual time.

use tokkyu_contract::yaml::robot;

use super::*;
use crate::message::ENTRIES_MAX;

const STRING: (&str, &str) = ("std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1");
const IMAGE: (&str, &str) = ("sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743");

fn publisher(node: &str, (type_name, md5sum): (&str, &str)) -> Publisher {
    Publisher {
        node: node.into(),
        type_name: type_name.into(),
        md5sum: md5sum.into(),
        definition: "string data\n".into(),
        is_latched: false,
    }
}

fn latched(node: &str) -> Publisher {
    Publisher { is_latched: true, ..publisher(node, STRING) }
}

fn graph(end: Toward, flows: &str) -> Graph {
    let robot = robot::parse("robot.yaml", &format!("robot: r\nflows:\n{flows}\n")).unwrap();
    let node = format!("/{}_{}", names::bridge_node(end), 1);
    Graph::new(Identity { end, instance: 7, node, namespace: Namespace::default() }, robot)
}

/// The vehicle's, which has said what it knows.
fn vehicle(flows: &str) -> Graph {
    let mut graph = graph(Toward::Vehicle, flows);
    graph.orders();
    graph
}

fn state(topics: &[(&str, &[&str])]) -> State {
    let nodes = |nodes: &&[&str]| nodes.iter().map(|node| (*node).to_owned()).collect::<BTreeSet<_>>();
    State {
        publishers: topics.iter().map(|(topic, of)| ((*topic).to_owned(), nodes(of))).collect(),
        services: BTreeSet::new(),
        nodes: topics.iter().flat_map(|(_, of)| nodes(of)).collect(),
    }
}

/// What is said to the other bridge, if anything.
fn told(orders: &[Order]) -> Option<&Message> {
    orders.iter().find_map(|order| match order {
        Order::Tell(message) => Some(message),
        _ => None,
    })
}

/// Orders other than messages, a word each.
fn words(orders: &[Order]) -> Vec<String> {
    let word = |order: &Order| match order {
        Order::Subscribe(wish) => Some(format!("subscribe {}", wish.global)),
        Order::Unsubscribe(topic) => Some(format!("unsubscribe {topic}")),
        Order::OpenSource(opening) => Some(format!("send {}", opening.topic.name)),
        Order::CloseSource(topic) => Some(format!("stop {topic}")),
        Order::OpenTarget(opening) => Some(format!("publish {}", opening.global)),
        Order::CloseTarget(topic) => Some(format!("take down {topic}")),
        Order::Tell(_) | Order::AskMaster => None,
    };
    orders.iter().filter_map(word).collect()
}

fn acts(graph: &mut Graph) -> Vec<String> {
    words(&graph.orders())
}

/// The other bridge speaks, and the master is looked at if need be.
fn hear(graph: &mut Graph, message: Message) -> bool {
    let is_new = graph.on_message(message);
    if graph.is_stranger {
        graph.on_master(graph.master.clone());
    }
    is_new
}

/// The other bridge's message.
fn message(instance: u64, number: u64, topics: Vec<Topic>, wanted: &[&str]) -> Message {
    let node = "/tokkyu_bridge_operator_9".to_owned();
    Message { instance, number, node, topics, wanted: wanted.iter().map(|name| (*name).to_owned()).collect() }
}

fn topic(name: &str, generation: u32) -> Topic {
    Topic {
        name: name.into(),
        type_name: STRING.0.into(),
        md5sum: STRING.1.into(),
        definition: String::new(),
        is_latched: false,
        generation,
    }
}

fn reports(graph: &mut Graph) -> Vec<String> {
    graph.reports().iter().map(ToString::to_string).collect()
}

fn at(second: u64) -> MonoTime {
    MonoTime::from_millis(1_000 * second)
}

#[test]
fn a_name_is_subscribed_to_at_once_and_a_pattern_s_topics_when_somebody_publishes_them() {
    let flows = "  state: {class: realtime}\n  camera/*: {class: realtime}\n  go: {class: control, toward: vehicle}\n  \
                 port: {class: background, match: {dst_port: 9}}";
    let mut graph = graph(Toward::Vehicle, flows);
    assert_eq!(acts(&mut graph), ["subscribe /state"]);
    let bridge = "/tokkyu_bridge_vehicle_3";
    graph.on_master(state(&[("/camera/front", &["/cam"]), ("/camera/rear", &[bridge]), ("/lidar", &["/l"])]));
    assert_eq!(acts(&mut graph), ["subscribe /camera/front"]);
    graph.on_master(state(&[]));
    assert_eq!(acts(&mut graph), ["unsubscribe camera/front"]);
}

#[test]
fn a_topic_is_told_of_as_its_first_publisher_says_and_sent_while_it_is_wanted() {
    let mut graph = vehicle("  state: {class: realtime}");
    graph.on_heard("state", publisher("/talker", STRING));
    let orders = graph.orders();
    let said = told(&orders).unwrap();
    assert_eq!((words(&orders).len(), said.topics.len()), (0, 1), "nobody wants it yet");
    let Topic { type_name, md5sum, definition, .. } = &said.topics[0];
    assert_eq!(
        (type_name.as_str(), md5sum.as_str(), definition.as_str()),
        (STRING.0, STRING.1, "string data\n")
    );
    let link_topic = said.topics[0].link_topic();
    hear(&mut graph, message(1, 1, vec![], &[&link_topic]));
    assert_eq!(acts(&mut graph), ["send state"]);
    hear(&mut graph, message(1, 2, vec![], &[]));
    assert_eq!(acts(&mut graph), ["stop state"]);
}

#[test]
fn what_is_wanted_of_another_life_is_not_sent() {
    let mut graph = vehicle("  state: {class: realtime}");
    graph.on_heard("state", publisher("/talker", STRING));
    graph.orders();
    hear(&mut graph, message(1, 1, vec![], &["state@99"]));
    assert_eq!(acts(&mut graph), [""; 0]);
}

#[test]
fn a_latched_topic_is_sent_wanted_or_not_and_the_link_keeps_it() {
    let mut graph = vehicle("  map: {class: best_effort, reliability: best_effort, depth: 2}");
    graph.on_heard("map", latched("/mapper"));
    let orders = graph.orders();
    let Some(Order::OpenSource(opening)) = orders.first() else { panic!("{orders:?}") };
    assert!(opening.is_kept() && opening.qos.reliability == Reliability::Reliable);
    assert_eq!((opening.qos.depth(), told(&orders).unwrap().topics[0].is_latched), (Some(2), true));
}

#[test]
fn a_topic_ends_a_second_after_its_last_publisher_and_its_next_life_has_another_name() {
    let mut graph = vehicle("  map: {class: best_effort}");
    let mut names = Vec::new();
    for begin in [10, 20] {
        graph.on_linked("map", true, at(begin));
        graph.on_heard("map", latched("/mapper"));
        let orders = graph.orders();
        names.push(told(&orders).unwrap().topics[0].link_topic());
        graph.on_linked("map", false, at(begin + 1));
        graph.on_time(at(begin + 1));
        assert_eq!(acts(&mut graph), [""; 0]);
        graph.on_linked("map", true, at(begin + 1));
        graph.on_linked("map", false, at(begin + 2));
        graph.on_time(MonoTime::from_millis(1_000 * (begin + 3) - 1));
        assert_eq!(acts(&mut graph), [""; 0], "it was away for less than a second at a time");
        graph.on_time(at(begin + 3));
        let orders = graph.orders();
        assert_eq!((words(&orders), told(&orders).unwrap().topics.len()), (vec!["stop map".to_owned()], 0));
    }
    assert_ne!(names[0], names[1]);
}

#[test]
fn a_publisher_that_says_one_thing_and_goes_is_told_of_before_it_is_over() {
    let mut graph = vehicle("  map: {class: best_effort}");
    graph.on_linked("map", false, at(1));
    graph.on_time(at(50));
    graph.on_heard("map", latched("/once"));
    assert_eq!(acts(&mut graph), ["send map"]);
    graph.on_linked("map", false, at(51));
    graph.on_time(at(51));
    assert_eq!(acts(&mut graph), [""; 0]);
}

#[test]
fn another_type_than_the_flow_declares_is_reported_with_both_however_it_is_written() {
    for declared in ["std_msgs/msg/String", "std_msgs/String"] {
        let mut graph = vehicle(&format!("  state: {{class: realtime, type: {declared}}}"));
        graph.on_heard("state", publisher("/cam", IMAGE));
        assert!(told(&graph.orders()).is_none());
        let said = reports(&mut graph).join("\n");
        assert!(said.contains("/cam publishes sensor_msgs/Image, the topic has std_msgs/String"), "{said}");
        graph.on_heard("state", publisher("/talker", STRING));
        assert_eq!(told(&graph.orders()).unwrap().topics.len(), 1);
    }
}

#[test]
fn a_second_publisher_with_another_type_is_reported_and_counts_once_the_first_is_gone() {
    let mut graph = vehicle("  state: {class: realtime}");
    graph.on_heard("state", publisher("/talker", STRING));
    graph.on_heard("state", publisher("/cam", IMAGE));
    assert_eq!(told(&graph.orders()).unwrap().topics[0].type_name, STRING.0);
    assert!(
        reports(&mut graph)[0].contains("/cam publishes sensor_msgs/Image, the topic has std_msgs/String")
    );
    graph.on_master(state(&[("/state", &["/talker", "/cam"])]));
    graph.on_master(state(&[("/state", &["/cam"])]));
    assert_eq!(acts(&mut graph), [""; 0], "it may have come after the master was asked");
    graph.on_master(state(&[("/state", &["/cam"])]));
    assert_eq!(acts(&mut graph), ["unsubscribe state", "subscribe /state"]);
    graph.on_heard("state", publisher("/cam", IMAGE));
    assert_eq!(told(&graph.orders()).unwrap().topics[0].type_name, IMAGE.0);
    assert_eq!(graph.standing().count(), 0);
}

#[test]
fn of_one_type_with_two_md5sums_the_first_counts_and_any_is_none() {
    let mut graph = vehicle("  state: {class: realtime}");
    graph.on_heard("state", publisher("/any", ("std_msgs/String", "*")));
    graph.on_heard("state", publisher("/talker", STRING));
    graph.on_heard("state", publisher("/old", (STRING.0, IMAGE.1)));
    assert_eq!(told(&graph.orders()).unwrap().topics[0].md5sum, STRING.1);
    let said = reports(&mut graph).join("\n");
    assert!(said.contains("/any says type std_msgs/String and md5sum *"), "{said}");
    assert!(said.contains(&format!("/old publishes std_msgs/String with md5sum {}", IMAGE.1)), "{said}");
}

#[test]
fn what_the_other_end_has_is_published_here_if_our_own_file_says_so() {
    let mut graph =
        graph(Toward::Operator, "  state: {class: realtime}\n  go: {class: control, toward: vehicle}");
    graph.orders();
    let topics = vec![topic("state", 3), topic("go", 4), topic("other", 5)];
    hear(&mut graph, message(1, 1, topics, &[]));
    assert_eq!(acts(&mut graph), ["publish /state"]);
    let said = reports(&mut graph).join("\n");
    assert!(said.contains("topic /go: the other end sends it") && said.contains("topic /other:"), "{said}");
    graph.on_demand("state", true);
    assert_eq!(told(&graph.orders()).unwrap().wanted, ["state@3".to_owned()].into());
    hear(&mut graph, message(1, 2, vec![topic("state", 6)], &[]));
    let orders = graph.orders();
    assert_eq!(words(&orders), ["take down state", "publish /state"]);
    assert_eq!(told(&orders).unwrap().wanted.len(), 0, "nobody has subscribed to the next one yet");
}

#[test]
fn a_declared_type_that_the_other_end_has_otherwise_is_not_taken() {
    let mut graph = graph(Toward::Operator, "  state: {class: realtime, type: sensor_msgs/msg/Image}");
    graph.orders();
    hear(&mut graph, message(1, 1, vec![topic("state", 3)], &[]));
    assert_eq!(acts(&mut graph), [""; 0]);
    let said = reports(&mut graph).join("\n");
    assert!(said.contains("declares sensor_msgs/Image, the other end has std_msgs/String"), "{said}");
}

#[test]
fn old_messages_change_nothing_another_run_begins_anew_and_silence_takes_all_down() {
    let mut graph = graph(Toward::Operator, "  state: {class: realtime}");
    hear(&mut graph, message(1, 2, vec![topic("state", 3)], &[]));
    graph.orders();
    assert!(!hear(&mut graph, message(1, 1, vec![], &[])));
    assert!(!hear(&mut graph, message(1, 2, vec![], &[])));
    assert_eq!(acts(&mut graph), [""; 0]);
    assert!(hear(&mut graph, message(2, 1, vec![topic("state", 3)], &[])));
    assert_eq!(acts(&mut graph), ["take down state", "publish /state"]);
    graph.on_peer_gone();
    assert_eq!(acts(&mut graph), ["take down state"]);
}

#[test]
fn two_bridges_at_one_master_carry_nothing_until_they_are_not() {
    let mut graph = vehicle("  state: {class: realtime}\n  go: {class: control, toward: vehicle}");
    graph.on_heard("state", latched("/talker"));
    graph.orders();
    hear(&mut graph, message(1, 1, vec![topic("go", 1)], &[]));
    assert_eq!(acts(&mut graph), ["publish /go"]);
    graph.on_master(state(&[("/rosout", &["/tokkyu_bridge_operator_9"])]));
    assert_eq!(acts(&mut graph), ["stop state", "unsubscribe state", "take down go"]);
    let said = reports(&mut graph).join("\n");
    assert!(said.contains("nodes of one master") && said.contains("another ROS_MASTER_URI"), "{said}");
    graph.on_master(state(&[]));
    assert_eq!(acts(&mut graph), ["subscribe /state", "publish /go"]);
}

#[test]
fn nothing_of_a_new_run_of_the_other_bridge_is_published_before_the_master_was_looked_at() {
    let mut graph = graph(Toward::Operator, "  state: {class: realtime}");
    graph.orders();
    for instance in 1..3 {
        graph.on_message(message(instance, 1, vec![topic("state", 1)], &[]));
        let orders = graph.orders();
        assert!(orders.contains(&Order::AskMaster) && !words(&orders).contains(&"publish /state".to_owned()));
        graph.on_master(state(&[]));
        assert_eq!(acts(&mut graph), ["publish /state"]);
        graph.on_message(message(instance, 2, vec![topic("state", 1)], &["go@1"]));
        assert!(!graph.orders().contains(&Order::AskMaster), "it is known by now");
    }
}

#[test]
fn what_a_bridge_publishes_is_reported_and_makes_no_topic() {
    let mut graph = vehicle("  state: {class: realtime}");
    graph.on_heard("state", publisher("/tokkyu_bridge_operator_5", STRING));
    assert!(told(&graph.orders()).is_none());
    assert!(reports(&mut graph)[0].contains("its samples do not cross again"));
}

#[test]
fn each_node_s_own_log_and_services_are_told_and_not_carried() {
    let mut graph = vehicle("  '**': {class: background}\n  arm/home: {class: realtime}");
    let mut state = state(&[("/rosout", &["/talker"]), ("/rosout_agg", &["/rosout"])]);
    state.services = ["/arm/home".to_owned(), "/talker/get_loggers".to_owned()].into();
    graph.on_master(state);
    assert_eq!(acts(&mut graph), ["subscribe /rosout_agg"]);
    let said = reports(&mut graph).join("\n");
    assert!(said.contains("topic /rosout: it is each node's own log"), "{said}");
    assert!(said.contains("topic /arm/home: it is a service") && !said.contains("get_loggers"), "{said}");
}

#[test]
fn what_could_not_be_opened_is_left_alone_until_its_pause_is_over() {
    let mut graph = vehicle("  map: {class: best_effort}\n  go: {class: control, toward: vehicle}");
    hear(&mut graph, message(1, 1, vec![topic("go", 1)], &[]));
    graph.on_heard("map", latched("/mapper"));
    assert_eq!(acts(&mut graph), ["send map", "publish /go"]);
    for topic in ["map", "go"] {
        graph.on_not_opened(topic);
    }
    assert_eq!(acts(&mut graph), [""; 0]);
    for topic in ["map", "go"] {
        graph.on_pause_over(topic);
    }
    assert_eq!(acts(&mut graph), ["send map", "publish /go"]);
    graph.on_not_subscribed("map");
    assert_eq!(acts(&mut graph), ["stop map"]);
    graph.on_pause_over("map");
    assert_eq!(acts(&mut graph), ["subscribe /map"]);
}

#[test]
fn no_more_topics_are_subscribed_to_than_cross() {
    let mut graph = vehicle("  a/*: {class: background}");
    let mut many = State::default();
    for n in 0..ENTRIES_MAX + 3 {
        many.publishers.insert(format!("/a/t{n:04}"), ["/node".to_owned()].into());
    }
    graph.on_master(many);
    assert_eq!(acts(&mut graph).len(), ENTRIES_MAX);
    assert_eq!(reports(&mut graph).len(), 1);
}

#[test]
fn a_namespace_is_of_one_end_alone() {
    let mut graph = graph(Toward::Vehicle, "  state: {class: realtime}\n  camera/*: {class: realtime}");
    graph.identity.namespace = Namespace::new("rover7").unwrap();
    assert_eq!(acts(&mut graph), ["subscribe /rover7/state"]);
    graph.on_master(state(&[("/rover7/camera/front", &["/cam"]), ("/camera/rear", &["/cam"])]));
    assert_eq!(acts(&mut graph), ["subscribe /rover7/camera/front"]);
    graph.on_heard("camera/front", publisher("/cam", IMAGE));
    assert_eq!(told(&graph.orders()).unwrap().topics[0].name, "camera/front");
}
