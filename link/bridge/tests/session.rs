//! Two sessions over a real link on loopback: what each hears of the other.
#![cfg(feature = "session")]

mod loopback;

use std::time::{Duration, Instant};

use loopback::{PATIENCE, both_ends, key, link, mortal_link};
use tokkyu_bridge::flows::OwnTopics;
use tokkyu_bridge::frame::MessageError;
use tokkyu_bridge::session::{Session, SessionError};
use tokkyu_bridge::{Status, Watcher};
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_link::runtime::{Fault, Link, Role};

const OWN: OwnTopics = OwnTopics { name: "tokkyu/any", type_name: "tokkyu/any/1" };

type AnyStatus = Status<(), ()>;

#[derive(Default)]
struct Lines(Vec<String>);

impl Watcher<AnyStatus> for Lines {
    fn on_line(&mut self, line: &str) {
        self.0.push(line.to_owned());
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// One end, with all it was told and all it heard.
struct End {
    session: Session,
    lines: Lines,
    heard: Vec<String>,
    times_gone: usize,
}

impl End {
    fn new(end: Toward, link: Link) -> End {
        let session = Session::open(link, OWN, end, Duration::ZERO).expect("the link has room");
        End { session, lines: Lines::default(), heard: Vec::new(), times_gone: 0 }
    }

    fn turn(&mut self) -> Result<(), SessionError> {
        while self.session.event(&mut self.lines)?.is_some() {}
        while let Some(word) = self.session.hear(understood, &mut self.lines) {
            self.heard.push(word);
        }
        self.times_gone += usize::from(self.session.has_gone());
        self.session.speak()
    }

    fn status(&self) -> AnyStatus {
        self.session.status((Vec::new(), Vec::new()), (0..300).map(|n| format!("report {n}")))
    }

    fn was_told(&self, part: &str) -> bool {
        self.lines.0.iter().any(|line| line.contains(part))
    }
}

fn understood(payload: &[u8]) -> Result<String, MessageError> {
    match payload {
        b"nonsense" => Err(MessageError::Malformed("nonsense".to_owned())),
        word => Ok(String::from_utf8_lossy(word).into_owned()),
    }
}

/// Turns of both until `is_so`.
fn until(what: &str, ends: &mut [&mut End], is_so: impl Fn(&[&mut End]) -> bool) {
    let since = Instant::now();
    while !is_so(ends) {
        assert!(since.elapsed() < PATIENCE, "{what}: it never came to that; {:?}", ends[0].lines.0);
        ends.iter_mut().for_each(|end| end.turn().expect("nobody refuses"));
    }
}

#[test]
fn each_end_hears_the_newest_the_other_says_and_that_it_is_gone() {
    let (vehicle, operator) = both_ends();
    let mut operator = End::new(Toward::Operator, operator);
    let mut vehicle = End::new(Toward::Vehicle, vehicle);
    assert!(!vehicle.status().is_up);

    // Before there is a session: the last word is kept for it.
    for word in ["first", "second"] {
        vehicle.session.say(word.into());
    }
    until("up", &mut [&mut operator, &mut vehicle], |ends| ends.iter().all(|end| end.status().is_up));
    until("the word kept", &mut [&mut operator, &mut vehicle], |ends| ends[0].heard == ["second"]);
    operator.session.say(b"nonsense".to_vec());
    until("nonsense", &mut [&mut operator, &mut vehicle], |ends| ends[1].status().messages_refused == 1);
    operator.session.say(b"answer".to_vec());
    until("the answer", &mut [&mut operator, &mut vehicle], |ends| ends[1].heard == ["answer"]);
    assert!(
        vehicle.was_told("with the other bridge is up") && vehicle.was_told("is passed over: not a bridge's")
    );
    assert_eq!((vehicle.status().reports.len(), vehicle.times_gone), (256, 0));

    drop(vehicle);
    until("gone", &mut [&mut operator], |ends| ends[0].times_gone > 0 && !ends[0].status().is_up);
    assert!(operator.was_told("no session with the other bridge: "), "{:?}", operator.lines.0);
    operator.turn().expect("it waits for another");
    assert_eq!(operator.times_gone, 1);
}

/// It distrusts the operator, or the operator it: then a session is up here, until the operator says so.
#[test]
fn a_vehicle_that_can_never_have_a_session_ends() {
    for does_operator_refuse in [false, true] {
        let (vehicle_key, operator_key, other_key) = (key(), key(), key());
        let (of_vehicle, of_operator) = match does_operator_refuse {
            true => (&operator_key, &other_key),
            false => (&other_key, &vehicle_key),
        };
        let operator = link(Role::Operator, &operator_key, of_operator);
        let role = Role::Vehicle { operator: operator.local_address() };
        let mut vehicle = End::new(Toward::Vehicle, link(role, &vehicle_key, of_vehicle));
        let since = Instant::now();
        let error = loop {
            assert!(since.elapsed() < PATIENCE, "never refused; {:?}", vehicle.lines.0);
            if let Err(error) = vehicle.turn() {
                break error;
            }
        };
        assert!(matches!(error, SessionError::Refused(_)), "{error}");
    }
}

/// LNK-76: whichever hears of it first, the events or what is to be said.
#[test]
fn a_bridge_whose_link_dies_ends_and_says_why() {
    for speaks in [false, true] {
        let fault = Fault::default();
        let mut end = End::new(Toward::Operator, mortal_link(Role::Operator, &fault));
        fault.strike();
        let since = Instant::now();
        let error = loop {
            assert!(since.elapsed() < PATIENCE, "it goes on; {:?}", end.lines.0);
            end.session.say(b"word".to_vec());
            let turn = if speaks { end.session.speak() } else { end.turn() };
            if let Err(error) = turn {
                break error;
            }
        };
        assert!(matches!(error, SessionError::LinkDied(_)), "{error}");
        assert!(error.to_string().contains("a fault that was asked for at "), "{error}");
    }
}

#[test]
fn a_topic_that_cannot_be_opened_is_told_once_and_paused_each_time() {
    let mut end = End::new(Toward::Operator, link(Role::Operator, &key(), &key()));
    for _ in 0..2 {
        end.session.pause("map", "no memory", &mut end.lines);
    }
    assert_eq!(end.lines.0, ["topic /map: no memory; it is tried again after 5 s"]);
    assert_eq!(end.session.pauses_over(), [""; 0]);
    assert!(end.session.is_to_obey() && !end.session.is_to_show());
}
