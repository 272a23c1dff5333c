//! Subscriptions that lose nothing: the publisher is told (NODE-17, NODE-68). Nobody spins but when the test says so.

mod agreeing_master;

use std::sync::mpsc::{Receiver, channel};

use tokkyu_message::{Output, Wire};
use tokkyu_node::messages::std_msgs;
use tokkyu_node::{Flows, Node, PublishError, PublisherOptions, Subscription, SubscriptionOptions};

fn node() -> Node {
    Node::builder("test").master(agreeing_master::start(&[])).build().expect("a node")
}

/// What a subscription to `numbers` hears once somebody spins.
fn hearing(node: &Node, options: SubscriptionOptions) -> (Subscription, Receiver<u32>) {
    let (told, hear) = channel();
    let callback = move |message: &std_msgs::String| {
        told.send(message.data.parse().expect("a number")).expect("the test hears");
    };
    (node.subscribe_with("numbers", options, callback).expect("it subscribes"), hear)
}

fn reliable(depth: u32) -> SubscriptionOptions {
    SubscriptionOptions { reliable: Some(true), ..SubscriptionOptions::with_depth(depth) }
}

fn message(number: u32) -> std_msgs::String {
    std_msgs::String { data: number.to_string() }
}

fn all(hear: &Receiver<u32>) -> Vec<u32> {
    hear.try_iter().collect()
}

#[test]
fn a_full_reliable_subscription_makes_publish_report_and_loses_nothing() {
    let node = node();
    let publisher = node.advertise_with("numbers", PublisherOptions::with_depth(10)).unwrap();
    let (_reliable, all_of_them) = hearing(&node, reliable(2));
    let (_other, newest) = hearing(&node, SubscriptionOptions::with_depth(1));
    let mut published = Vec::new();
    for number in 0..10_u32 {
        let message = message(number);
        // By value, by reference and by loan.
        let said = match number % 3 {
            0 => publisher.publish(message),
            1 => publisher.publish_ref(&message),
            _ => publisher.loan(message.wire_len()).and_then(|mut loan| {
                message.write(&mut Output::new(&mut loan));
                loan.publish()
            }),
        };
        match said {
            Ok(_) => published.push(number),
            Err(error) => assert_eq!(error, PublishError::Full),
        }
        if number % 4 == 3 {
            node.spin_once();
        }
    }
    node.spin_once();
    assert_eq!(published, [0, 1, 4, 5, 8, 9], "two, until somebody has read");
    assert_eq!(all(&all_of_them), published);
    assert_eq!(all(&newest), [1, 5, 9], "nobody gets what one has refused");
}

#[test]
fn the_publisher_is_told_as_long_as_the_subscription_is_there() {
    let node = node();
    let publisher = node.advertise_with("numbers", PublisherOptions::with_depth(10)).unwrap();
    let (subscription, _hear) = hearing(&node, reliable(1));
    let publish = |number| publisher.publish(message(number));
    assert_eq!((publish(0), publish(1)), (Ok(0), Err(PublishError::Full)));
    drop(subscription);
    let (_other, hear) = hearing(&node, reliable(1));
    assert!(publish(2).is_ok());
    node.spin_once();
    assert_eq!(all(&hear), [2]);
}

/// By declaration alone: `keep_all` is what may not be overwritten, `keep_last` is, however reliable.
#[test]
fn what_is_declared_reliable_with_all_its_history_is_never_overwritten() {
    let folder = std::env::temp_dir().join(format!("tokkyu-reliable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("robot.yaml");
    let is_told = ["keep_all", "keep_last, depth: 1"].map(|history| {
        let flow = format!("numbers: {{class: best_effort, reliability: reliable, history: {history}}}");
        std::fs::write(&path, format!("robot: r\nflows:\n  {flow}\n")).unwrap();
        let node = Node::builder("test")
            .master(agreeing_master::start(&[]))
            .flows(Flows::load(&path).unwrap())
            .build()
            .unwrap();
        let publisher = node.advertise_with("numbers", PublisherOptions::with_depth(10)).unwrap();
        let (_subscription, _hear) = hearing(&node, SubscriptionOptions::with_depth(1));
        publisher.publish(message(0)).unwrap();
        publisher.publish(message(1)) == Err(PublishError::Full)
    });
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(is_told, [true, false]);
}
