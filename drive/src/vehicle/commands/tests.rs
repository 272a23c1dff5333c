//! The thread's turns, one by one, without the thread.

use super::*;
use crate::control::{Command, SeatWish};
use crate::safety::{Cause, Limits, Settings};
use bytes::Bytes;
use tokkyu_contract::yaml::others::Right;
use tokkyu_contract::{FlowId, Qos, TraceId};
use tokkyu_link::carrier::{SecretKey, TrustStore};
use tokkyu_link::core::Subscription;
use tokkyu_link::runtime::{Link, LinkConfig, Role};

/// They take what they are given, or do not.
#[derive(Default)]
struct Wheels {
    refuse: bool,
    /// Others take what drives.
    changed: bool,
    last: Option<Controls>,
    most_mps: Option<f32>,
}

impl Motors for Wheels {
    fn set(&mut self, _: MonoTime, controls: &Controls) -> Result<(), Untaken> {
        if self.refuse {
            return Err(Untaken::Refused);
        }
        if self.changed && controls.dead_man() {
            self.changed = false;
            return Err(Untaken::Changed);
        }
        self.last = Some(*controls);
        Ok(())
    }

    fn bound(&mut self, most_mps: Option<f32>) {
        self.most_mps = most_mps;
    }
}

/// A thread's belongings without the thread, on a link that never has a peer.
fn turn(link: &Link) -> Turn<Wheels> {
    let subscription = Subscription { topic: "drive".into(), type_name: String::new(), qos: Qos::default() };
    let thread = Commands {
        posts: vec![Post::new(link.subscribe(subscription).unwrap(), Session::default(), Arc::default())],
        motors: Wheels::default(),
        given: Arc::new(Given::new(clock::now(), State::Locked)),
        deadline: crate::safety::Limits::default().deadline,
        suspended: Box::new(|| None),
        same_clock: true,
        fifo_priority: None,
        mail: Mail::open().0,
        stop: StopFlag::new(),
    };
    let seat = Seat::new(clock::now(), &[Right::Force], Limits::default());
    Turn { gate: Gate::new(Settings::default()), seat, told: Told::default(), thread }
}

fn link() -> Link {
    let (key, nobody) = (SecretKey::generate().unwrap(), TrustStore::of([]));
    let bind = "127.0.0.1:0".parse().unwrap();
    Link::start(LinkConfig::new(Role::Operator, bind, key, nobody)).unwrap()
}

fn sample(payload: &[u8], age_error: Duration) -> Sample {
    let delivered = Delivered {
        subscription: FlowId(1),
        id: TraceId { flow: FlowId(1), sequence: 0 },
        payload: Bytes::copy_from_slice(payload),
        capture: PeerTime::ZERO,
        age: Duration::ZERO,
        age_error,
        at: clock::now(),
    };
    Sample { session: 1, delivered }
}

fn enabling(sequence: u64) -> [u8; 64] {
    let controls = Controls::new(0.0, 0.0, 0.0).unwrap().with_enable(true);
    Command { controls, sequence, issued: MonoTime::ZERO, pictures: None, seat: SeatWish::default() }.encode()
}

/// As a driver does it in half a second, but for the press. It ends a second from now: a test that is held up in
/// between leaves no gap.
fn get_ready(gate: &mut Gate) {
    let now = clock::now() + Duration::from_secs(1);
    for back in (0..30).rev() {
        let controls = Controls::NEUTRAL;
        let command = Command {
            controls,
            sequence: 30 - back,
            issued: PeerTime::ZERO,
            pictures: None,
            seat: SeatWish::default(),
        };
        let age = Age { estimate: Duration::ZERO, error: Duration::ZERO };
        gate.on_command(now.saturating_sub(Duration::from_millis(20 * back)), age, &command);
    }
}

/// A session begins, and its driver enables with command 50.
fn drive(turn: &mut Turn<Wheels>) {
    turn.on_session(0, 1);
    get_ready(&mut turn.gate);
    turn.step(Some((0, &sample(&enabling(50), Duration::ZERO))));
    assert_eq!(turn.gate.state(), State::Driving);
}

#[test]
fn samples_that_are_no_commands_do_not_put_the_safe_stop_off() {
    let link = link();
    let mut turn = turn(&link);
    drive(&mut turn);
    thread::sleep(crate::safety::Limits::default().deadline + Duration::from_millis(1));
    turn.step(Some((0, &sample(b"no command", Duration::ZERO))));
    assert_eq!(turn.gate.state(), State::Stopping);
}

#[test]
fn a_driver_whom_pictures_do_not_reach_stops_the_vehicle() {
    let link = link();
    let mut turn = turn(&link);
    drive(&mut turn);
    turn.thread.posts[0].blind.store(true, Ordering::Relaxed);
    turn.step(Some((0, &sample(&enabling(51), Duration::ZERO))));
    assert_eq!((turn.gate.state(), turn.gate.need(clock::now())), (State::Stopping, Need::Pictures));
}

#[test]
fn a_machine_that_was_suspended_stops_and_what_waited_meanwhile_moves_nothing() {
    let link = link();
    let mut turn = turn(&link);
    drive(&mut turn);
    turn.thread.suspended = Box::new(|| Some(Duration::from_secs(8)));
    turn.step(Some((0, &sample(&enabling(51), Duration::ZERO))));
    assert_eq!((turn.gate.state(), turn.gate.cause()), (State::Stopping, Some(Cause::Lost)));
}

#[test]
fn motors_that_take_nothing_for_the_deadline_are_a_reason_to_stop_and_were_given_nothing() {
    let link = link();
    let mut turn = turn(&link);
    drive(&mut turn);
    let given = turn.thread.given.last();
    assert_eq!(given.1, State::Driving);
    turn.thread.motors.refuse = true;
    turn.thread.deadline = Duration::from_secs(60);
    turn.step(Some((0, &sample(&enabling(51), Duration::ZERO))));
    assert_eq!((turn.gate.state(), turn.thread.given.last()), (State::Driving, given), "not for so long yet");
    // As if the last that they took were long ago: nothing they do in this test takes a minute.
    turn.thread.given.leave(clock::now().saturating_sub(Duration::from_secs(120)), State::Driving);
    let given = turn.thread.given.last();
    turn.step(Some((0, &sample(&enabling(52), Duration::ZERO))));
    assert_eq!((turn.gate.state(), turn.gate.cause()), (State::Stopping, Some(Cause::Motors)));
    assert_eq!(turn.thread.given.last(), given, "what was not taken is not given");
    assert!(turn.thread.given.is_overdue(clock::now(), turn.thread.deadline), "the watchdog sees it");
    turn.step(Some((0, &sample(&enabling(53), Duration::ZERO))));
    assert_eq!(turn.gate.log().counts().motors_late, 1, "one stop");
    turn.thread.motors.refuse = false;
    turn.step(None);
    assert!(turn.thread.given.last().1 == State::Stopping && turn.thread.motors.last.unwrap().brake() > 0.0);
}

#[test]
fn motors_that_changed_while_driving_stop_at_once_and_need_a_new_enabling() {
    let link = link();
    let mut turn = turn(&link);
    turn.thread.deadline = Duration::from_secs(60);
    drive(&mut turn);
    turn.thread.motors.changed = true;
    turn.step(Some((0, &sample(&enabling(51), Duration::ZERO))));
    assert_eq!((turn.gate.state(), turn.gate.cause()), (State::Stopping, Some(Cause::Motors)));
    let last = turn.thread.motors.last.unwrap();
    assert!(!last.dead_man() && turn.thread.given.last().1 == State::Stopping, "they were given the stop");
    turn.step(Some((0, &sample(&enabling(52), Duration::ZERO))));
    assert_eq!(turn.gate.state(), State::Stopping, "the driver still holds and presses");
    assert_eq!(turn.gate.log().counts().motors_late, 1, "one stop");
}

#[test]
fn a_program_that_ends_while_driving_tells_of_a_stop_and_one_that_stops_keeps_its_reason() {
    let link = link();
    let mut turn = turn(&link);
    drive(&mut turn);
    let (mail, reports, _) = Mail::open();
    turn.thread.mail = mail;
    turn.end();
    let told = reports.try_iter().find_map(|report| match report {
        Report::Changed { change, gate, .. } => Some((change.to, gate.state, gate.cause)),
        _ => None,
    });
    assert_eq!(told, Some((State::Stopping, State::Stopping, Some(Cause::Ended))));
    let mut stopping = self::turn(&link);
    drive(&mut stopping);
    stopping.gate.on_link_closed(clock::now());
    stopping.end();
    assert_eq!((stopping.gate.state(), stopping.gate.cause()), (State::Stopping, Some(Cause::Lost)));
}

/// DRV-140: nobody sends anything any more, and the name goes all the same.
#[test]
fn who_holds_the_stop_is_told_and_that_it_went() {
    let link = link();
    let mut turn = turn(&link);
    let subscription = Subscription { topic: "stop".into(), type_name: String::new(), qos: Qos::default() };
    let subscriber = link.subscribe(subscription).unwrap();
    turn.thread.posts.push(Post::new(subscriber, Session::default(), Arc::default()));
    turn.seat = Seat::new(clock::now(), &[Right::Force, Right::Watch], Limits::default());
    let (mail, reports, _) = Mail::open();
    turn.thread.mail = mail;
    let holders = || -> Vec<Option<usize>> {
        let held = |report| if let Report::Held { gate } = report { Some(gate.seat.holder) } else { None };
        reports.try_iter().filter_map(held).collect()
    };
    // It ends a minute from now: a test that is held up in between is too early all the same.
    let now = clock::now() + Duration::from_secs(60);
    let (controls, seat) = (Controls::emergency(), SeatWish::default());
    let stop = Command { controls, sequence: 1, issued: PeerTime::ZERO, pictures: None, seat };
    let age = Age { estimate: Duration::ZERO, error: Duration::ZERO };
    turn.seat.on_command(now, 1, age, &stop, true);
    turn.step(None);
    assert_eq!(holders(), [Some(1)]);
    turn.tell_holder(now + Duration::from_secs(1));
    assert_eq!(holders(), [], "once");
    turn.tell_holder(now + Duration::from_millis(1_001));
    assert_eq!(holders(), [None]);
}

#[test]
fn motors_are_told_how_fast_the_latency_lets_the_vehicle_go() {
    let link = link();
    let mut turn = turn(&link);
    let comfort = crate::safety::Stops::default().released;
    let rule = crate::safety::Degraded {
        blind_m: 2.0,
        reaction: Duration::from_millis(500),
        top_mps: 10.0,
        comfort,
        period: Duration::from_millis(20),
        pictures: None,
        throttle_is_speed: true,
    };
    turn.gate = Gate::new(Settings { degraded: Some(rule), ..Settings::default() });
    turn.step(None);
    assert_eq!(turn.thread.motors.most_mps, Some(0.0), "nothing is known of the latency");
    turn.on_session(0, 1);
    turn.step(Some((0, &sample(&enabling(1), Duration::ZERO))));
    let most = turn.thread.motors.most_mps.unwrap();
    assert!(0.0 < most && most <= 4.0, "{most}: 2 m in half a second and the command's age");
}

#[test]
fn a_driver_whose_motors_take_nothing_enables_nothing() {
    let link = link();
    let mut turn = turn(&link);
    turn.thread.motors.refuse = true;
    turn.on_session(0, 1);
    turn.step(None);
    get_ready(&mut turn.gate);
    turn.step(Some((0, &sample(&enabling(50), Duration::ZERO))));
    assert_eq!((turn.gate.state(), turn.gate.need(clock::now())), (State::Locked, Need::Motors));
}

#[test]
fn the_links_doubt_about_the_clock_reaches_the_gate() {
    let link = link();
    let mut turn = turn(&link);
    turn.step(Some((0, &sample(&enabling(0), Duration::MAX))));
    assert_eq!((turn.gate.state(), turn.gate.log().counts().age_unknown), (State::Locked, 1));
}
