//! Which callback is called when, by whom (SPEC, section 6). Nothing here waits for a time: each step is told by a channel.

mod agreeing_master;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokkyu_contract::yaml::robot;
use tokkyu_node::messages::rosgraph_msgs::Clock;
use tokkyu_node::messages::sensor_msgs::Image;
use tokkyu_node::messages::std_msgs;
use tokkyu_node::{
    CallbackQueue, Class, Flows, Node, Publisher, PublisherOptions, Subscription, SubscriptionOptions,
};

/// Something has gone wrong if a step takes longer. It is no promise.
const PATIENCE: Duration = Duration::from_secs(20);

/// Long enough for what must not happen to be seen most often.
const MEANWHILE: Duration = Duration::from_millis(100);

fn node() -> Node {
    let master = agreeing_master::start(&[]);
    Node::builder("test").master(master).build().expect("a node")
}

fn text(data: &str) -> std_msgs::String {
    std_msgs::String { data: data.to_owned() }
}

fn with_class(class: Class) -> SubscriptionOptions {
    SubscriptionOptions { class: Some(class), ..SubscriptionOptions::with_depth(10) }
}

fn spinning(node: &Node) -> std::thread::JoinHandle<()> {
    let node = node.clone();
    std::thread::spawn(move || node.spin())
}

/// A subscription that says what it hears, and then waits until it is told to go on.
fn slow(node: &Node, topic: &str, class: Class) -> (Subscription, Receiver<String>, Sender<()>) {
    let ((told, hear), (go, wait)) = (channel(), channel());
    let callback = move |message: &std_msgs::String| {
        told.send(message.data.clone()).expect("the test hears");
        let _ = wait.recv();
    };
    (node.subscribe_with(topic, with_class(class), callback).expect("it subscribes"), hear, go)
}

fn heard(hear: &Receiver<String>) -> String {
    hear.recv_timeout(PATIENCE).expect("a callback")
}

/// NODE-66.
#[test]
fn a_slow_best_effort_callback_does_not_delay_a_control_one() {
    let node = node();
    let publisher = node.advertise::<std_msgs::String>("bulk", 10).unwrap();
    let command = node.advertise::<std_msgs::String>("command", 10).unwrap();
    let (_bulk, bulk, go_bulk) = slow(&node, "bulk", Class::BestEffort);
    let (_command, commands, go_command) = slow(&node, "command", Class::Control);
    let spinning = spinning(&node);
    publisher.publish(text("big")).unwrap();
    assert_eq!(heard(&bulk), "big");
    // That one is still being handled.
    for number in 0..5 {
        command.publish(text(&number.to_string())).unwrap();
        assert_eq!(heard(&commands), number.to_string());
        go_command.send(()).unwrap();
    }
    drop(go_bulk);
    node.shutdown();
    spinning.join().unwrap();
}

/// NODE-66: by declaration alone.
#[test]
fn the_declared_class_decides_the_thread() {
    let folder = std::env::temp_dir().join(format!("tokkyu-declared-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("robot.yaml");
    std::fs::write(&path, "robot: r\nflows:\n  drive/command: {class: control}\n").unwrap();
    let master = agreeing_master::start(&[]);
    let node = Node::builder("test").master(master).flows(Flows::load(&path).unwrap()).build().unwrap();
    let (told, hear) = channel();
    let name = move |_: &std_msgs::String| {
        told.send(std::thread::current().name().unwrap_or("").to_owned()).expect("the test hears");
    };
    let (one, other, again) = (name.clone(), name.clone(), name);
    let _command = node.subscribe("/drive/command", 1, one).unwrap();
    node.advertise::<std_msgs::String>("/drive/command", 1).unwrap().publish(text("")).unwrap();
    assert_eq!(heard(&hear), "tokkyu-control");
    let _other = node.subscribe("/drive/other", 1, other).unwrap();
    node.advertise::<std_msgs::String>("/drive/other", 1).unwrap().publish(text("")).unwrap();
    assert!(node.spin_for(PATIENCE));
    assert_ne!(heard(&hear), "tokkyu-control");
    let read = robot::load(&path).unwrap();
    std::fs::write(&path, "robot: r\nflows:\n  a: {class: urgent}\n").unwrap();
    // A program that has read its flows does not meet another text of the file in its node.
    let node =
        Node::builder("test").master(agreeing_master::start(&[])).flows(Flows::from(read)).build().unwrap();
    let _command = node.subscribe("/drive/command", 1, again).unwrap();
    node.advertise::<std_msgs::String>("/drive/command", 1).unwrap().publish(text("")).unwrap();
    assert_eq!(heard(&hear), "tokkyu-control");
    let error = Flows::load(&path).expect_err("no such class");
    assert!(error.contains("robot.yaml") && error.contains("urgent"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// NODE-62: in one thread the most important one that is due is called.
#[test]
fn of_those_that_are_due_the_highest_class_is_called_first() {
    let node = node();
    let order = Arc::new(Mutex::new(Vec::new()));
    let queue = CallbackQueue::new();
    let on_queue = node.with_queue(&queue);
    let topics = [("low", Class::Background), ("high", Class::Control), ("middle", Class::BestEffort)];
    let keep: Vec<(Subscription, Publisher<std_msgs::String>)> = topics
        .map(|(topic, class)| {
            let order = order.clone();
            let callback = move |message: &std_msgs::String| order.lock().unwrap().push(message.data.clone());
            let subscription = on_queue.subscribe_with(topic, with_class(class), callback).unwrap();
            (subscription, node.advertise(topic, 10).unwrap())
        })
        .into();
    for number in 0..2 {
        for (at, (topic, _)) in topics.iter().enumerate() {
            keep[at].1.publish(text(&format!("{topic} {number}"))).unwrap();
        }
    }
    queue.spin_once();
    let wanted = ["high 0", "high 1", "middle 0", "middle 1", "low 0", "low 1"];
    assert_eq!(*order.lock().unwrap(), wanted);
}

/// NODE-10, NODE-63.
#[test]
fn a_message_that_is_published_by_value_is_not_copied() {
    let node = node();
    let (told, hear) = channel();
    let told_again = told.clone();
    let address = |image: &Image| image.data.as_ptr() as usize;
    let _one = node.subscribe("image", 1, move |image: &Image| told.send(address(image)).unwrap()).unwrap();
    let _other =
        node.subscribe("image", 1, move |image: &Image| told_again.send(address(image)).unwrap()).unwrap();
    let publisher = node.advertise::<Image>("image", 1).unwrap();
    let image = Image { data: vec![7; 3 << 20], ..Image::default() };
    let published = address(&image);
    publisher.publish(image).unwrap();
    node.spin_once();
    assert_eq!([hear.recv().unwrap(), hear.recv().unwrap()], [published; 2]);
}

/// NODE-37, NODE-63: filled in its slot, read there.
#[test]
fn a_message_that_is_filled_in_its_slot_is_read_there() {
    let node = node();
    let (told, hear) = channel();
    let view = move |image: tokkyu_node::messages::sensor_msgs::ImageView<'_>| {
        told.send((image.data.as_bytes().as_ptr() as usize, image.data.len(), image.height)).unwrap();
    };
    let _view = node.subscribe_view::<Image>("image", SubscriptionOptions::with_depth(1), view).unwrap();
    let publisher = node.advertise::<Image>("image", 1).unwrap();
    let mut bytes = Vec::new();
    tokkyu_message::write_to(&Image { height: 5, data: vec![1; 1000], ..Image::default() }, &mut bytes);
    let mut loan = publisher.loan(bytes.len()).unwrap();
    loan.copy_from_slice(&bytes);
    let end = loan.as_ptr_range().end as usize;
    loan.publish().unwrap();
    node.spin_once();
    assert_eq!(hear.recv().unwrap(), (end - 1000, 1000, 5));
}

/// NODE-61: several threads, and none of them calls what another is calling.
#[test]
fn one_subscription_is_never_called_by_two_threads() {
    let node = node();
    let inside = Arc::new(AtomicU32::new(0));
    let (told, hear) = channel();
    let own = inside.clone();
    let callback = move |_: &std_msgs::String| {
        assert_eq!(own.fetch_add(1, Ordering::SeqCst), 0, "two at once");
        std::thread::yield_now();
        own.fetch_sub(1, Ordering::SeqCst);
        told.send(()).unwrap();
    };
    let _subscription = node.subscribe("a", 1000, callback).unwrap();
    let (_slow, blocked, go) = slow(&node, "b", Class::BestEffort);
    let threads: Vec<_> = (0..3).map(|_| spinning(&node)).collect();
    node.advertise::<std_msgs::String>("b", 1).unwrap().publish(text("x")).unwrap();
    heard(&blocked);
    let publisher = node.advertise::<std_msgs::String>("a", 1000).unwrap();
    for _ in 0..500 {
        publisher.publish(text("y")).unwrap();
    }
    (0..500).for_each(|_| hear.recv_timeout(PATIENCE).expect("the others go on"));
    drop(go);
    node.shutdown();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// NODE-61: from within its own callback, and while another thread is in it.
#[test]
fn a_subscription_that_is_dropped_is_not_called_any_more() {
    let node = node();
    let publisher = node.advertise::<std_msgs::String>("a", 10).unwrap();
    let kept: Arc<Mutex<Option<Subscription>>> = Arc::default();
    let (own, count) = (kept.clone(), Arc::new(AtomicU32::new(0)));
    let calls = count.clone();
    let callback = move |_: &std_msgs::String| {
        calls.fetch_add(1, Ordering::SeqCst);
        drop(own.lock().unwrap().take());
    };
    *kept.lock().unwrap() = Some(node.subscribe("a", 10, callback).unwrap());
    for _ in 0..3 {
        publisher.publish(text("")).unwrap();
    }
    node.spin_once();
    assert_eq!(count.load(Ordering::SeqCst), 1);

    let (subscription, blocked, go) = slow(&node, "a", Class::BestEffort);
    let spinning = spinning(&node);
    publisher.publish(text("x")).unwrap();
    assert_eq!(heard(&blocked), "x");
    let (told, hear) = channel();
    let dropping = std::thread::spawn(move || {
        drop(subscription);
        told.send(()).unwrap();
    });
    assert!(hear.try_recv().is_err(), "its callback runs");
    go.send(()).unwrap();
    hear.recv_timeout(PATIENCE).expect("it is over with the callback");
    publisher.publish(text("y")).unwrap();
    assert!(blocked.recv_timeout(PATIENCE).is_err(), "nobody is left to tell");
    dropping.join().unwrap();
    node.shutdown();
    spinning.join().unwrap();
}

/// NODE-61: those that the network's thread tells of subscribers.
#[test]
fn nobody_is_told_of_subscribers_once_the_publisher_was_dropped() {
    let node = node();
    let ((begins, begun), (go, wait)) = (channel(), channel::<()>());
    let (count, wait) = (Arc::new(AtomicU32::new(0)), Mutex::new(wait));
    let told = count.clone();
    let on_change = move |_: &str, _: bool| {
        begins.send(()).expect("the test hears");
        wait.lock().unwrap().recv().expect("the test says when");
        told.fetch_add(1, Ordering::SeqCst);
    };
    let options =
        PublisherOptions { on_change: Some(Box::new(on_change)), ..PublisherOptions::with_depth(1) };
    let publisher = node.advertise_with::<std_msgs::String>("a", options).unwrap();
    let subscriber = node.clone();
    let subscribing =
        std::thread::spawn(move || subscriber.subscribe("a", 1, |_: &std_msgs::String| {}).unwrap());
    begun.recv_timeout(PATIENCE).expect("it is told");
    let (drops, dropped) = channel();
    let told = count.clone();
    let dropping = std::thread::spawn(move || {
        drop(publisher);
        drops.send(told.load(Ordering::SeqCst)).unwrap();
    });
    assert!(dropped.recv_timeout(MEANWHILE).is_err(), "somebody is being told");
    go.send(()).unwrap();
    assert_eq!(dropped.recv_timeout(PATIENCE), Ok(1), "it is over with that");
    drop(subscribing.join().unwrap());
    // Whatever the network's thread had to do is done before this.
    let _other = node.advertise::<std_msgs::String>("b", 1).unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 1);
    dropping.join().unwrap();
    node.shutdown();
}

#[test]
fn a_callback_may_publish_subscribe_and_end_the_node() {
    let node = node();
    let publisher = node.advertise::<std_msgs::String>("a", 10).unwrap();
    let again = publisher.clone();
    let inner: Arc<Mutex<Vec<Subscription>>> = Arc::default();
    let (own, kept) = (node.clone(), inner.clone());
    let callback = move |message: &std_msgs::String| match &message.data[..] {
        "first" => {
            kept.lock().unwrap().push(own.subscribe("b", 1, |_: &std_msgs::String| {}).unwrap());
            again.publish(text("second")).unwrap();
        }
        _ => own.shutdown(),
    };
    let _subscription = node.subscribe("a", 10, callback).unwrap();
    publisher.publish(text("first")).unwrap();
    node.spin();
    assert!(!node.is_ok());
    assert_eq!(inner.lock().unwrap().len(), 1);
    let error = node.subscribe("c", 1, |_: &std_msgs::String| {}).err().expect("it has ended").to_string();
    assert!(error.contains("the node is ending"), "{error}");
}

/// NODE-64.
#[test]
fn timers_and_rates_go_by_simulated_time() {
    let master = agreeing_master::start(&["/use_sim_time"]);
    let node = Node::builder("test").master(master).build().unwrap();
    let clock = node.advertise_with::<Clock>("/clock", PublisherOptions::with_depth(10)).unwrap();
    let (told, hear) = channel();
    let _timer = node.timer(Duration::from_secs(10), move |event| {
        told.send((event.current_expected.sec, event.current_real.sec)).unwrap();
    });
    while clock.subscribers() == 0 {
        std::thread::yield_now();
    }
    let tick = |sec| {
        clock.publish(Clock { clock: tokkyu_message::Time { sec, nsec: 0 } }).unwrap();
        while node.now().sec != sec {
            std::thread::yield_now();
        }
    };
    tick(1000);
    let (sleeper, mut rate) = (node.clone(), node.rate(0.01));
    let slept = std::thread::spawn(move || {
        rate.sleep();
        sleeper.now().sec
    });
    let mut at = 1000;
    let first = loop {
        at += 1;
        tick(at);
        node.spin_once();
        if let Ok(first) = hear.try_recv() {
            break first;
        }
    };
    // The queue may hear of a time only with the next one.
    assert!((1010..=1011).contains(&first.0) && first.1 - first.0 <= 1, "{first:?}");
    tick(first.0 + 10);
    assert!(node.spin_for(PATIENCE));
    assert_eq!(hear.try_recv(), Ok((first.0 + 10, first.0 + 10)));
    tick(5000);
    let woken = slept.join().unwrap();
    assert!(woken >= 1100, "{woken}");
}

/// A thread that waits for a callback until some time returns then, also beside one that sleeps for all.
#[test]
fn who_waits_for_a_time_is_not_kept_by_who_sleeps() {
    let node = node();
    let spinning = spinning(&node);
    // In some of these rounds the other sleeps already.
    for _ in 0..50 {
        let (told, hear) = channel();
        let waits = node.clone();
        std::thread::spawn(move || {
            told.send(waits.spin_for(Duration::from_millis(1))).expect("the test hears")
        });
        assert!(!hear.recv_timeout(PATIENCE).expect("it returns"));
        node.spin_once();
    }
    node.shutdown();
    spinning.join().unwrap();
}

/// A thread that calls one callback and does not come back leaves what waits to one that sleeps.
#[test]
fn what_is_left_by_a_thread_that_goes_is_called_by_another() {
    let node = node();
    let publisher = node.advertise::<std_msgs::String>("a", 10).unwrap();
    for round in 0..20 {
        let (_subscription, hear, go) = slow(&node, "a", Class::BestEffort);
        let waits = node.clone();
        let one = std::thread::spawn(move || waits.spin_for(PATIENCE));
        for data in ["one", "two"] {
            publisher.publish(text(data)).unwrap();
        }
        assert_eq!(heard(&hear), "one");
        let other = node.clone();
        let spins = std::thread::spawn(move || while !other.spin_for(PATIENCE) {});
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert!(one.join().unwrap());
        assert_eq!(heard(&hear), "two");
        spins.join().unwrap();
    }
}
