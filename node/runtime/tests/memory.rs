//! The slots that `tokkyu node memory` prints are enough, and none is too many (NODE-11, NODE-67).

mod agreeing_master;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokkyu_contract::yaml::robot;
use tokkyu_node::memory::{HELD, LINKS, LOANS, limits, plan};
use tokkyu_node::messages::{rosgraph_msgs, std_msgs};
use tokkyu_node::{CallbackQueue, Flows, Node, Publisher, PublisherOptions, Subscription};
use tokkyu_topic::{Bell, Channel, Limits, Terms};

const ROBOT: &str = "\
robot: r
flows:
  camera: {class: realtime, size: 300 kB, history: keep_last, depth: 1}
  odometry: {class: control, size: 64 B, history: keep_last, depth: 10}
  map: {class: best_effort, history: keep_last, depth: 3, durability: transient_local, reliability: reliable}
  upload: {class: background, match: {dst_port: 443}}
";

/// Fills every queue, holds what may be held, and takes all loans. Whether all of them are given out.
fn all_loans_succeed(limits: Limits) -> bool {
    let (mut publisher, channel) = Channel::new(limits, || ()).expect("possible limits");
    let join = |_| channel.join(Terms::keep_last(limits.depth), Arc::new(Bell::new()), 0).expect("a link");
    let mut readers: Vec<_> = (0..limits.links).map(join).collect();
    let mut publish = || match publisher.loan() {
        Ok(loan) => publisher.publish(loan).is_ok(),
        Err(_) => false,
    };
    let mut held = Vec::new();
    for _ in 0..limits.held {
        if !publish() {
            return false;
        }
        held.extend(readers.iter_mut().map(|reader| reader.take().expect("one more").expect("published")));
    }
    (0..limits.depth).all(|_| publish()) && {
        let loans: Vec<_> = (0..limits.loans).map_while(|_| publisher.loan().ok()).collect();
        loans.len() == limits.loans as usize
    }
}

#[test]
fn declared_slots_are_enough_and_none_is_too_many() {
    let robot = robot::parse("robot.yaml", ROBOT).expect("it is right");
    for flow in robot.flows.iter().filter(|flow| flow.matching.is_none()) {
        let limits = limits(flow, LINKS);
        assert!(all_loans_succeed(limits), "{}: {limits:?}", flow.name);
    }
    // Of queues of one sample none is under way, so that one slot less must fail.
    let camera = limits(&robot.flows[0], LINKS);
    let fewer = std::panic::catch_unwind(|| all_loans_succeed(Limits { slots: camera.slots - 1, ..camera }));
    assert!(!fewer.unwrap_or(false), "the last link is refused, or a loan");
}

#[test]
fn the_plan_has_every_topic_and_says_what_it_takes() {
    let robot = robot::parse("robot.yaml", ROBOT).expect("it is right");
    let rows = plan(&robot, 3);
    let slots: Vec<_> = rows.iter().map(|row| (&row.topic[..], row.limits.slots, row.messages)).collect();
    let camera = LOANS + 3 * (1 + HELD);
    let odometry = LOANS + 3 * (10 + HELD + 1);
    let map = LOANS + 1 + 3 * (3 + HELD + 1 + 1);
    assert_eq!(
        slots,
        [
            ("camera", camera, Some(u64::from(camera) * 300_000)),
            ("odometry", odometry, Some(u64::from(odometry) * 64)),
            ("map", map, None),
        ]
    );
    // What waits for other processes, what 16 subscribers there hold, and what this one has (NODE-73).
    let shared: Vec<_> = rows.iter().map(|row| (row.shared, row.shared_messages)).collect();
    let slots = |own: u32| 256 + 16 + own + LOANS;
    let expected = [(camera, Some(300_000)), (odometry, Some(64)), (map, None)]
        .map(|(own, size)| (slots(own), size.map(|size: u64| size * u64::from(slots(own)))));
    assert_eq!(shared, expected);
}

/// A node that is given a declaration, whose callbacks wait until the test calls them.
struct Declared {
    node: Node,
    queue: CallbackQueue,
    folder: PathBuf,
}

impl Declared {
    fn new(name: &str) -> Declared {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let robot = folder.join("robot.yaml");
        std::fs::write(&robot, ROBOT).expect("it is written");
        let node = Node::builder("test")
            .master(agreeing_master::start(&[]))
            .flows(Flows::load(&robot).unwrap())
            .build()
            .expect("a node");
        let queue = CallbackQueue::new();
        Declared { node: node.with_queue(&queue), queue, folder }
    }

    /// A subscription, and what it hears.
    fn subscribe(&self, topic: &str, depth: u32) -> (Subscription, Arc<Mutex<Vec<String>>>) {
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let hears = heard.clone();
        let callback = move |message: &std_msgs::String| hears.lock().unwrap().push(message.data.clone());
        (self.node.subscribe(topic, depth, callback).expect("it subscribes"), heard)
    }

    fn say(&self, publisher: &Publisher<std_msgs::String>, texts: &[&str]) {
        for text in texts {
            publisher.publish(std_msgs::String { data: (*text).to_owned() }).expect("a loan never fails");
        }
        self.queue.spin_once();
    }
}

impl Drop for Declared {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// NODE-67: there are slots for four. The fifth hears nothing, and the node's log says so.
#[test]
fn a_fifth_subscription_of_a_declared_topic_is_refused_and_said() {
    let declared = Declared::new("fifth");
    let publisher = declared.node.advertise::<std_msgs::String>("/odometry", 1).expect("it is advertised");
    let mut all: Vec<_> = (0..=LINKS).map(|_| declared.subscribe("/odometry", 1)).collect();
    let publishers: Vec<u32> = all.iter().map(|(subscription, _)| subscription.publishers()).collect();
    assert_eq!(publishers, [1, 1, 1, 1, 0]);
    declared.say(&publisher, &["one"]);
    let heard: Vec<usize> = all.iter().map(|(_, heard)| heard.lock().unwrap().len()).collect();
    assert_eq!(heard, [1, 1, 1, 1, 0]);

    let told = Arc::<Mutex<Vec<String>>>::default();
    let tells = told.clone();
    let log = move |line: &rosgraph_msgs::Log| tells.lock().unwrap().push(line.msg.clone());
    let _log = declared.node.subscribe("/rosout", 100, log).expect("it subscribes");
    declared.queue.spin_once();
    assert!(told.lock().unwrap().iter().any(|line| line.contains("/odometry cannot be read")), "{told:?}");

    // Its place is another's once it has left.
    drop(all.remove(0));
    let (next, heard) = declared.subscribe("/odometry", 1);
    declared.say(&publisher, &["two"]);
    assert_eq!((next.publishers(), heard.lock().unwrap().len()), (1, 1));
}

/// NODE-67: of what it asks for it gets what is declared.
#[test]
fn a_deeper_subscription_of_a_declared_topic_has_the_declared_depth() {
    let declared = Declared::new("deeper");
    let publisher = declared.node.advertise::<std_msgs::String>("/map", 100).expect("it is advertised");
    let (_subscription, heard) = declared.subscribe("/map", 100);
    declared.say(&publisher, &["a", "b", "c", "d", "e"]);
    assert_eq!(*heard.lock().unwrap(), ["c", "d", "e"]);
}

/// More than any machine has: an error of the one topic.
#[test]
fn a_topic_without_memory_is_refused_and_the_node_goes_on() {
    let node = Node::builder("n").master(agreeing_master::start(&[])).build().expect("a node");
    let options = PublisherOptions { slot_bytes: usize::MAX / 4, ..PublisherOptions::with_depth(1) };
    let refused = node.advertise_with::<std_msgs::String>("camera", options).map(drop);
    let refused = refused.expect_err("no memory").to_string();
    assert!(
        refused.contains("/camera: there is no memory for") && refused.contains("robot.yaml"),
        "{refused}"
    );
    node.advertise::<std_msgs::String>("camera", 1).expect("memory");
}
