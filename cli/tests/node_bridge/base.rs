//! `tokkyu vehicle` whose gate's output goes to a robot's base in ROS 1 (drive's DRV-112 to DRV-121 and DRV-133 to DRV-135,
//! NODE-126 to NODE-131). The base is a node of rospy: `node/tests/ros1/peers/base.py`.

use serde_json::Value;

use super::drive::{accepted_after, number, until_status, until_told};
use super::program::Program;
use super::yard::{Operator, Vehicle, Yard};

const TWIST: &str = "type: geometry_msgs/Twist, turn_rate: 1 rad/s";
const ACKERMANN: &str = "type: ackermann_msgs/AckermannDrive, steering_angle: 0.5 rad";

/// A robot that is driven beside its master; nothing if ROS 1 is not here, which is said.
fn yard(output: &str) -> Option<Yard> {
    Yard::with_one_master(&format!(
        "  drive: {{class: control, rate: 50 Hz, depth: 1, lifespan: 150 ms, deadline: 100 ms, toward: vehicle}}\n\
         vehicle: {{top_speed: 10 m/s, output: {{ros1: {{topic: /base/cmd, {output}}}}}}}"
    ))
}

struct Base(Program);

impl Base {
    fn start(yard: &Yard, words: &str) -> Base {
        let base = Base(yard.peer("base.py", Vehicle, &format!("topic=/base/cmd {words}")));
        base.until("ready", |_| true);
        base
    }

    fn twist(yard: &Yard) -> Base {
        Base::start(yard, "type=geometry_msgs/Twist")
    }

    /// Waits for an event of which `is_it` is true; gives it.
    fn until(&self, event: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.0.until(event, |lines| events(lines, event).find(|value| is_it(value)))
    }

    /// Waits until `is_it` is true of the newest.
    fn until_newest(&self, event: &str, is_it: impl Fn(&Value) -> bool) {
        self.0.until(event, |lines| events(lines, event).next_back().filter(|value| is_it(value)));
    }

    fn until_it_goes(&self) {
        self.until("command", |command| number(command, "speed") > 0.1);
    }

    fn all(&self, event: &str) -> Vec<Value> {
        events(&self.0.out.all(), event).collect()
    }

    fn until_count(&self, event: &str, count: usize) {
        self.0.until(event, |lines| (events(lines, event).count() >= count).then_some(()));
    }
}

fn events<'l>(lines: &'l [String], event: &'l str) -> impl DoubleEndedIterator<Item = Value> + 'l {
    let values = lines.iter().map(|line| serde_json::from_str::<Value>(line).expect("a base speaks JSON"));
    values.filter(move |value| value["event"] == event)
}

fn is_still(command: &Value) -> bool {
    number(command, "speed").to_bits() == 0 && number(command, "turn").to_bits() == 0
}

#[test]
fn a_base_in_ros_1_is_driven_and_stands_when_the_driver_is_gone() {
    let Some(yard) = yard(&format!("{TWIST}, speed: {{topic: /odom, type: nav_msgs/Odometry}}")) else {
        return;
    };
    let mut operator = yard.end(Operator, "--control pattern");
    let base = Base::start(&yard, "type=geometry_msgs/Twist odometry=/odom");
    let vehicle = yard.end(Vehicle, "");
    base.until_it_goes();
    base.until("gate", |gate| gate["word"] == "driving");
    let moving = base.until("diagnostics", |told| told["values"]["state"] == "driving");
    assert_eq!((&moving["level"], &moving["name"]), (&Value::from(0), &Value::from("tokkyu: gate")));
    until_status(&vehicle, "the speed read back", |status| {
        status["motors"]["speed_mps"].as_f64().filter(|mps| *mps > 0.1)
    });
    until_status(&vehicle, "types as ROS 1 writes them", |status| {
        (status["motors"]["topics"][0]["type"] == "geometry_msgs/Twist").then_some(())
    });
    let before = base.all("command").len();
    operator.kill();
    base.until("gate", |gate| gate["word"] == "STOPPING");
    base.until("gate", |gate| gate["word"] == "STOPPED");
    let stopped = base.all("command").len();
    assert!(stopped > before, "a stop is told to the base too");
    base.until_count("command", stopped + 10);
    let commands = base.all("command");
    assert!(commands[stopped..].iter().all(is_still), "a stop is said again and again");
    assert!(commands.iter().all(|command| (0.0..=10.0).contains(&number(command, "speed"))));
}

/// DRV-134: a drive that is ended while the driver holds throttle and dead-man.
#[test]
fn the_last_that_a_base_hears_of_a_drive_is_not_that_it_drives() {
    let Some(yard) = yard(TWIST) else { return };
    let base = Base::twist(&yard);
    let _operator = yard.end(Operator, "--control pattern");
    let mut vehicle = yard.end(Vehicle, "");
    base.until_it_goes();
    base.until("diagnostics", |told| told["values"]["state"] == "driving");
    vehicle.interrupt();
    assert_eq!(vehicle.exit_code(), Some(130));
    base.until_newest("command", is_still);
    base.until_newest("gate", |gate| gate["word"] != "driving");
    base.until_newest("diagnostics", |told| told["values"]["state"] != "driving");
}

#[test]
fn an_ackermann_base_is_told_how_hard_to_stop() {
    let Some(yard) = yard(ACKERMANN) else { return };
    let base = Base::start(&yard, "type=ackermann_msgs/AckermannDrive");
    let _operator = yard.end(Operator, "--control pattern");
    let _vehicle = yard.end(Vehicle, "");
    let held = base.until("command", |_| true);
    assert_eq!((number(&held, "speed"), number(&held, "slow")), (0.0, 8.0), "full brake");
    let moving = base.until("command", |command| number(command, "speed") > 0.1);
    assert_eq!(number(&moving, "slow"), 0.0);
}

/// DRV-136.
#[test]
fn bases_that_want_a_header_get_moment_and_frame() {
    let twist = ("geometry_msgs/TwistStamped", "turn_rate: 1 rad/s", "base_link");
    let car = ("ackermann_msgs/AckermannDriveStamped", "steering_angle: 0.5 rad, frame_id: car", "car");
    for (kind, rest, frame) in [twist, car] {
        let Some(yard) = yard(&format!("type: {kind}, {rest}")) else { return };
        let base = Base::start(&yard, &format!("type={kind}"));
        let _operator = yard.end(Operator, "--control pattern");
        let _vehicle = yard.end(Vehicle, "");
        let moving = base.until("command", |command| number(command, "speed") > 0.1);
        assert_eq!(moving["frame"], frame);
        // Of the same clock, on a machine that is busy.
        assert!((0.0..10.0).contains(&number(&moving, "age_s")), "{moving}");
    }
}

/// DRV-120; a base with another type is none.
#[test]
fn a_base_that_is_not_there_is_told_at_both_ends_and_nothing_enables_until_it_comes() {
    let Some(yard) = yard(TWIST) else { return };
    let _other = Base::start(&yard, "type=ackermann_msgs/AckermannDrive");
    let operator = yard.end(Operator, "--control pattern");
    let vehicle = yard.end(Vehicle, "");
    until_told(&vehicle, "nobody subscribes to /base/cmd (ROS 1 master http://127.0.0.1:");
    until_told(&operator, "THE MOTORS DO NOT ANSWER");
    // The driver has neutral controls and presses: by the time this many commands came he has done it.
    assert_eq!(accepted_after(&vehicle, 150), 0);
    let mut base = Base::twist(&yard);
    until_told(&vehicle, "/base/cmd is read");
    until_told(&operator, "the motors answer again");
    base.until_it_goes();
    assert_eq!(base.0.end(), Some(0));
    until_told(&vehicle, "who subscribes to /base/cmd");
    until_status(&vehicle, "a stop", |status| (status["control"]["state"] != "driving").then_some(()));
}

/// DRV-133: one that listens on hides neither that the base went nor that it came.
#[test]
fn a_base_that_is_killed_and_started_anew_moves_after_a_new_enabling_alone() {
    let Some(yard) = yard(TWIST) else { return };
    let _echo = yard.tool(Vehicle, "rostopic echo /base/cmd");
    let mut first = Base::twist(&yard);
    let _operator = yard.end(Operator, "--control pattern");
    let vehicle = yard.end(Vehicle, "");
    until_status(&vehicle, "both", |status| (status["motors"]["subscribers"] == 2).then_some(()));
    first.until_it_goes();
    first.0.kill();
    until_told(&vehicle, "who subscribes to /base/cmd");
    let second = Base::twist(&yard);
    // It came while the vehicle drove once more, or before.
    second.until_it_goes();
    let commands = second.all("command");
    let moves = |command: &&Value| number(command, "speed") > 0.0;
    let stood = commands.iter().filter(|command| is_still(command)).count();
    let before = commands.iter().take_while(moves).count();
    // The one that it may come in the midst of.
    assert!(before <= 1 && stood > 0, "{before} commands moved it at once, {stood} held it");
}

/// NODE-128, DRV-135.
#[test]
fn a_master_that_is_away_keeps_nobody_who_is_linked_from_being_driven() {
    let Some(mut yard) = yard(TWIST) else { return };
    yard.kill_vehicles_master();
    let _operator = yard.end(Operator, "--control pattern");
    let vehicle = yard.end(Vehicle, "");
    until_told(&vehicle, "does not answer: start roscore");
    yard.revive_vehicles_master();
    let base = Base::twist(&yard);
    base.until_it_goes();
    yard.kill_vehicles_master();
    until_told(&vehicle, "does not answer any more: a base that is linked is driven on");
    let told = base.all("command").len();
    base.until_count("command", told + 50);
    assert!(!base.all("gate").iter().any(|gate| gate["word"] == "STOPPING"), "it is driven on");
    yard.revive_vehicles_master();
    // It knows of the vehicle's node by itself: another base is found, which is a change.
    let second = Base::twist(&yard);
    second.until("gate", |gate| gate["word"] == "STOPPED");
    until_told(&vehicle, "who subscribes to /base/cmd");
}

/// NODE-130.
#[test]
fn a_vehicles_node_that_is_told_to_end_stops_the_base_for_good() {
    let Some(yard) = yard(TWIST) else { return };
    let base = Base::twist(&yard);
    let _operator = yard.end(Operator, "--control pattern");
    let vehicle = yard.end(Vehicle, "");
    base.until_it_goes();
    yard.shut_down(&yard.address_of(Vehicle, "/tokkyu_vehicle_"));
    base.until("gate", |gate| gate["word"] == "STOPPED");
    until_told(&vehicle, "was told to end (/test: the test is over)");
    let (stopped, came) = (base.all("command").len(), accepted_after(&vehicle, 0));
    base.until_count("command", stopped + 50);
    assert!(base.all("command")[stopped..].iter().all(is_still), "it is told to stop, again and again");
    assert_eq!(accepted_after(&vehicle, came + 150), came, "nothing enables");
}

/// NODE-127.
#[test]
fn a_master_on_another_host_is_refused() {
    let Some(yard) = yard(TWIST) else { return };
    let mut command = yard.command_of(Vehicle);
    // RFC 5737: nobody's.
    command.env("ROS_MASTER_URI", "http://203.0.113.1:11311");
    let output = command.output().expect("runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("the master at http://203.0.113.1:11311 is not on this host"), "{told}");
}
