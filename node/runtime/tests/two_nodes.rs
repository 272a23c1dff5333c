//! Two nodes of one process are two nodes: they share memory as those of two processes do (NODE-80, NODE-82).

mod agreeing_master;

use std::sync::mpsc::channel;
use std::time::Duration;

use tokkyu_message::{Output, Wire};
use tokkyu_node::messages::std_msgs;
use tokkyu_node::{Node, PublisherOptions, SubscriptionOptions};

/// Something has gone wrong if a step takes longer. It is no promise.
const PATIENCE: Duration = Duration::from_secs(20);

/// Whether that address is in memory that processes share, by the kernel's word.
fn is_shared(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the process's mappings");
    let holds = |line: &&str| {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).unwrap_or(0);
        range.is_some_and(|(first, end)| (number(first)..number(end)).contains(&address))
    };
    maps.lines().find(holds).is_some_and(|line| line.contains("/dev/shm/"))
}

#[test]
fn what_one_node_fills_another_of_its_process_reads_there() {
    let master = agreeing_master::start(&[]);
    let [writing, reading] =
        ["writing", "reading"].map(|name| Node::builder(name).master(&master).build().expect("a node"));
    let (told, subscribers) = channel();
    let on_change = move |_: &str, is_new: bool| told.send(is_new).expect("the test hears");
    let options =
        PublisherOptions { on_change: Some(Box::new(on_change)), ..PublisherOptions::with_depth(100) };
    let publisher = writing.advertise_with::<std_msgs::String>("words", options).unwrap();
    let (heard, hear) = channel();
    let options = SubscriptionOptions::with_depth(100);
    let _subscription = reading
        .subscribe_view::<std_msgs::String>("words", options, move |message| {
            let data = message.data.as_bytes();
            heard.send((data.to_vec(), data.as_ptr().addr())).expect("the test hears");
        })
        .unwrap();
    assert!(subscribers.recv_timeout(PATIENCE).expect("a subscriber"));
    let message = |number: u32| std_msgs::String { data: format!("word {number}") };
    for number in 0..100 {
        let message = message(number);
        let mut loan = publisher.loan(message.wire_len()).unwrap();
        assert!(is_shared(loan.as_ptr().addr()), "it is filled in memory of both");
        message.write(&mut Output::new(&mut loan));
        loan.publish().unwrap();
    }
    for number in 0..100 {
        let (words, address) = loop {
            match hear.try_recv() {
                Ok(heard) => break heard,
                Err(_) => assert!(reading.spin_for(PATIENCE), "one more comes"),
            }
        };
        assert_eq!(words, message(number).data.into_bytes());
        assert!(is_shared(address), "it is read there");
    }
}
