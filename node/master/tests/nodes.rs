//! Nodes of ours in this process, with this master, over loopback (NODE-122 to NODE-124).

use std::net::Ipv4Addr;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::spawn;
use std::time::Duration;

use tokkyu_callbacks::port::port;
use tokkyu_node::messages::std_msgs;
use tokkyu_node::{Node, Param};
use tokkyu_node_master::serve;

/// Something has gone wrong if a step takes longer. It is no promise.
const PATIENCE: Duration = Duration::from_secs(20);

/// One for all tests, whose nodes have names of their own.
fn master() -> &'static str {
    static URI: OnceLock<String> = OnceLock::new();
    URI.get_or_init(|| {
        let (told, tell) = channel();
        spawn(move || {
            serve(port(), Ipv4Addr::LOCALHOST.into(), 42, |uri| {
                told.send(uri.to_owned()).expect("the test hears")
            })
        });
        tell.recv_timeout(PATIENCE).expect("it listens")
    })
}

fn node(name: &str) -> Node {
    Node::builder(name).master(master()).build().expect("a node")
}

fn hears(node: &Node, topic: &str) -> (tokkyu_node::Subscription, Receiver<String>) {
    let (said, heard): (Sender<String>, _) = channel();
    let hear = move |message: &std_msgs::String| drop(said.send(message.data.clone()));
    (node.subscribe::<std_msgs::String>(topic, 10, hear).expect("a subscription"), heard)
}

/// Publishes until somebody has heard it, by a thread that spins for `node`.
fn say(node: &Node, topic: &str, text: &str, spins: &Node, heard: &Receiver<String>) -> String {
    let publisher = node.advertise::<std_msgs::String>(topic, 10).expect("a publisher");
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let _ = publisher.publish(std_msgs::String { data: text.to_owned() });
        spins.spin_for(Duration::from_millis(10));
        if let Ok(heard) = heard.try_recv() {
            return heard;
        }
        assert!(std::time::Instant::now() < deadline, "nobody hears {text}");
    }
}

#[test]
fn who_comes_first_is_told_of_who_comes_later_and_again() {
    let listener = node("first");
    let (_subscription, heard) = hears(&listener, "later");
    for text in ["one", "two"] {
        let talker = node("talker_later");
        while heard.try_recv().is_ok() {}
        assert_eq!(say(&talker, "later", text, &listener, &heard), text);
        talker.shutdown();
    }
}

#[test]
fn parameters_are_those_of_all_and_who_watches_one_is_told() {
    let (sets, watches) = (node("sets"), node("watches"));
    sets.set_param("/arm/rate", &Param::Int(10)).expect("it is set");
    let cached = || watches.param_cached::<i32>("/arm/rate").expect("a number");
    assert_eq!(cached(), Some(10));
    sets.set_param("/arm", &Param::Map([("rate".to_owned(), Param::Int(20))].into())).expect("it is set");
    let deadline = std::time::Instant::now() + PATIENCE;
    while cached() != Some(20) {
        assert!(std::time::Instant::now() < deadline, "it is not told");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!watches.has_param("/arm/none").expect("it answers"));
}
