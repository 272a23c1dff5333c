//! The link as applications hold it, over real sockets on loopback: two threads, real QUIC, pinned keys.

use bytes::Bytes;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokkyu_contract::{Class, Durability, FlowId, History, Ledger, Outcome, Qos};
use tokkyu_link::carrier::{CloseReason, SecretKey, TrustStore};
use tokkyu_link::core::{Endpoint, Event, Publication, PublishError, Subscription};
use tokkyu_link::runtime::{
    Fault, Link, LinkConfig, LinkDied, LinkEvent, LinkState, Publisher, Role, SendError, Subscriber,
};

/// Long enough for any machine; a test that waits this long has failed.
/// Longer than an end that says nothing is believed to be there (30 s): the datagram that says that it goes may be lost.
const PATIENCE: Duration = Duration::from_secs(60);

struct Keys {
    vehicle: SecretKey,
    operator: SecretKey,
}

impl Keys {
    fn new() -> Self {
        let key = || SecretKey::generate().expect("the system has randomness");
        Keys { vehicle: key(), operator: key() }
    }

    fn operator(&self, bind: SocketAddr) -> Link {
        let trusted = TrustStore::of([self.vehicle.public()]);
        Link::start(LinkConfig::new(Role::Operator, bind, self.operator.clone(), trusted)).expect("loopback")
    }

    fn vehicle(&self, operator: SocketAddr) -> Link {
        self.mortal_vehicle(operator, &Fault::default())
    }

    /// One whose thread dies when `fault` strikes.
    fn mortal_vehicle(&self, operator: SocketAddr, fault: &Fault) -> Link {
        let trusted = TrustStore::of([self.operator.public()]);
        let role = Role::Vehicle { operator };
        let mut config = LinkConfig::new(role, any(), self.vehicle.clone(), trusted);
        config.fault = fault.clone();
        Link::start(config).expect("loopback")
    }
}

fn any() -> SocketAddr {
    "127.0.0.1:0".parse().expect("an address")
}

fn publication(topic: &str, qos: Qos) -> Publication {
    let (topic, type_name) = (topic.to_owned(), String::new());
    Publication { topic, type_name, class: Class::Realtime, qos, period: None, size_bytes: 0 }
}

fn subscription(topic: &str, qos: Qos) -> Subscription {
    Subscription { topic: topic.to_owned(), type_name: String::new(), qos }
}

/// The first state of `link` for which `wanted` holds.
fn wait_for(link: &Link, wanted: impl Fn(&LinkState) -> bool) -> LinkState {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        match link.event(Duration::from_millis(200)) {
            Some(LinkEvent::State(state)) if wanted(&state) => return state,
            _ => {}
        }
    }
    panic!("the link never came to the state wanted; it is {:?}", link.stats().state);
}

fn is_up(state: &LinkState) -> bool {
    matches!(state, LinkState::Up { .. })
}

/// Publishes until one sample arrives; gives its payload and session. Before the table crosses, samples may be dropped.
fn send_until_received(publisher: &Publisher, subscriber: &Subscriber, payload: &[u8]) -> (Vec<u8>, u64) {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        publisher.send(payload.to_vec()).expect("the link runs");
        if let Some(sample) = subscriber.receive(Duration::from_millis(200)) {
            return (sample.delivered.payload.to_vec(), sample.session);
        }
    }
    panic!("no sample arrived");
}

#[test]
fn samples_cross_whole_and_the_ledgers_close() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let vehicle = keys.vehicle(operator.local_address());
    let camera = vehicle.publish(publication("camera/front", Qos::default())).expect("within the limits");
    let picture =
        operator.subscribe(subscription("camera/front", Qos::default())).expect("within the limits");
    wait_for(&vehicle, is_up);
    let payload: Vec<u8> = (0..300_000u32).map(|i| (i * 7 % 251) as u8).collect();
    assert_eq!(send_until_received(&camera, &picture, &payload).0, payload);
    for (topic, ledger) in vehicle.close().expect("it runs").sent {
        assert!(ledger.closes() && ledger.offered > 0, "{topic}: {ledger}");
    }
    for (topic, ledger) in operator.close().expect("it runs").received {
        assert!(ledger.closes() && ledger.delivered > 0, "{topic}: {ledger}");
    }
}

#[test]
fn a_session_goes_on_when_the_vehicles_address_changes() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let vehicle = keys.vehicle(operator.local_address());
    let camera = vehicle.publish(publication("camera/front", Qos::default())).expect("within the limits");
    let picture =
        operator.subscribe(subscription("camera/front", Qos::default())).expect("within the limits");
    wait_for(&operator, is_up);
    let before = send_until_received(&camera, &picture, b"before").1;
    vehicle.rebind(any());
    while picture.receive(Duration::ZERO).is_some() {}
    let since = Instant::now();
    let after = loop {
        let (payload, session) = send_until_received(&camera, &picture, b"after");
        if payload == b"after" && operator.stats().carrier.migrations > 0 {
            break session;
        }
        assert!(since.elapsed() < PATIENCE, "the operator never saw the new address");
    };
    assert_eq!(before, after, "the same session");
}

#[test]
fn what_is_kept_for_a_reader_to_come_is_booked_once() {
    let keys = Keys::new();
    let address = keys.operator(any()).local_address();
    let vehicle = keys.vehicle(address);
    let kept = Qos {
        history: History::KeepLast { depth: 2 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let map = vehicle.publish(publication("map", kept)).expect("within the limits");
    // Nobody listens: of three samples two are kept, and one is dropped.
    for number in 0..3u8 {
        map.send(vec![number]).expect("the link runs");
    }
    let operator = keys.operator(address);
    let reader = operator.subscribe(subscription("map", kept)).expect("within the limits");
    let got: Vec<u8> = (0..2).map(|_| reader.receive(PATIENCE).expect("kept").delivered.payload[0]).collect();
    assert_eq!(got, [1, 2]);
    for _ in got {
        let delivered =
            |event| matches!(event, LinkEvent::Session(Event::Settled { outcome: Outcome::Delivered, .. }));
        let since = Instant::now();
        while !vehicle.event(PATIENCE).is_some_and(delivered) {
            assert!(since.elapsed() < PATIENCE, "the vehicle never heard of it");
        }
    }
    let (_, ledger) = vehicle.close().expect("it runs").sent.remove(0);
    assert!(ledger.closes(), "{ledger}");
    assert_eq!((ledger.offered, ledger.delivered, ledger.dropped), (3, 2, 1), "{ledger}");
}

#[test]
fn a_vehicle_finds_its_restarted_operator_and_sends_what_it_kept() {
    let keys = Keys::new();
    let first = keys.operator(any());
    let address = first.local_address();
    let vehicle = keys.vehicle(address);
    let kept = Qos {
        history: History::KeepLast { depth: 1 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let map = vehicle.publish(publication("map", kept)).expect("within the limits");
    wait_for(&vehicle, is_up);
    map.send(b"a map".to_vec()).expect("the link runs");
    drop(first);
    wait_for(&vehicle, |state| matches!(state, LinkState::Down(_)));
    let second = keys.operator(address);
    let reader = second.subscribe(subscription("map", kept)).expect("within the limits");
    wait_for(&vehicle, is_up);
    let sample = reader.receive(PATIENCE).expect("a late joiner gets the last sample");
    assert_eq!(&sample.delivered.payload[..], b"a map");
}

#[test]
fn a_stranger_gets_nothing_and_is_told_why() {
    let (keys, stranger) = (Keys::new(), Keys::new());
    let operator = keys.operator(any());
    let trusted = TrustStore::of([keys.operator.public()]);
    let role = Role::Vehicle { operator: operator.local_address() };
    let intruder =
        Link::start(LinkConfig::new(role, any(), stranger.vehicle.clone(), trusted)).expect("loopback");
    let state = wait_for(&intruder, |state| matches!(state, LinkState::Down(_)));
    assert!(matches!(state, LinkState::Down(CloseReason::OurKeyRefused { .. })), "{state:?}");
    let since = Instant::now();
    while operator.stats().carrier.failed_handshakes.untrusted_key == 0 {
        assert!(since.elapsed() < PATIENCE, "{:?}", operator.stats().carrier);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(operator.stats().carrier.datagrams_received, 0);
}

#[test]
fn an_address_in_use_is_named_with_a_remedy() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let trusted = TrustStore::of([keys.vehicle.public()]);
    let config = LinkConfig::new(Role::Operator, operator.local_address(), keys.operator.clone(), trusted);
    let error = Link::start(config).err().expect("the port is taken").to_string();
    assert!(error.contains(&operator.local_address().to_string()), "{error}");
}

/// LNK-6, LNK-30: what the link cannot announce is refused by name, at once.
#[test]
fn an_endpoint_beyond_the_limits_is_refused_by_name() {
    let link = Keys::new().operator(any());
    let long = "x".repeat(256);
    let error = link.publish(publication(&long, Qos::default())).err().expect("too long").to_string();
    assert!(error.contains("255"), "{error}");
    let error = link.subscribe(subscription("", Qos::default())).err().expect("no topic").to_string();
    assert!(error.contains("255"), "{error}");
    let kept: Vec<_> =
        (0..1_024).map(|at| link.subscribe(subscription(&format!("t{at}"), Qos::default()))).collect();
    assert!(kept.iter().all(Result::is_ok));
    let error = link.subscribe(subscription("more", Qos::default())).err().expect("too many").to_string();
    assert!(error.contains("1024"), "{error}");
}

/// A sample the session does not take is no secret: the application hears why, how many, and the ledger counts them.
#[test]
fn samples_that_the_session_refuses_are_told_with_their_reason() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let vehicle = keys.vehicle(operator.local_address());
    vehicle.publish(publication("small", Qos::default())).expect("within the limits");
    let map = vehicle.publish(publication("map", Qos::default())).expect("within the limits");
    wait_for(&vehicle, is_up);
    let too_large = Bytes::from(vec![0; 40_000_000]);
    for _ in 0..3 {
        map.send(too_large.clone()).expect("the link runs");
    }
    let (since, mut told) = (Instant::now(), 0);
    while told < 3 {
        assert!(since.elapsed() < PATIENCE, "{told} of 3 refusals were told");
        if let Some(LinkEvent::Refused { flow, why, samples }) = vehicle.event(Duration::from_millis(200)) {
            assert!(matches!(why, PublishError::TooLarge { .. }), "{why}");
            assert_eq!(flow, FlowId(2));
            told += samples;
        }
    }
    let (_, ledger) = vehicle.close().expect("it runs").sent.pop().expect("two publications");
    assert_eq!((ledger.offered, ledger.dropped), (3, 3), "{ledger}");
}

/// The ledger of the first endpoint of `topic` that `link` tells was withdrawn.
fn withdrawn(link: &Link, topic: &str) -> Ledger {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        match link.event(Duration::from_millis(200)) {
            Some(LinkEvent::Withdrawn { topic: of, ledger, .. }) if of == topic => return ledger,
            _ => {}
        }
    }
    panic!("{topic} was never withdrawn");
}

/// LNK-32: what was sent before a publisher was dropped still arrives, then its place is free.
#[test]
fn a_dropped_publisher_goes_when_what_it_sent_is_settled_and_the_closing_has_its_ledger() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let vehicle = keys.vehicle(operator.local_address());
    let all = Qos { history: History::KeepAll, ..Qos::default() };
    let stays = vehicle.publish(publication("stays", all)).expect("within the limits");
    let log = vehicle.publish(publication("log", all)).expect("within the limits");
    let reader = operator.subscribe(subscription("log", all)).expect("within the limits");
    send_until_received(&log, &reader, b"first");
    while reader.receive(Duration::from_millis(300)).is_some() {}
    for number in 0..20u8 {
        log.send(vec![number; 50_000]).expect("the link runs");
    }
    drop(log);
    let got: Vec<u8> =
        (0..20).map(|_| reader.receive(PATIENCE).expect("sent").delivered.payload[0]).collect();
    assert_eq!(got, (0..20).collect::<Vec<u8>>());
    let ledger = withdrawn(&vehicle, "log");
    assert!(ledger.closes() && ledger.delivered >= 21, "{ledger}");
    assert_eq!(stays.flow(), FlowId(1));
    let sent = vehicle.close().expect("it runs").sent;
    assert_eq!(sent.iter().map(|(topic, _)| topic.as_str()).collect::<Vec<_>>(), ["stays", "log"]);
    assert_eq!(sent[1].1, ledger, "in order of announcement, also those that went");
}

/// LNK-32, LNK-34: at once is at once.
#[test]
fn a_publisher_withdrawn_at_once_drops_what_is_not_confirmed_and_a_dropped_subscriber_gets_nothing() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let vehicle = keys.vehicle(operator.local_address());
    let log = vehicle.publish(publication("log", Qos::default())).expect("within the limits");
    let reader = operator.subscribe(subscription("log", Qos::default())).expect("within the limits");
    send_until_received(&log, &reader, b"first");
    drop(reader);
    let received = withdrawn(&operator, "log");
    assert!(received.closes() && received.delivered > 0, "{received}");
    let since = Instant::now();
    let endpoint = Endpoint::Publication(log.flow());
    while vehicle.event(Duration::from_millis(200)) != Some(LinkEvent::Session(Event::Unmatched { endpoint }))
    {
        assert!(since.elapsed() < PATIENCE, "the vehicle never heard that the reader went");
    }
    log.send(vec![1; 100]).expect("the link runs");
    log.withdraw();
    let ledger = withdrawn(&vehicle, "log");
    assert!(ledger.closes() && ledger.dropped >= 1, "{ledger}");
}

/// LNK-31: a link has as many lives of topics as one likes, with and without a session, and across one that ended.
#[test]
fn publishers_and_subscribers_come_and_go_without_end() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let address = operator.local_address();
    let vehicle = keys.vehicle(address);
    let kept = Qos { durability: Durability::TransientLocal, ..Qos::default() };
    let stays = vehicle.publish(publication("stays", Qos::default())).expect("within the limits");
    wait_for(&vehicle, is_up);
    for life in 0..1_100 {
        let topic = format!("map@{life}");
        let reader = operator.subscribe(subscription(&topic, kept)).expect("within the limits");
        let map = vehicle.publish(publication(&topic, kept)).expect("within the limits");
        map.send(vec![7; 100]).expect("the link runs");
        if life % 100 == 0 {
            assert_eq!(reader.receive(PATIENCE).expect("kept for it").delivered.payload[0], 7);
        }
        // One at a time: each finds the place of the one before it.
        drop(map);
        withdrawn(&vehicle, &topic);
        drop(reader);
    }
    drop(operator);
    wait_for(&vehicle, |state| matches!(state, LinkState::Down(_)));
    for life in 0..1_100 {
        let map = vehicle.publish(publication(&format!("alone@{life}"), kept)).expect("within the limits");
        map.send(vec![1; 100]).expect("the link runs");
        drop(map);
        let ledger = withdrawn(&vehicle, &format!("alone@{life}"));
        assert_eq!((ledger.offered, ledger.dropped), (1, 1), "there is no session: {ledger}");
    }
    let second = keys.operator(address);
    let reader = second.subscribe(subscription("stays", Qos::default())).expect("within the limits");
    let gone = second.subscribe(subscription("alone@7", kept)).expect("within the limits");
    assert_eq!(send_until_received(&stays, &reader, b"again").0, b"again");
    assert!(gone.receive(Duration::from_millis(300)).is_none(), "it was withdrawn");
    let flow = vehicle.publish(publication("last", Qos::default())).expect("within the limits").flow();
    assert_eq!(flow, FlowId(2_202), "each had a number of its own");
}

/// Waits until `link` tells that its thread died; gives what it died of.
fn death_of(link: &Link) -> LinkDied {
    match wait_for(link, |state| matches!(state, LinkState::Died(_))) {
        LinkState::Died(died) => died,
        other => panic!("{other:?}"),
    }
}

/// LNK-76: with a session up and people waiting for it, the death of the thread is told and lets everybody go.
#[test]
fn a_link_whose_thread_dies_tells_why_and_keeps_nobody_waiting() {
    let keys = Keys::new();
    let operator = keys.operator(any());
    let fault = Fault::default();
    let vehicle = keys.mortal_vehicle(operator.local_address(), &fault);
    let camera = vehicle.publish(publication("camera/front", Qos::default())).expect("within the limits");
    let commands = vehicle.subscribe(subscription("drive", Qos::default())).expect("within the limits");
    wait_for(&vehicle, is_up);
    assert!(!commands.is_closed());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| commands.receive(Duration::MAX).is_none());
        fault.strike();
        assert!(waiting.join().expect("it waits"), "nothing was sent");
    });
    assert!(commands.is_closed());
    let died = death_of(&vehicle);
    assert!(
        died.what.contains("a fault that was asked for at ") && died.what.contains("death.rs:"),
        "{died}"
    );
    assert_eq!(vehicle.stats().state, LinkState::Died(died.clone()));
    assert_eq!(vehicle.event(Duration::MAX), None, "it was the last");
    assert_eq!([(); 3].map(|()| camera.send(vec![1])), [Err(SendError::Closed); 3]);
    assert_eq!(vehicle.close().err(), Some(died));
}

/// LNK-76: what is asked of a dead link ends at once too, more of it than its queue has places.
#[test]
fn what_is_asked_of_a_dead_link_fails_and_never_waits() {
    let (keys, fault) = (Keys::new(), Fault::default());
    let nobody = keys.operator(any()).local_address();
    let vehicle = keys.mortal_vehicle(nobody, &fault);
    fault.strike();
    death_of(&vehicle);
    for life in 0..1_000 {
        let topic = format!("topic/{life}");
        let late = vehicle.publish(publication(&topic, Qos::default())).expect("within the limits");
        assert_eq!(late.send(vec![1]), Err(SendError::Closed));
        let reader = vehicle.subscribe(subscription(&topic, Qos::default())).expect("within the limits");
        assert!(reader.receive(Duration::MAX).is_none() && reader.is_closed());
        vehicle.rebind(any());
    }
}
