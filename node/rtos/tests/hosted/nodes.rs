//! Two nodes of one system, and a master, in virtual time (NRT-10, NRT-20 to NRT-27, NODE-119).

use std::net::Ipv4Addr;
use std::time::Duration;

use smoltcp::wire::Ipv4Packet;
use tokkyu_callbacks::Node;
use tokkyu_callbacks::messages::std_msgs;
use tokkyu_callbacks::port::{Clock, Sleeper};
use tokkyu_contract::Class;
use tokkyu_node_master::serve;
use tokkyu_node_rtos::{Address, Flow, Memory, Stack, Wire};

use crate::world::{PORT, World, make, world};

/// The first that listens in its system is the master.
const MASTER_URI: &str = "http://10.0.0.1:11411";
const OWN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SECOND_US: u64 = 1_000_000;

/// Of what nodes start: two networks, and one more.
const WORKERS: [Option<Class>; 3] = [None; 3];

const MASTER: i32 = 1;
const DRIVER: i32 = 2;
const TALKER: i32 = 3;
const LISTENER: i32 = 4;

/// Nothing goes through from now on, or everything does.
fn cut(is_cut: bool) {
    IS_CUT.set(is_cut);
}

/// What a device's interrupt would do, if a frame goes through.
fn passes(frame: &[u8]) -> bool {
    let passes = !IS_CUT.get();
    SEEN.with_borrow_mut(|seen| seen.push(frame.to_vec()));
    world().stack.get().filter(|_| passes).into_iter().for_each(|stack| stack.kick(&PORT));
    passes
}

/// A master, a node that publishes a number every tenth of a second, and one that hears them; so many sockets. `sockets`: 24 are enough.
fn two_nodes(sockets: usize, shares: bool) -> &'static World {
    let world = system(sockets, shares, &WORKERS);
    world.job(TALKER, talk);
    world.job(LISTENER, hear);
    world
}

/// The master and the network alone, and workers.
fn system(sockets: usize, shares: bool, workers: &[Option<Class>]) -> &'static World {
    cut(false);
    SEEN.take();
    let tasks = [(10, 1, true), (9, 1, true), (12, 1, true), (12, 1, true)];
    let world = make(1, &tasks, workers);
    let address = Address { own: OWN, prefix_bits: 24, gateway: None, loopback: None };
    let memory = Memory { sockets, receive_bytes: 2048, send_bytes: 4096 };
    let stack = Stack::new(Wire::new(passes), [2, 0, 0, 0, 0, 1], address, memory, 7);
    let stack: &'static Stack<Wire> = Box::leak(Box::new(stack));
    world.stack.set(Some(stack));
    for (name, value) in [("ROS_MASTER_URI", MASTER_URI), ("ROS_IP", "10.0.0.1")] {
        world.variables.borrow_mut().insert(name.to_owned(), value.to_owned());
    }
    if !shares {
        world.variables.borrow_mut().insert("TOKKYU_SHARED_MEMORY".to_owned(), "0".to_owned());
    }
    world.job(MASTER, || drop(serve(&PORT, OWN.into(), 1, |_| ())));
    world.job(DRIVER, move || stack.drive(&PORT));
    world
}

fn talk() {
    PORT.sleep_until(PORT.now() + Duration::from_millis(10));
    let node = Node::builder("talker").build().expect("a node");
    let numbers = node.advertise::<std_msgs::String>("numbers", 4).expect("it is agreed to");
    let mut rate = node.rate(10.0);
    for number in 0_u32.. {
        let _ = numbers.publish(std_msgs::String { data: number.to_string() });
        rate.sleep();
    }
}

thread_local! {
    static IS_CUT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    static SEEN: std::cell::RefCell<Vec<Vec<u8>>> = const { std::cell::RefCell::new(Vec::new()) };
    static HEARD: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn hear() {
    HEARD.take();
    // The master tells nobody of those who come later.
    PORT.sleep_until(PORT.now() + Duration::from_millis(500));
    let node = Node::builder("listener").build().expect("a node");
    let hear =
        |message: &std_msgs::String| HEARD.with_borrow_mut(|heard| heard.extend(message.data.parse::<u32>()));
    let _subscription = node.subscribe::<std_msgs::String>("numbers", 4, hear).expect("it is agreed to");
    node.spin();
}

fn heard() -> Vec<u32> {
    HEARD.with_borrow(Clone::clone)
}

/// In order and with no gap.
fn is_whole(heard: &[u32]) -> bool {
    heard.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

#[test]
fn nodes_of_one_system_read_each_other_s_slots() {
    let world = two_nodes(24, true);
    world.run_for(3 * SECOND_US);
    let heard = heard();
    assert!(heard.len() > 15 && is_whole(&heard), "{heard:?} {:?}", world.printed.borrow());
    assert_eq!(*world.printed.borrow(), Vec::<String>::new());
}

#[test]
fn nodes_of_one_system_that_do_not_share_meet_over_tcpros() {
    let world = two_nodes(24, false);
    world.run_for(3 * SECOND_US);
    let heard = heard();
    assert!(heard.len() > 15 && is_whole(&heard), "{heard:?} {:?}", world.printed.borrow());
}

/// NRT-26: what was on its way is sent again; the queue loses what is older than it is deep.
#[test]
fn a_link_that_was_down_goes_on_by_itself() {
    let world = two_nodes(24, false);
    world.run_for(2 * SECOND_US);
    let before = heard().len();
    cut(true);
    world.run_for(30 * SECOND_US);
    let during = heard().len();
    assert!(during <= before + 1, "{before} {during}");
    cut(false);
    world.run_for(40 * SECOND_US);
    let after = heard();
    assert!(after.len() > during + 50, "{} {during} {:?}", after.len(), world.printed.borrow());
    assert!(after.is_sorted());
}

/// NRT-21: the node says what it does not reach, and why.
#[test]
fn a_system_without_a_socket_for_it_says_so() {
    let world = two_nodes(6, false);
    world.run_for(10 * SECOND_US);
    let printed = world.printed.borrow();
    let says_why = |line: &String| line.contains("all sockets that the program may have are in use");
    assert!(heard().is_empty() && printed.iter().any(says_why), "{printed:?}");
}

const URGENT: Flow = Flow {
    name: "urgent/*",
    class: Class::Control,
    is_reliable: false,
    depth: Some(4),
    is_latched: false,
    bytes: 64,
};

fn talk_twice() {
    PORT.sleep_until(PORT.now() + Duration::from_millis(10));
    let node = Node::builder("talker").build().expect("a node");
    let slow = node.advertise::<std_msgs::String>("slow", 4).expect("it is agreed to");
    let urgent = node.advertise::<std_msgs::String>("urgent/stop", 4).expect("it is agreed to");
    let mut rate = node.rate(20.0);
    for number in 0_u32.. {
        let _ = slow.publish(std_msgs::String::default());
        let _ = urgent.publish(std_msgs::String { data: number.to_string() });
        rate.sleep();
    }
}

/// Half a second for each message of the slow topic.
fn hear_slowly() {
    HEARD.take();
    PORT.sleep_until(PORT.now() + Duration::from_millis(500));
    let node = Node::builder("listener").build().expect("a node");
    let hear =
        |message: &std_msgs::String| HEARD.with_borrow_mut(|heard| heard.extend(message.data.parse::<u32>()));
    let _urgent = node.subscribe::<std_msgs::String>("urgent/stop", 4, hear).expect("it is agreed to");
    let slow = |_: &std_msgs::String| PORT.sleep_until(PORT.now() + Duration::from_millis(500));
    let _slow = node.subscribe::<std_msgs::String>("slow", 4, slow).expect("it is agreed to");
    node.spin();
}

/// What is heard of the urgent topic in 4 s while the other one's callback takes half a second.
fn heard_beside_a_slow_one(flows: &'static [Flow]) -> Vec<u32> {
    let world = system(24, true, &[WORKERS.as_slice(), &[Some(Class::Control)]].concat());
    world.flows.set(flows);
    world.job(TALKER, talk_twice);
    world.job(LISTENER, hear_slowly);
    world.run_for(5 * SECOND_US);
    println!("{:?} {:?}", world.printed.borrow(), heard());
    heard()
}

/// NRT-12, NODE-66: a declared class has tasks of its own; its queue holds four.
#[test]
fn callbacks_of_a_flow_that_is_built_in_run_in_its_class_s_task() {
    let declared = heard_beside_a_slow_one(&[URGENT]);
    assert!(declared.len() > 60 && is_whole(&declared), "{declared:?}");
    let undeclared = heard_beside_a_slow_one(&[]);
    assert!(undeclared.len() < 60 && !is_whole(&undeclared), "{undeclared:?}");
}

/// NRT-12: a pattern stands behind a name, and slots that find no memory are an error of the topic.
#[test]
fn a_flow_of_more_memory_than_there_is_is_refused() {
    static FLOWS: [Flow; 2] = [URGENT, Flow { name: "urgent/huge", bytes: usize::MAX / 2, ..URGENT }];
    let world = system(24, true, &WORKERS);
    world.flows.set(&FLOWS);
    world.job(TALKER, move || {
        PORT.sleep_until(PORT.now() + Duration::from_millis(10));
        let node = Node::builder("talker").build().expect("a node");
        let huge =
            node.advertise::<std_msgs::String>("urgent/huge", 4).map(drop).map_err(|error| error.to_string());
        assert!(huge.is_err_and(|error| error.contains("/urgent/huge: there is no memory")));
        world.say(node.advertise::<std_msgs::String>("urgent/small", 4).map_or("refused", |_| "goes on"));
    });
    world.run_for(SECOND_US);
    assert_eq!(*world.said.borrow(), ["goes on"]);
}

/// Tells of the urgent topic three times with pauses between, and of another one.
fn talk_in_code_points() {
    PORT.sleep_until(PORT.now() + Duration::from_millis(10));
    let node = Node::builder("talker").build().expect("a node");
    let plain = node.advertise::<std_msgs::String>("plain", 4).expect("it is agreed to");
    let urgent = node.advertise::<std_msgs::String>("urgent/stop", 4).expect("it is agreed to");
    let mut rate = node.rate(10.0);
    loop {
        let _ = plain.publish(std_msgs::String { data: "of no class".to_owned() });
        let _ = urgent.publish(std_msgs::String { data: "to be first".to_owned() });
        rate.sleep();
    }
}

/// A second of the urgent topic, then one of the other alone, again and again: sockets are used for both.
fn hear_in_turn() {
    HEARD.take();
    PORT.sleep_until(PORT.now() + Duration::from_millis(500));
    let node = Node::builder("listener").build().expect("a node");
    for topic in ["urgent/stop", "plain"].iter().cycle() {
        let hear = |_: &std_msgs::String| HEARD.with_borrow_mut(|heard| heard.push(0));
        let subscription = node.subscribe::<std_msgs::String>(topic, 4, hear).expect("it is agreed to");
        for _ in 0..10 {
            PORT.sleep_until(PORT.now() + Duration::from_millis(100));
            node.spin_once();
        }
        drop(subscription);
    }
}

/// Code points of the frames with these words, each once.
fn code_points_of(words: &str) -> Vec<u8> {
    let has = |frame: &&Vec<u8>| frame.windows(words.len()).any(|part| part == words.as_bytes());
    let code_point = |frame: &Vec<u8>| {
        let packet = Ipv4Packet::new_checked(&frame[14..]).expect("a packet");
        assert!(packet.verify_checksum());
        packet.dscp()
    };
    let mut points: Vec<u8> = SEEN.with_borrow(|seen| seen.iter().filter(has).map(code_point).collect());
    println!("{} frames with {words:?}", points.len());
    points.sort_unstable();
    points.dedup();
    points
}

/// NRT-27: also of sockets that had another topic's connection before.
#[test]
fn packets_of_a_flow_that_is_built_in_have_its_class_s_code_point() {
    let world = system(24, false, &WORKERS);
    world.flows.set(&[URGENT]);
    world.job(TALKER, talk_in_code_points);
    world.job(LISTENER, hear_in_turn);
    world.run_for(60 * SECOND_US);
    assert!(heard().len() > 200, "{} {:?}", heard().len(), world.printed.borrow());
    assert_eq!(code_points_of("to be first"), [Class::Control.priorities().dscp]);
    assert_eq!(code_points_of("of no class"), [0]);
    // What is said to the master, and between nodes.
    assert_eq!(code_points_of("HTTP/1."), [0]);
}
