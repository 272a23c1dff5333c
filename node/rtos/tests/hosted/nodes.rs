//! Two nodes of one system, and a master, in virtual time (NRT-10, NRT-20 to NRT-26, NODE-119).

use std::net::Ipv4Addr;
use std::time::Duration;

use tokkyu_callbacks::Node;
use tokkyu_callbacks::messages::std_msgs;
use tokkyu_callbacks::port::{Clock, Sleeper};
use tokkyu_node_rtos::{Address, Memory, Stack};

use crate::master;
use crate::wire::Wire;
use crate::world::{PORT, World, make, world};

/// The first that listens in its system is the master.
const MASTER_URI: &str = "http://10.0.0.1:11411";
const OWN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SECOND_US: u64 = 1_000_000;

const MASTER: i32 = 1;
const DRIVER: i32 = 2;
const TALKER: i32 = 3;
const LISTENER: i32 = 4;

/// Nothing goes through from now on, or everything does.
fn cut(is_cut: bool) {
    IS_CUT.set(is_cut);
}

/// What a device's interrupt would do, if a frame goes through.
fn passes() -> bool {
    let passes = !IS_CUT.get();
    world().stack.get().filter(|_| passes).into_iter().for_each(|stack| stack.kick(&PORT));
    passes
}

/// A master, a node that publishes a number every tenth of a second, and one that hears them; so many sockets. `sockets`: 24 are enough.
fn two_nodes(sockets: usize, shares: bool) -> &'static World {
    cut(false);
    let tasks = [(10, 1, true), (9, 1, true), (12, 1, true), (12, 1, true)];
    let world = make(1, &tasks, &[None, None, None]);
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
    world.job(MASTER, || master::run(&PORT));
    world.job(DRIVER, move || stack.drive(&PORT));
    world.job(TALKER, talk);
    world.job(LISTENER, hear);
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

/// NRT-21: the node says that it reaches nobody.
#[test]
fn a_system_without_a_socket_for_it_says_so() {
    let world = two_nodes(6, false);
    world.run_for(10 * SECOND_US);
    let printed = world.printed.borrow();
    assert!(heard().is_empty() && !printed.is_empty(), "{printed:?}");
    println!("{printed:?}");
}
