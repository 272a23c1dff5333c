//! Threads of topics at the target, behind a real link on loopback.
#![cfg(feature = "session")]

mod loopback;

use std::sync::mpsc::{Receiver, Sender, channel};

use loopback::{PATIENCE, both_ends, mortal_link};
use tokkyu_bridge::deaths::Deaths;
use tokkyu_bridge::target::{Incoming, Intake, TargetThread};
use tokkyu_contract::{Class, Durability, Qos};
use tokkyu_link::core::{Publication, Subscription};
use tokkyu_link::runtime::{Fault, Link, Publisher, Role};

const TOPIC: &str = "map@1";

/// Its samples wait for whoever comes.
fn qos() -> Qos {
    Qos { durability: Durability::TransientLocal, ..Qos::default() }
}

fn publisher(link: &Link) -> Publisher {
    let (topic, type_name) = (TOPIC.to_owned(), "any".to_owned());
    let publication =
        Publication { topic, type_name, class: Class::BestEffort, qos: qos(), period: None, size_bytes: 0 };
    link.publish(publication).expect("the link has room")
}

fn incoming(link: &Link, former: Option<TargetThread>) -> Incoming {
    let subscription = Subscription { topic: TOPIC.to_owned(), type_name: "any".to_owned(), qos: qos() };
    let subscriber = link.subscribe(subscription).expect("the link has room");
    Incoming {
        subscriber,
        qos: qos(),
        class: Class::BestEffort,
        fifo_priority: None,
        former,
        deaths: Deaths::default(),
    }
}

/// What a thread gives out, and at its end `name`.
fn tell(mut intake: Intake, name: &str, told: &Sender<String>) {
    while let Some(turn) = intake.turn() {
        for delivered in turn.due {
            let _ = told.send(String::from_utf8_lossy(&delivered.payload).into_owned());
        }
    }
    let _ = told.send(name.to_owned());
}

fn start(incoming: Incoming, name: &'static str, told: &Sender<String>) -> TargetThread {
    let told = told.clone();
    TargetThread::start("target", incoming, move |intake| tell(intake, name, &told)).expect("a thread")
}

fn heard(from: &Receiver<String>, number: usize) -> Vec<String> {
    let next = |_| from.recv_timeout(PATIENCE).expect("the thread gives it out");
    (0..number).map(next).collect()
}

#[test]
fn samples_are_given_out_in_their_order_and_what_is_there_when_the_topic_goes() {
    let (vehicle, operator) = both_ends();
    let publisher = publisher(&vehicle);
    let (told, from) = channel();
    let thread = start(incoming(&operator, None), "end", &told);
    for word in ["a", "b", "c"] {
        publisher.send(word).expect("the link runs");
    }
    assert_eq!(heard(&from, 3), ["a", "b", "c"]);
    assert!(!thread.has_ended());
    thread.end();
    assert_eq!(heard(&from, 1), ["end"]);
}

#[test]
fn a_thread_that_was_told_to_end_empties_the_link_s_queue_first() {
    let (vehicle, operator) = both_ends();
    let publisher = publisher(&vehicle);
    let (told, from) = channel();
    let (go, may_go) = channel::<()>();
    let in_thread = told.clone();
    let thread = TargetThread::start("target", incoming(&operator, None), move |mut intake| {
        let first = intake.turn().into_iter().chain(std::iter::from_fn(|| intake.turn()));
        let words = first.flat_map(|turn| turn.due).map(|delivered| delivered.payload);
        for word in words {
            let _ = in_thread.send(String::from_utf8_lossy(&word).into_owned());
            // Busy with the first until the others are there and the topic goes.
            let _ = may_go.recv();
        }
    })
    .expect("a thread");
    publisher.send("first").expect("the link runs");
    assert_eq!(heard(&from, 1), ["first"]);
    let witness = start(incoming(&operator, None), "end", &told);
    for word in ["b", "c"] {
        publisher.send(word).expect("the link runs");
    }
    assert_eq!(heard(&from, 3), ["first", "b", "c"], "the witness has them: so has the thread's queue");
    thread.end();
    drop(go);
    assert_eq!(heard(&from, 2), ["b", "c"]);
    drop((thread, witness));
}

#[test]
fn a_topic_s_thread_begins_when_the_former_has_ended() {
    let (_, operator) = both_ends();
    let (told, from) = channel();
    let former = start(incoming(&operator, None), "former", &told);
    let latter = start(incoming(&operator, Some(former)), "latter", &told);
    latter.end();
    drop(latter);
    assert_eq!(heard(&from, 2), ["former", "latter"]);
}

#[test]
fn the_thread_of_a_topic_ends_when_the_link_has_died() {
    let fault = Fault::default();
    let link = mortal_link(Role::Operator, &fault);
    let (told, from) = channel();
    let thread = start(incoming(&link, None), "end", &told);
    fault.strike();
    assert_eq!(heard(&from, 1), ["end"]);
    drop(thread);
}

#[test]
fn a_thread_of_a_topic_that_dies_is_told_to_the_main_thread() {
    let (_vehicle, operator) = both_ends();
    let incoming = incoming(&operator, None);
    let deaths = incoming.deaths.clone();
    let thread =
        TargetThread::start("target-map", incoming, |_| panic!("as the test wants")).expect("a thread");
    while !thread.has_ended() {
        std::thread::yield_now();
    }
    let error = deaths.check().expect_err("it died").to_string();
    assert!(error.starts_with("the thread target-map died; "), "{error}");
}
