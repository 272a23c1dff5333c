//! `vehicle.output` of a robot (SPEC.md, CON-60 to CON-63).

use tokkyu_contract::check::check;
use tokkyu_contract::units::{Angle, TurnRate};
use tokkyu_contract::yaml::output::{Motion, Output, Ros, SpeedMessage, SpeedTopic};
use tokkyu_contract::yaml::{robot, site};

const FLOWS: &str = "flows:\n  drive: {class: control, toward: vehicle}\n";

fn file(output: &str) -> String {
    format!("robot: r\nvehicle: {{output: {output}}}\n{FLOWS}")
}

fn good(output: &str) -> Output {
    let robot = robot::parse("robot.yaml", &file(output)).unwrap_or_else(|errors| panic!("{errors}"));
    robot.vehicle.output.expect("given")
}

fn bad(output: &str) -> String {
    robot::parse("robot.yaml", &file(output)).unwrap_err().to_string()
}

#[test]
fn a_twist_of_ros_2_with_its_speed_is_read() {
    let output = good(
        "{ros2: {topic: /cmd_vel, type: geometry_msgs/msg/Twist, turn_rate: 1.5 rad/s, domain: 7, \
         speed: {topic: odom, type: nav_msgs/msg/Odometry}}}",
    );
    let speed = SpeedTopic { topic: "odom".into(), message: SpeedMessage::Odometry };
    let motion = Motion::Twist { turn_rate: TurnRate(1_500) };
    let ros = Ros::Two { domain: Some(7) };
    assert_eq!(output, Output { ros, topic: "cmd_vel".into(), motion, frame: None, speed: Some(speed) });
    assert_eq!(
        (output.gate_topic().as_str(), output.type_name()),
        ("cmd_vel/gate", "geometry_msgs/msg/Twist")
    );
}

#[test]
fn an_ackermann_of_ros_1_is_read_and_what_is_not_given_is_not() {
    let output =
        good("{ros1: {topic: base/drive, type: ackermann_msgs/AckermannDrive, steering_angle: 0.6 rad}}");
    let motion = Motion::Ackermann { steering_angle: Angle(600) };
    assert_eq!(
        output,
        Output { ros: Ros::One, topic: "base/drive".into(), motion, frame: None, speed: None }
    );
    let output = good("{ros2: {topic: /cmd_vel, type: geometry_msgs/msg/Twist, turn_rate: 1 rad/s}}");
    assert_eq!(output.ros, Ros::Two { domain: None });
    assert_eq!(robot::parse("robot.yaml", &format!("robot: r\n{FLOWS}")).unwrap().vehicle.output, None);
}

#[test]
fn what_no_base_could_take_is_an_error_with_its_remedy() {
    const TWIST: &str = "type: geometry_msgs/msg/Twist";
    const ACKERMANN: &str = "type: ackermann_msgs/msg/AckermannDrive";
    let ros2 = |fields: &str| format!("{{ros2: {{{fields}}}}}");
    let cases = [
        ("{}".into(), "vehicle.output: it goes nowhere; add ros2: or ros1:"),
        ("{ros2: {}, ros1: {}}".into(), "vehicle.output.ros1: ros2 is given too"),
        ("{ros3: {}}".into(), "vehicle.output.ros3: unknown field; did you mean \"ros2\"?"),
        (ros2(TWIST), "vehicle.output.ros2.topic: the field is missing; add the topic of the robot's base"),
        (
            ros2("topic: /a"),
            "vehicle.output.ros2.type: the field is missing; add what the robot's base takes",
        ),
        (ros2("topic: /a, type: geometry_msgs/Twist"), "did you mean \"geometry_msgs/msg/Twist\"?"),
        (ros2("topic: /a, type: std_msgs/msg/String"), "unknown value \"std_msgs/msg/String\"; use geometry"),
        (
            ros2(&format!("topic: /a, {TWIST}")),
            "ros2.turn_rate: the field is missing; add what full steering is",
        ),
        (ros2(&format!("topic: /a, {ACKERMANN}")), "ros2.steering_angle: the field is missing"),
        (
            ros2(&format!("topic: /a, {ACKERMANN}, turn_rate: 1 rad/s")),
            "ros2.turn_rate: a message of this type has none; remove it: full steering is steering_angle there",
        ),
        (ros2(&format!("topic: /a, {TWIST}, turn_rate: 90 deg/s")), "the unit is unknown; use rad/s"),
        (
            ros2(&format!("topic: /a, {TWIST}, turn_rate: 0 rad/s")),
            "0 rad/s is not from 0.01 rad/s to 20 rad/s",
        ),
        (
            ros2(&format!("topic: /a, {ACKERMANN}, steering_angle: 30 rad")),
            "30 rad is not from 0.01 rad to 1.571 rad",
        ),
        (ros2(&format!("topic: /a, {TWIST}, domain: 233")), "\"233\" is not a whole number from 0 to 232"),
        ("{ros1: {topic: /a, domain: 3}}".into(), "vehicle.output.ros1.domain: unknown field"),
    ];
    for (output, what) in cases {
        let errors = bad(&output);
        assert!(errors.contains(what), "{output}: {errors}");
    }
}

#[test]
fn a_topic_has_a_name_of_ros_that_nobody_else_has() {
    let ros2 = |topic: &str, more: &str| {
        format!("{{ros2: {{topic: {topic}, type: geometry_msgs/msg/Twist, turn_rate: 1 rad/s{more}}}}}")
    };
    let cases = [
        ("/cmd vel", "' ' cannot be in a flow's name"),
        ("//a", "is not the name of one topic; write it like /cmd_vel"),
        ("/a/*", "is not the name of one topic"),
        ("/a//b", "the name has an empty part"),
        ("/2fast", "a part of the name begins with a digit"),
        ("/rosout", "/rosout is reserved; choose another topic"),
        ("diagnostics", "/diagnostics is reserved"),
        ("/tokkyu/x", "/tokkyu/x is reserved"),
        ("drive", "flow drive goes to the same topic, past the gate; choose another topic"),
    ];
    for (topic, what) in cases {
        let errors = bad(&ros2(topic, ""));
        assert!(errors.contains(what) && errors.contains("output.ros2.topic"), "{topic}: {errors}");
    }
    let long = "a".repeat(241);
    assert!(bad(&ros2(&long, "")).contains("longer than 240 characters"));
    for speed in ["/cmd_vel", "cmd_vel/gate"] {
        let speed = format!(", speed: {{topic: {speed}, type: nav_msgs/msg/Odometry}}");
        assert!(bad(&ros2("/cmd_vel", &speed)).contains("ros2.speed.topic: /cmd_vel"), "{speed}");
    }
    let pattern = file(&ros2("/base/cmd", "")) + "  base/*: {class: realtime, toward: vehicle}\n";
    let errors = robot::parse("robot.yaml", &pattern).unwrap_err().to_string();
    assert!(errors.contains("flow base/* goes to the same topic, past the gate"), "{errors}");
    let speed = ", speed: {topic: /odom, type: nav_msgs/msg/Odometry}";
    for (flow, what) in [
        ("base/cmd/gate", "output.ros2.topic: flow base/cmd/gate goes to the topic of the gate's state"),
        ("base/*/gate", "output.ros2.topic: flow base/*/gate goes to the topic of the gate's state"),
        ("diagnostics", "output.ros2.topic: flow diagnostics goes to /diagnostics"),
        ("odom", "output.ros2.speed.topic: flow odom goes to the topic of the speed"),
    ] {
        let text =
            file(&ros2("/base/cmd", speed)) + &format!("  {flow}: {{class: realtime, toward: vehicle}}\n");
        let errors = robot::parse("robot.yaml", &text).unwrap_err().to_string();
        assert!(errors.contains(what), "{flow}: {errors}");
        let other_way = text.replace(
            &format!("{flow}: {{class: realtime, toward: vehicle}}"),
            &format!("{flow}: {{class: realtime}}"),
        );
        assert!(robot::parse("robot.yaml", &other_way).is_ok(), "{flow} toward the operator");
    }
    let other_way = file(&ros2("/base/cmd", "")) + "  base/*: {class: realtime}\n";
    assert!(robot::parse("robot.yaml", &other_way).is_ok(), "what goes to the operator moves nothing");
}

#[test]
fn a_speed_needs_a_topic_and_a_message_that_has_one() {
    let ros1 = |speed: &str| {
        format!(
            "{{ros1: {{topic: /cmd_vel, type: geometry_msgs/Twist, turn_rate: 1 rad/s, speed: {speed}}}}}"
        )
    };
    let stamped = good(&ros1("{topic: /speed, type: geometry_msgs/TwistStamped}")).speed.unwrap();
    assert_eq!(stamped.message.type_name(Ros::One), "geometry_msgs/TwistStamped");
    let cases = [
        ("{topic: /odom}", "speed.type: the field is missing; add its type, such as type: nav_msgs/Odometry"),
        ("{type: nav_msgs/Odometry}", "speed.topic: the field is missing"),
        ("{topic: /odom, type: std_msgs/Float32}", "unknown value \"std_msgs/Float32\""),
        ("/odom", "a single value does not fit here; write a mapping"),
    ];
    for (speed, what) in cases {
        let errors = bad(&ros1(speed));
        assert!(errors.contains(what), "{speed}: {errors}");
    }
}

#[test]
fn the_check_says_where_the_output_goes_and_warns_where_nothing_is_gated() {
    let report = |text: &str| {
        let robot = robot::parse("robot.yaml", text).unwrap_or_else(|errors| panic!("{errors}"));
        check(&robot, &site::parse("site.yaml", "").unwrap())
    };
    let output = "{ros2: {topic: /cmd_vel, type: geometry_msgs/msg/Twist, turn_rate: 1 rad/s, \
                  speed: {topic: /odom, type: nav_msgs/msg/Odometry}}}";
    let told = report(&file(output));
    let text = told.to_string();
    assert!(text.contains("ROS 2 topic") && text.contains("/cmd_vel/gate"), "{text}");
    assert!(text.contains("/odom") && text.contains("nav_msgs/msg/Odometry"), "{text}");
    assert_eq!(told.to_json()["output"][0]["topic"], "/cmd_vel");
    assert!(!text.contains("vehicle.output:"), "{text}");
    let none =
        file(output).replace("class: control, toward: vehicle", "class: control, source: {test: picture}");
    let told = report(&none).to_string();
    assert!(told.contains("vehicle.output: no flow brings commands, so nothing is ever published"), "{told}");
}

/// CON-66.
#[test]
fn types_are_named_as_their_ros_writes_them() {
    let types = |ros: &str, infix: &str| {
        let text = format!(
            "{{{ros}: {{topic: /a, type: geometry_msgs/{infix}Twist, turn_rate: 1 rad/s, \
             speed: {{topic: /odom, type: nav_msgs/{infix}Odometry}}}}}}"
        );
        good(&text).topics().into_iter().map(|(_, _, type_name)| type_name).collect::<Vec<_>>()
    };
    let ros2 = types("ros2", "msg/");
    assert_eq!(ros2[0], "geometry_msgs/msg/Twist");
    let infix_less: Vec<String> = ros2.iter().map(|name| name.replace("/msg/", "/")).collect();
    assert_eq!((types("ros1", ""), ros2.len()), (infix_less.iter().map(String::as_str).collect(), 4));
}

/// CON-67.
#[test]
fn a_type_with_a_header_has_a_frame_and_another_has_none() {
    const STAMPED: &str = "type: geometry_msgs/msg/TwistStamped, turn_rate: 1 rad/s";
    let ros2 = |fields: &str| format!("{{ros2: {{topic: /a, {fields}}}}}");
    let output = good(&ros2(STAMPED));
    assert_eq!(
        (output.frame.as_deref(), output.motion),
        (Some("base_link"), Motion::Twist { turn_rate: TurnRate(1_000) })
    );
    assert_eq!(output.type_name(), "geometry_msgs/msg/TwistStamped");
    let car = "type: ackermann_msgs/AckermannDriveStamped, steering_angle: 0.5 rad, frame_id: car/base.1";
    let output = good(&format!("{{ros1: {{topic: /a, {car}}}}}"));
    assert_eq!(output.frame.as_deref(), Some("car/base.1"));
    assert_eq!(output.type_name(), "ackermann_msgs/AckermannDriveStamped");
    let frame = |frame: &str| bad(&ros2(&format!("{STAMPED}, frame_id: {frame}")));
    for wrong in ["/base", "a b", "ä", &"a".repeat(241)] {
        let errors = frame(wrong);
        assert!(
            errors.contains("ros2.frame_id: it is not the name of a frame; take letters"),
            "{wrong}: {errors}"
        );
    }
    let errors = bad(&ros2("type: geometry_msgs/msg/Twist, turn_rate: 1 rad/s, frame_id: base_link"));
    assert!(errors.contains("ros2.frame_id: a message of this type has no header; remove it"), "{errors}");
}
