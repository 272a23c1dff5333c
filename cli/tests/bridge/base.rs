//! `tokkyu vehicle` whose gate's output goes to a robot's base in ROS 2 (drive's DRV-112 to DRV-121, ROS2-42, ROS2-43).

use serde_json::Value;

use super::drive::{accepted_after, number, until_status, until_told};
use super::peer::{Base, Cyclone, Fast, Library, Peer};
use super::yard::{Operator, Vehicle, Yard};

const TWIST: &str = "type: geometry_msgs/msg/Twist, turn_rate: 1 rad/s";
const ACKERMANN: &str = "type: ackermann_msgs/msg/AckermannDrive, steering_angle: 0.5 rad";

/// A robot that is driven in the vehicle's domain; nothing if a library is not here, which is said.
fn yard(output: &str, libraries: &[Library]) -> Option<Yard> {
    let yard = Yard::open("  none: {class: best_effort}", libraries)?;
    let domain = yard.domain(Vehicle);
    yard.declare(&format!(
        "  drive: {{class: control, rate: 50 Hz, depth: 1, lifespan: 150 ms, deadline: 100 ms, toward: vehicle}}\n\
         vehicle: {{top_speed: 10 m/s, output: {{ros2: {{topic: /base/cmd, domain: {domain}, {output}}}}}}}"
    ));
    Some(yard)
}

fn base(yard: &Yard, words: &str) -> Peer {
    yard.peer(Base, Vehicle, &format!("--topic base/cmd {words}"))
}

#[test]
fn a_base_in_ros_2_is_driven_and_stands_when_the_driver_is_gone() {
    let speed = "speed: {topic: /odom, type: nav_msgs/msg/Odometry}";
    let Some(yard) = yard(&format!("{TWIST}, {speed}"), &[Base]) else { return };
    let mut operator = yard.end(Operator, "--control pattern");
    let base = base(&yard, "--type geometry_msgs/msg/Twist --odometry odom");
    let mut vehicle = yard.end(Vehicle, "");
    base.until_event("command", |command| number(command, "speed") > 0.1);
    base.until_event("gate", |gate| gate["word"] == "driving");
    let moving = base.until_event("diagnostics", |told| told["values"]["state"] == "driving");
    assert_eq!((&moving["level"], &moving["name"]), (&Value::from(0), &Value::from("tokkyu: gate")));
    until_status(&vehicle, "the speed read back", |status| {
        status["motors"]["speed_mps"].as_f64().filter(|mps| *mps > 0.1)
    });
    let before = base.events("command").len();
    operator.kill();
    base.until_event("gate", |gate| gate["word"] == "STOPPING");
    base.until_event("gate", |gate| gate["word"] == "STOPPED");
    let stopped = base.events("command").len();
    assert!(stopped > before, "a stop is told to the base too");
    // A stop is said again and again.
    let count = |base: &Peer| base.events("command").len();
    while count(&base) < stopped + 10 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let commands = base.events("command");
    assert!(commands[stopped..].iter().all(|command| {
        number(command, "speed").to_bits() == 0 && number(command, "turn").to_bits() == 0
    }));
    assert!(commands.iter().all(|command| (0.0..=10.0).contains(&number(command, "speed"))));
    vehicle.kill();
    base.end();
}

/// DRV-134: a drive that is ended while the driver holds throttle and dead-man.
#[test]
fn the_last_that_a_base_hears_of_a_drive_is_not_that_it_drives() {
    let Some(yard) = yard(TWIST, &[Base]) else { return };
    let base = base(&yard, "--type geometry_msgs/msg/Twist");
    let _operator = yard.end(Operator, "--control pattern");
    let mut vehicle = yard.end(Vehicle, "");
    base.until_event("command", |command| number(command, "speed") > 0.1);
    base.until_event("diagnostics", |told| told["values"]["state"] == "driving");
    vehicle.interrupt();
    assert_eq!(vehicle.exit_code(), Some(130));
    base.until_newest("command", |command| number(command, "speed").to_bits() == 0);
    base.until_newest("gate", |gate| gate["word"] != "driving");
    base.until_newest("diagnostics", |told| told["values"]["state"] != "driving");
    base.end();
}

#[test]
fn an_ackermann_base_is_told_how_hard_to_stop() {
    let Some(yard) = yard(ACKERMANN, &[Base]) else { return };
    let base = base(&yard, "--type ackermann_msgs/msg/AckermannDrive");
    let _operator = yard.end(Operator, "--control pattern");
    let _vehicle = yard.end(Vehicle, "");
    let held = base.until_event("command", |_| true);
    assert_eq!((number(&held, "speed"), number(&held, "slow")), (0.0, 8.0), "full brake");
    let moving = base.until_event("command", |command| number(command, "speed") > 0.1);
    assert_eq!(number(&moving, "slow"), 0.0);
    base.end();
}

/// DRV-136.
#[test]
fn bases_that_want_a_header_get_moment_and_frame() {
    let twist = ("geometry_msgs/msg/TwistStamped", "turn_rate: 1 rad/s", "base_link");
    let car = ("ackermann_msgs/msg/AckermannDriveStamped", "steering_angle: 0.5 rad, frame_id: car", "car");
    for (kind, rest, frame) in [twist, car] {
        let Some(yard) = yard(&format!("type: {kind}, {rest}"), &[Base]) else { return };
        let base = base(&yard, &format!("--type {kind}"));
        let _operator = yard.end(Operator, "--control pattern");
        let _vehicle = yard.end(Vehicle, "");
        let moving = base.until_event("command", |command| number(command, "speed") > 0.1);
        assert_eq!(moving["frame"], frame);
        // Of the same clock, on a machine that is busy.
        assert!((0.0..10.0).contains(&number(&moving, "age_s")), "{moving}");
        base.end();
    }
}

#[test]
fn a_base_that_is_not_there_is_told_at_both_ends_and_nothing_enables_until_it_comes() {
    let Some(yard) = yard(TWIST, &[Base]) else { return };
    let operator = yard.end(Operator, "--control pattern");
    let vehicle = yard.end(Vehicle, "");
    until_told(&vehicle, "nobody subscribes to /base/cmd");
    until_told(&operator, "THE MOTORS DO NOT ANSWER");
    // The driver has neutral controls and presses: by the time this many commands came he has done it.
    assert_eq!(accepted_after(&vehicle, 150), 0);
    let base = base(&yard, "--type geometry_msgs/msg/Twist");
    until_told(&vehicle, "/base/cmd is read");
    until_told(&operator, "the motors answer again");
    base.until_event("command", |command| number(command, "speed") > 0.1);
    base.end();
    until_told(&vehicle, "motors did not take their controls");
}

/// DRV-133: the number of subscribers goes from one to two, and never is 0.
#[test]
fn a_base_that_is_killed_and_started_anew_moves_after_a_new_enabling_alone() {
    let Some(yard) = yard(TWIST, &[Base]) else { return };
    let mut first = base(&yard, "--type geometry_msgs/msg/Twist");
    let _operator = yard.end(Operator, "--control pattern");
    let vehicle = yard.end(Vehicle, "");
    first.until_event("command", |command| number(command, "speed") > 0.1);
    first.kill();
    let second = base(&yard, "--type geometry_msgs/msg/Twist");
    until_told(&vehicle, "who subscribes to /base/cmd");
    second.until_event("gate", |gate| gate["word"] == "STOPPED");
    let moved = second.events("command").iter().filter(|command| number(command, "speed") > 0.0).count();
    // The one that it may come in the midst of.
    assert!(moved <= 1, "{moved} commands moved it");
    second.until_event("command", |command| number(command, "speed") > 0.1);
    second.end();
}

#[test]
fn subscribers_of_other_libraries_get_the_commands() {
    let Some(yard) = yard(TWIST, &[Cyclone, Fast]) else { return };
    let words = "subscribe --topic base/cmd --type geometry_msgs/msg/Twist";
    let peers = [Cyclone, Fast].map(|library| yard.peer(library, Vehicle, words));
    let _operator = yard.end(Operator, "");
    let vehicle = yard.end(Vehicle, "");
    for peer in &peers {
        // The linear speed is 0, which is what number 0 has there.
        peer.until_event("received", |sample| sample["n"] == 0 && sample["bytes"] == 48);
    }
    until_status(&vehicle, "two subscribers", |status| (status["motors"]["subscribers"] == 2).then_some(()));
}
