//! Several paths between two ends (LNK-90 to LNK-96), over real sockets on loopback: each path through a relay that the
//! test cuts.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokkyu_contract::{Class, Qos};
use tokkyu_link::carrier::{CloseReason, SecretKey, TrustStore};
use tokkyu_link::core::{Event, PathId, Publication, Subscription};
use tokkyu_link::runtime::{FurtherPath, Link, LinkConfig, LinkEvent, LinkState, Role};

/// Long enough for any machine; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A path of the network: what comes at its port goes to the operator's, and back.
struct Relay {
    port: SocketAddr,
    is_cut: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    fn to(operator: SocketAddr) -> Relay {
        let near = UdpSocket::bind(any()).expect("loopback");
        let far = UdpSocket::bind(any()).expect("loopback");
        for socket in [&near, &far] {
            socket.set_read_timeout(Some(Duration::from_micros(200))).expect("a time");
        }
        let port = near.local_addr().expect("it is bound");
        let [is_cut, is_over] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let (cut, over) = (is_cut.clone(), is_over.clone());
        let thread = std::thread::spawn(move || {
            let (mut vehicle, mut packet) = (None, [0; 2_048]);
            while !over.load(Ordering::Relaxed) {
                if let Ok((bytes, from)) = near.recv_from(&mut packet) {
                    vehicle = Some(from);
                    let _ = (!cut.load(Ordering::Relaxed)).then(|| far.send_to(&packet[..bytes], operator));
                }
                if let Ok((bytes, _)) = far.recv_from(&mut packet) {
                    let to = vehicle.filter(|_| !cut.load(Ordering::Relaxed));
                    let _ = to.map(|to| near.send_to(&packet[..bytes], to));
                }
            }
        });
        Relay { port, is_cut, is_over, thread: Some(thread) }
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

fn any() -> SocketAddr {
    "127.0.0.1:0".parse().expect("an address")
}

struct Keys {
    vehicle: SecretKey,
    operator: SecretKey,
}

impl Keys {
    fn new() -> Keys {
        let key = || SecretKey::generate().expect("the system has randomness");
        Keys { vehicle: key(), operator: key() }
    }

    fn operator(&self, ports: [SocketAddr; 2]) -> Link {
        let trusted = TrustStore::of([self.vehicle.public()]);
        let mut config = LinkConfig::new(Role::Operator, ports[0], self.operator.clone(), trusted);
        config.paths = vec![FurtherPath { bind: ports[1], operator: None, device: None, max_bps: 10e9 }];
        Link::start(config).expect("loopback")
    }

    /// Dials the first of `operators`, and the others as further paths.
    fn vehicle(&self, operators: &[SocketAddr]) -> Link {
        let trusted = TrustStore::of([self.operator.public()]);
        let role = Role::Vehicle { operator: operators[0] };
        let mut config = LinkConfig::new(role, any(), self.vehicle.clone(), trusted);
        let further = |operator: &SocketAddr| FurtherPath {
            bind: any(),
            operator: Some(*operator),
            device: None,
            max_bps: 10e9,
        };
        config.paths = operators[1..].iter().map(further).collect();
        Link::start(config).expect("loopback")
    }
}

/// The next event of `link` for which `wanted` gives something.
fn wait_for<T>(link: &Link, wanted: impl Fn(&LinkEvent) -> Option<T>) -> T {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if let Some(found) = link.event(Duration::from_millis(200)).and_then(|event| wanted(&event)) {
            return found;
        }
    }
    panic!("it never came; the link is {:?}", link.stats().state);
}

fn wait_for_session(link: &Link) -> u64 {
    wait_for(link, |event| match event {
        LinkEvent::State(LinkState::Up { session }) => Some(*session),
        _ => None,
    })
}

fn wait_for_event(link: &Link, wanted: &Event) {
    wait_for(link, |event| matches!(event, LinkEvent::Session(event) if event == wanted).then_some(()));
}

fn publication(topic: &str, class: Class) -> Publication {
    let qos = Qos { lifespan: Some(Duration::from_secs(20)), ..Qos::default() };
    let (topic, type_name) = (topic.to_owned(), String::new());
    Publication { topic, type_name, class, qos, period: None, size_bytes: 0 }
}

fn subscription(topic: &str) -> Subscription {
    Subscription { topic: topic.to_owned(), type_name: String::new(), qos: Qos::default() }
}

/// Both ends, each path through a relay.
struct Stage {
    keys: Keys,
    relays: [Relay; 2],
    vehicle: Link,
    operator: Link,
}

/// From the start the second path is cut, or not.
fn stage(second_is_cut: bool) -> Stage {
    let keys = Keys::new();
    let operator = keys.operator([any(), any()]);
    let ports: Vec<SocketAddr> = operator.local_addresses().to_vec();
    let relays = [Relay::to(ports[0]), Relay::to(ports[1])];
    relays[1].cut(second_is_cut);
    let vehicle = keys.vehicle(&[relays[0].port, relays[1].port]);
    Stage { keys, relays, vehicle, operator }
}

impl Stage {
    /// Both paths are part of the session at both ends.
    fn wait_for_both(&self) {
        for link in [&self.vehicle, &self.operator] {
            assert_eq!(wait_for_session(link), 1);
            wait_for(link, |event| matches!(event, LinkEvent::Session(Event::PathUp { .. })).then_some(()));
        }
    }
}

#[test]
fn two_connections_are_paths_of_one_session_and_one_that_is_cut_costs_no_sample() {
    let stage = stage(false);
    stage.wait_for_both();
    let pictures = stage.vehicle.publish(publication("camera", Class::Realtime)).expect("within the limits");
    let commands = stage.operator.publish(publication("command", Class::Control)).expect("within the limits");
    let screen = stage.operator.subscribe(subscription("camera")).expect("within the limits");
    let motors = stage.vehicle.subscribe(subscription("command")).expect("within the limits");
    let is_matched =
        |event: &LinkEvent| matches!(event, LinkEvent::Session(Event::Matched { .. })).then_some(());
    [&stage.vehicle, &stage.operator].into_iter().for_each(|link| wait_for(link, is_matched));
    for cut in [None, Some(0), None, Some(1), None] {
        for (path, relay) in stage.relays.iter().enumerate() {
            relay.cut(cut == Some(path));
        }
        for number in 0..20u8 {
            pictures.send(vec![number; 20_000]).expect("the link runs");
            commands.send(vec![number; 64]).expect("the link runs");
            let picture = screen.receive(PATIENCE).expect("the picture arrives");
            let command = motors.receive(PATIENCE).expect("the command arrives");
            assert_eq!(
                (picture.delivered.payload[0], command.delivered.payload[0]),
                (number, number),
                "{cut:?}"
            );
        }
        if let Some(path) = cut.map(|path| PathId(path as u8)) {
            stage.relays[usize::from(path.0)].cut(false);
            wait_for_event(&stage.vehicle, &Event::PathAnswers { path });
        }
    }
    for link in [&stage.vehicle, &stage.operator] {
        assert_eq!(link.stats().state, LinkState::Up { session: 1 });
    }
}

#[test]
fn a_path_that_comes_later_joins_the_session_and_another_process_with_the_key_does_not() {
    let stage = stage(true);
    for link in [&stage.vehicle, &stage.operator] {
        assert_eq!(wait_for_session(link), 1);
    }
    let twin = stage.keys.vehicle(&[stage.operator.local_addresses()[1]]);
    let reason = wait_for(&twin, |event| match event {
        LinkEvent::State(LinkState::Down(reason)) => Some(reason.clone()),
        _ => None,
    });
    assert_eq!(reason, CloseReason::Twice);
    drop(twin);
    stage.relays[1].cut(false);
    for link in [&stage.vehicle, &stage.operator] {
        wait_for(link, |event| matches!(event, LinkEvent::Session(Event::PathUp { .. })).then_some(()));
        assert_eq!(link.stats().state, LinkState::Up { session: 1 });
    }
}

#[test]
fn both_ends_may_begin_anew_and_have_both_paths_again() {
    let stage = stage(false);
    stage.wait_for_both();
    let Stage { keys, relays, vehicle, operator } = stage;
    drop(vehicle);
    wait_for(&operator, |event| matches!(event, LinkEvent::State(LinkState::Down(_))).then_some(()));
    let vehicle = keys.vehicle(&[relays[0].port, relays[1].port]);
    assert_eq!((wait_for_session(&vehicle), wait_for_session(&operator)), (1, 2));
    for link in [&vehicle, &operator] {
        wait_for(link, |event| matches!(event, LinkEvent::Session(Event::PathUp { .. })).then_some(()));
    }
    let ports = [operator.local_addresses()[0], operator.local_addresses()[1]];
    drop(operator);
    wait_for(&vehicle, |event| matches!(event, LinkEvent::State(LinkState::Down(_))).then_some(()));
    let operator = keys.operator(ports);
    assert_eq!((wait_for_session(&operator), wait_for_session(&vehicle)), (1, 2));
    for link in [&vehicle, &operator] {
        wait_for(link, |event| matches!(event, LinkEvent::Session(Event::PathUp { .. })).then_some(()));
    }
}
