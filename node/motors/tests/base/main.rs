//! A vehicle's topics between real nodes, in one process, at a master that agrees to everything.

#[path = "../../../runtime/tests/agreeing_master/mod.rs"]
mod agreeing_master;
mod robot;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

use robot::{Base, PATIENCE, until};
use tokkyu_bridge::motors::{Diagnosis, Subscribers, Topics};
use tokkyu_contract::WallTime;
use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::output::Output;
use tokkyu_contract::yaml::robot as declaration;
use tokkyu_node_motors::{Motors, MotorsError};

const STILL: Wanted = Wanted::Twist { forward_mps: 0.0, turn_radps: 0.0 };
const GOES: Wanted = Wanted::Twist { forward_mps: 1.5, turn_radps: 0.25 };
/// A port that nobody listens on: it is privileged, and the service that it was for is none of today.
const NO_MASTER: &str = "http://127.0.0.1:9";

fn output() -> Output {
    let text = "robot: r\nvehicle: {output: {ros1: {topic: /cmd, type: geometry_msgs/Twist, turn_rate: 1 rad/s, \
                speed: {topic: /speed, type: geometry_msgs/TwistStamped}}}}\n\
                flows:\n  drive: {class: control, toward: vehicle}\n";
    declaration::parse("robot.yaml", text).expect("a robot").vehicle.output.expect("given")
}

fn motors(master: &str) -> Motors {
    Motors::open(&output(), Some(master), None, drop).expect("a node")
}

/// Waits until the topics are open.
fn opened(master: &str) -> Motors {
    let motors = motors(master);
    until("open topics", || motors.command(&STILL).is_ok().then_some(()));
    motors
}

/// NODE-126, NODE-129.
#[test]
fn a_base_is_counted_before_it_hears_anything_and_until_it_leaves() {
    let master = agreeing_master::start(&[]);
    let motors = opened(&master);
    assert_eq!(motors.subscribers(), Some(Subscribers::default()));
    let base = Base::start(&master, "/cmd");
    until("a subscriber", || (motors.subscribers()?.now == 1).then_some(()));
    motors.command(&GOES).expect("taken");
    let twist = [1.5, 0.0, 0.0, 0.0, 0.0, 0.25_f64].into_iter().flat_map(f64::to_le_bytes);
    assert_eq!(base.heard(), twist.collect::<Vec<u8>>());
    drop(base);
    until("it left", || (motors.subscribers() == Some(Subscribers { now: 0, came: 1 })).then_some(()));
    let again = Base::start(&master, "/cmd");
    until("it came", || (motors.subscribers() == Some(Subscribers { now: 1, came: 2 })).then_some(()));
    drop(again);
}

#[test]
fn the_gates_state_and_diagnosis_are_heard() {
    let master = agreeing_master::start(&[]);
    let motors = opened(&master);
    let (gate, tools) = (Base::start(&master, "/cmd/gate"), Base::start(&master, "/diagnostics"));
    // Who subscribes to these is not told: what is said before goes to nobody.
    let diagnosis = Diagnosis { name: "tokkyu: gate".into(), ..Diagnosis::default() };
    let [state, diagnostics] = [&gate, &tools].map(|base| {
        until("a message", || {
            motors.state("driving").expect("taken");
            motors.diagnosis(WallTime::from_nanos(7_000_000_001), &diagnosis).expect("taken");
            base.try_heard()
        })
    });
    assert_eq!(state, [&7_u32.to_le_bytes()[..], b"driving"].concat());
    // seq, stamp, frame_id, one status, its level, its name
    let begin = [0_u32, 7, 1, 0, 1].into_iter().flat_map(u32::to_le_bytes).chain([0]);
    let begin: Vec<u8> = begin.chain(12_u32.to_le_bytes()).chain(*b"tokkyu: gate").collect();
    assert!(diagnostics.starts_with(&begin), "{diagnostics:?}");
    assert_eq!(motors.subscribers().map(|seen| seen.came), Some(0), "they obey nothing");
}

/// NODE-130.
#[test]
fn a_node_that_is_told_to_end_goes_on_to_say_stop_and_takes_nothing() {
    let master = agreeing_master::start(&[]);
    let motors = opened(&master);
    let base = Base::start(&master, "/cmd");
    until("a subscriber", || (motors.subscribers()?.now == 1).then_some(()));
    let uri = robot::publisher_of(&master, "/cmd");
    // NODE-127.
    assert!(uri.starts_with("http://127.0.0.1:"), "{uri}");
    robot::tell_to_end(&uri);
    until("it counts", || motors.subscribers().is_none().then_some(()));
    let why = motors.command(&STILL).expect_err("nothing is taken").to_string();
    assert!(why.contains("was told to end (/other: as the test wants)"), "{why}");
    assert_eq!(base.heard(), [0; 48], "it is told to stop all the same");
}

/// NODE-128: no base moves, and nobody waits.
#[test]
fn without_a_master_nothing_is_taken_and_it_is_said_why() {
    let motors = motors(NO_MASTER);
    let why = motors.command(&STILL).expect_err("nothing is open").to_string();
    assert!(why.contains("the ROS 1 master at http://127.0.0.1:9/ does not answer: start roscore"), "{why}");
    assert_eq!(motors.subscribers(), Some(Subscribers::default()));
}

/// NODE-127.
#[test]
fn a_master_on_another_host_is_refused() {
    // RFC 5737: nobody's.
    let refused =
        Motors::open(&output(), Some("http://203.0.113.1:11311"), None, drop).err().expect("refused");
    assert!(matches!(refused, MotorsError::Elsewhere(_)), "{refused}");
}

/// NODE-131.
#[test]
fn the_speed_that_a_base_tells_comes() {
    let master = agreeing_master::start(&[]);
    let base = robot::Speed::start(&master, "/speed");
    let (tell, hear) = mpsc::channel();
    let motors = Motors::open(&output(), Some(&master), None, move |mps| {
        let _ = tell.send(mps);
    });
    let _motors = motors.expect("a node");
    until("the subscription", || base.is_heard().then_some(()));
    base.tell(f64::from(-1.5_f32));
    assert_eq!(hear.recv_timeout(PATIENCE), Ok(-1.5));
}

/// NODE-126: a subscriber that reads nothing, beside one that does.
#[test]
fn who_does_not_read_holds_nobody_up() {
    // More than the kernel keeps for both ends of a connection, by far.
    const MANY: u32 = 200_000;
    let master = agreeing_master::start(&[]);
    let motors = opened(&master);
    let stuck = robot::connect(&robot::publisher_of(&master, "/cmd"), "/cmd");
    let count = Arc::new(AtomicU32::new(0));
    let _base = Base::counting(&master, "/cmd", &count);
    until("two subscribers", || (motors.subscribers()?.now == 2).then_some(()));
    for _ in 0..MANY {
        motors.command(&GOES).expect("taken");
    }
    until("the other hears on", || {
        let before = count.load(Ordering::Relaxed);
        motors.command(&STILL).expect("taken");
        (count.load(Ordering::Relaxed) > before).then_some(())
    });
    drop(stuck);
}

/// A call of the slave API or the master.
fn call(uri: &str, method: &str, words: &[&str]) -> String {
    let place = uri.trim_start_matches("http://").trim_end_matches('/');
    let params: String = words.iter().map(|word| format!("<param><value>{word}</value></param>")).collect();
    let body = format!("<methodCall><methodName>{method}</methodName><params>{params}</params></methodCall>");
    let head = format!("POST / HTTP/1.0\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(place).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all((head + &body).as_bytes()).expect("written");
    let (mut answer, mut chunk) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&answer).contains("</methodResponse>") {
        match stream.read(&mut chunk).expect("answered") {
            0 => break,
            count => answer.extend_from_slice(&chunk[..count]),
        }
    }
    String::from_utf8(answer).expect("text")
}
