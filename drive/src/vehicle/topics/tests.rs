//! Motors that are topics, with topics that keep what they are told.

use super::*;
use std::sync::atomic::AtomicBool;
use tokkyu_bridge::motors::{Diagnosis, Level};
use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::robot;

use crate::safety::{Cap, Need, SeatView};

const ROBOT: &str = "robot: rover
vehicle: {top_speed: 10 m/s, output: {ros2: {topic: /cmd_vel, type: geometry_msgs/msg/Twist, turn_rate: 1 rad/s,
  speed: {topic: /odom, type: nav_msgs/msg/Odometry}}}}
flows:
  drive: {class: control, toward: vehicle}
";

#[derive(Default)]
struct Kept {
    commands: Mutex<Vec<Wanted>>,
    states: Mutex<Vec<String>>,
    diagnoses: Mutex<Vec<Diagnosis>>,
    readers: AtomicU64,
    came: AtomicU64,
    /// As who comes while a command is published.
    comes: AtomicBool,
    refuses: AtomicBool,
    /// The middleware does not say who reads.
    is_mute: AtomicBool,
    /// What is wrong with the middleware.
    trouble: Mutex<Option<String>>,
    /// The state and the diagnosis go to nobody.
    is_dumb: AtomicBool,
    /// How often it was asked who subscribes.
    looks: AtomicU64,
}

impl Kept {
    fn on_reader(&self) {
        self.readers.fetch_add(1, Ordering::Relaxed);
        self.came.fetch_add(1, Ordering::Relaxed);
    }

    fn on_good_bye(&self) {
        self.readers.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Topic(Arc<Kept>);

impl Topics for Topic {
    fn command(&self, wanted: &Wanted) -> Result<(), Untold> {
        if self.0.refuses.load(Ordering::Relaxed) {
            return Err(Untold("no room".into()));
        }
        self.0.commands.lock().unwrap().push(*wanted);
        if self.0.comes.swap(false, Ordering::Relaxed) {
            self.0.on_reader();
        }
        Ok(())
    }

    fn state(&self, word: &str) -> Result<(), Untold> {
        self.0.states.lock().unwrap().push(word.to_owned());
        if self.0.is_dumb.load(Ordering::Relaxed) { Err(Untold("no room".into())) } else { Ok(()) }
    }

    fn diagnosis(&self, _: WallTime, diagnosis: &Diagnosis) -> Result<(), Untold> {
        self.0.diagnoses.lock().unwrap().push(diagnosis.clone());
        Ok(())
    }

    fn subscribers(&self) -> Option<Subscribers> {
        self.0.looks.fetch_add(1, Ordering::Relaxed);
        let [now, came] = [&self.0.readers, &self.0.came].map(|count| count.load(Ordering::Relaxed));
        (!self.0.is_mute.load(Ordering::Relaxed)).then_some(Subscribers { now, came })
    }

    fn trouble(&self) -> Option<String> {
        self.0.trouble.lock().unwrap().clone()
    }
}

fn motors() -> (TopicMotors, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    let topics = Box::new(Topic(Arc::clone(&kept)));
    let opened = TopicsOpened { topics, speed: Arc::default(), way: "ROS 2 domain 7".into() };
    let robot = robot::parse("robot.yaml", ROBOT).unwrap();
    (TopicMotors::new(&robot, opened).expect("declared"), kept)
}

fn at(ms: u64) -> MonoTime {
    MonoTime::from_millis(ms)
}

fn gate(state: State, need: Need) -> GateReport {
    let (given, last) = (Some(Duration::ZERO), None);
    GateReport {
        state,
        need,
        given,
        safe_stops: 0,
        last,
        p50: None,
        p99: None,
        cap: Cap::default(),
        seat: SeatView::of_first("operator"),
    }
}

#[test]
fn what_nobody_reads_is_published_and_not_taken() {
    let (mut motors, kept) = motors();
    let stop = Controls::released(1.0, 0.0);
    assert_eq!(motors.set(at(0), &stop), Err(Untaken::Refused));
    kept.on_reader();
    assert_eq!(motors.set(at(50), &stop), Ok(()));
    kept.refuses.store(true, Ordering::Relaxed);
    assert_eq!(motors.set(at(100), &stop), Err(Untaken::Refused));
    let still = Wanted::Twist { forward_mps: 0.0, turn_radps: 0.0 };
    assert_eq!(*kept.commands.lock().unwrap(), [still, still], "a stop is sent again and again");
    let status = motors.onlooker().unwrap().status();
    assert_eq!((status.given, status.untaken, status.trouble.as_deref()), (1, 2, Some("no room")));
    assert_eq!((status.topics[0].topic.as_str(), status.topics.len()), ("/cmd_vel", 4));
}

#[test]
fn subscribers_that_nobody_knows_of_are_none() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    kept.on_reader();
    kept.is_mute.store(true, Ordering::Relaxed);
    assert_eq!(motors.set(at(0), &Controls::released(1.0, 0.0)), Err(Untaken::Refused));
    let told = watcher.on_gate(at(0), &gate(State::Locked, Need::Motors), None).expect("news");
    assert!(told.contains("not known who subscribes to /cmd_vel"), "{told}");
    assert_eq!(watcher.status().subscribers, None);
}

/// Turns of `motors` that drive, and stop in between as the gate does.
fn drive(motors: &mut TopicMotors, kept: &Kept) -> (Result<(), Untaken>, usize) {
    let before = kept.commands.lock().unwrap().len();
    let outcome = motors.set(at(0), &Controls::new(0.5, 0.0, 0.0).unwrap());
    let published = kept.commands.lock().unwrap().len() - before;
    (outcome, published)
}

#[test]
fn who_comes_goes_or_takes_the_place_of_another_stops_a_vehicle_that_drives() {
    let (mut motors, kept) = motors();
    let stop = Controls::released(1.0, 0.0);
    kept.on_reader();
    assert_eq!(motors.set(at(0), &stop), Ok(()));
    assert_eq!(drive(&mut motors, &kept), (Ok(()), 1));
    type Change = fn(&Kept);
    let changes: [(&str, Change); 3] = [
        ("one came", Kept::on_reader),
        ("one went, another reads on", Kept::on_good_bye),
        ("one took its place between two looks", |kept| {
            kept.on_good_bye();
            kept.on_reader();
        }),
    ];
    for (what, change) in changes {
        change(&kept);
        assert_eq!(drive(&mut motors, &kept), (Err(Untaken::Changed), 0), "{what}: nothing moves it");
        assert_eq!(motors.set(at(0), &stop), Ok(()), "{what}: it gets the stop");
        assert_eq!(drive(&mut motors, &kept), (Ok(()), 1), "{what}: once");
    }
    kept.comes.store(true, Ordering::Relaxed);
    assert_eq!(drive(&mut motors, &kept), (Err(Untaken::Changed), 1), "one came in that moment");
    kept.on_reader();
    assert_eq!(motors.set(at(0), &stop), Ok(()), "who comes while it stands changes nothing");
    assert_eq!(drive(&mut motors, &kept), (Ok(()), 1));
}

#[test]
fn the_user_is_told_that_the_base_changed_though_the_next_command_was_taken() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    kept.on_reader();
    assert_eq!(motors.set(at(0), &Controls::released(1.0, 0.0)), Ok(()));
    kept.on_reader();
    assert_eq!(drive(&mut motors, &kept).0, Err(Untaken::Changed));
    assert_eq!(motors.set(at(0), &Controls::released(1.0, 0.0)), Ok(()));
    let mut look =
        |ms| watcher.on_gate(at(ms), &gate(State::Stopping, Need::Standstill), Some(Cause::Motors));
    let told = look(0).expect("news");
    assert!(told.contains("who subscribes to /cmd_vel (ROS 2 domain 7) changed"), "{told}");
    assert_eq!(look(50), None);
    assert_eq!(watcher.status().changes, 1);
}

#[test]
fn the_user_is_told_once_that_nobody_reads_and_once_that_somebody_does() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    let mut look = |ms, motors: &mut TopicMotors| {
        let _ = motors.set(at(ms), &Controls::released(1.0, 0.0));
        watcher.on_gate(at(ms), &gate(State::Locked, Need::Motors), None)
    };
    let told = look(0, &mut motors).expect("news");
    assert!(
        told.contains("nobody subscribes to /cmd_vel (ROS 2 domain 7)") && told.contains("start"),
        "{told}"
    );
    assert_eq!(look(50, &mut motors), None);
    kept.on_reader();
    assert_eq!(look(100, &mut motors).as_deref(), Some("/cmd_vel is read"));
    assert_eq!(look(150, &mut motors), None);
}

/// DRV-135.
#[test]
fn a_middleware_in_trouble_is_told_of_once_and_stops_nothing() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    kept.on_reader();
    let _ = motors.set(at(0), &Controls::released(1.0, 0.0));
    let mut look = |ms| watcher.on_gate(at(ms), &gate(State::Driving, Need::Nothing), None);
    assert_eq!(look(0), None);
    *kept.trouble.lock().unwrap() = Some("no master".into());
    assert_eq!((look(50).as_deref(), look(100)), (Some("no master"), None));
    assert_eq!(drive(&mut motors, &kept), (Ok(()), 1));
    *kept.trouble.lock().unwrap() = None;
    assert_eq!((look(150).as_deref(), look(200)), (Some("/cmd_vel is read"), None));
    kept.refuses.store(true, Ordering::Relaxed);
    *kept.trouble.lock().unwrap() = Some("no master".into());
    assert_eq!(motors.set(at(250), &Controls::released(1.0, 0.0)), Err(Untaken::Refused));
    assert_eq!(look(250).as_deref(), Some("no room"), "that of the commands goes first");
}

/// A state is due each 100 ms, and looks come each 50 ms.
#[test]
fn a_state_that_goes_to_nobody_is_told_of_once() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    kept.on_reader();
    kept.is_dumb.store(true, Ordering::Relaxed);
    let _ = motors.set(at(0), &Controls::released(1.0, 0.0));
    let look = |ms| watcher.on_gate(at(ms), &gate(State::Locked, Need::FreshCommand), None);
    let told: Vec<String> = (0..1_000).step_by(50).filter_map(look).collect();
    assert_eq!(told, ["no room"]);
}

#[test]
fn the_state_is_told_at_each_change_and_ten_times_a_second_and_the_diagnosis_once_a_second() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    for ms in (0..=1_000).step_by(50) {
        watcher.on_gate(at(ms), &gate(State::Locked, Need::FreshCommand), None);
    }
    assert_eq!((kept.states.lock().unwrap().len(), kept.diagnoses.lock().unwrap().len()), (11, 2));
    watcher.on_gate(at(1_001), &gate(State::Stopping, Need::Standstill), Some(Cause::Lost));
    assert_eq!(kept.states.lock().unwrap().last().unwrap(), "STOPPING", "a change does not wait");
    watcher.on_gate(at(2_000), &gate(State::Stopping, Need::Motors), Some(Cause::Lost));
    assert_eq!(kept.diagnoses.lock().unwrap().last().unwrap().level, Level::Error);
}

#[test]
fn a_bound_is_in_what_is_published_and_the_gate_is_told_that_throttle_is_a_speed() {
    let (mut motors, kept) = motors();
    kept.on_reader();
    assert!(motors.throttle_is_speed());
    let full = Controls::new(1.0, 0.0, 1.0).unwrap();
    let _ = motors.set(at(0), &Controls::released(1.0, 0.0));
    for (most_mps, forward_mps, turn_radps) in [(None, 10.0, 1.0), (Some(2.5), 2.5, 0.25), (None, 10.0, 1.0)]
    {
        motors.bound(most_mps);
        assert_eq!(motors.set(at(0), &full), Ok(()));
        let last = *kept.commands.lock().unwrap().last().unwrap();
        assert_eq!(last, Wanted::Twist { forward_mps, turn_radps });
    }
}

#[test]
fn who_shows_how_many_subscribe_does_not_ask_the_middleware() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    assert_eq!(watcher.status().subscribers, None, "nobody has looked");
    kept.on_reader();
    let _ = motors.set(at(0), &Controls::released(1.0, 0.0));
    let looks = kept.looks.load(Ordering::Relaxed);
    watcher.on_gate(at(0), &gate(State::Locked, Need::FreshCommand), None);
    assert_eq!((watcher.status().subscribers, kept.looks.load(Ordering::Relaxed)), (Some(1), looks));
}

#[test]
fn the_end_is_told_though_the_last_state_and_diagnosis_were_just_now() {
    let (mut motors, kept) = motors();
    let mut watcher = motors.onlooker().unwrap();
    watcher.on_gate(at(0), &gate(State::Driving, Need::Nothing), None);
    watcher.on_gate(at(1), &gate(State::Stopping, Need::Standstill), Some(Cause::Ended));
    watcher.on_end(at(1), &gate(State::Stopping, Need::Standstill), Some(Cause::Ended));
    assert_eq!(*kept.states.lock().unwrap(), ["driving", "STOPPING", "STOPPING"]);
    let told = kept.diagnoses.lock().unwrap().last().unwrap().clone();
    assert_eq!(told.values[0], ("state".to_owned(), "STOPPING".to_owned()));
    assert!(told.values.contains(&("last_stop".to_owned(), "vehicle's program ended".to_owned())));
}
