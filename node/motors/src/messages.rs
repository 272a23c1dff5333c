//! The messages of a vehicle's program and its base in ROS 1, made of their definitions. DRV-114 to DRV-119.
//!
//! Pure.

use std::time::Duration;

use tokkyu_bridge::motors::Diagnosis;
use tokkyu_contract::WallTime;
use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::output::{Motion, Output, SpeedMessage};
use tokkyu_message::{Message, Time, View, Wire};
use tokkyu_node::Kind;

/// As the definitions have them.
#[allow(missing_docs)] // what a field is stands in the definitions
pub mod ros {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

use ros::ackermann_msgs::{AckermannDrive, AckermannDriveStamped};
use ros::diagnostic_msgs::{DiagnosticArray, DiagnosticStatus, KeyValue};
use ros::geometry_msgs::{Twist, TwistStamped, Vector3};
use ros::nav_msgs::Odometry;
use ros::std_msgs::{self, Header};

/// What was said so long ago says nothing about now (DRV-117). Whoever stamps it has the clock of this host.
const WORTH: Duration = Duration::from_millis(300);

/// What a message type says of itself.
pub fn kind<M: Message>() -> Kind {
    Kind { datatype: M::DATATYPE.into(), md5sum: M::MD5SUM.into(), definition: M::DEFINITION.into() }
}

/// The command's type.
pub fn command_kind(output: &Output) -> Kind {
    match (output.motion, output.frame.is_some()) {
        (Motion::Twist { .. }, false) => kind::<Twist>(),
        (Motion::Twist { .. }, true) => kind::<TwistStamped>(),
        (Motion::Ackermann { .. }, false) => kind::<AckermannDrive>(),
        (Motion::Ackermann { .. }, true) => kind::<AckermannDriveStamped>(),
    }
}

/// The type of a speed.
pub fn speed_kind(message: SpeedMessage) -> Kind {
    match message {
        SpeedMessage::Odometry => kind::<Odometry>(),
        SpeedMessage::TwistStamped => kind::<TwistStamped>(),
    }
}

/// What the base is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `geometry_msgs/Twist`.
    Twist(Twist),
    /// `geometry_msgs/TwistStamped`.
    TwistStamped(TwistStamped),
    /// `ackermann_msgs/AckermannDrive`.
    Ackermann(AckermannDrive),
    /// `ackermann_msgs/AckermannDriveStamped`.
    AckermannStamped(AckermannDriveStamped),
}

impl Command {
    /// What is wanted; with a frame that of `at`, stamped (DRV-136).
    pub fn of(wanted: &Wanted, at: WallTime, frame: Option<&str>) -> Command {
        let header = frame.map(|frame| header(at, frame));
        match *wanted {
            Wanted::Twist { forward_mps, turn_radps } => {
                let twist = Twist {
                    linear: Vector3 { x: forward_mps, ..Vector3::default() },
                    angular: Vector3 { z: turn_radps, ..Vector3::default() },
                };
                match header {
                    None => Command::Twist(twist),
                    Some(header) => Command::TwistStamped(TwistStamped { header, twist }),
                }
            }
            Wanted::Ackermann { steering_rad, speed_mps, acceleration_mps2 } => {
                let drive = AckermannDrive {
                    steering_angle: steering_rad,
                    speed: speed_mps,
                    acceleration: acceleration_mps2,
                    ..AckermannDrive::default()
                };
                match header {
                    None => Command::Ackermann(drive),
                    Some(header) => Command::AckermannStamped(AckermannDriveStamped { header, drive }),
                }
            }
        }
    }
}

fn header(at: WallTime, frame: &str) -> Header {
    let stamp = Time::from_nanos(at.as_nanos()).unwrap_or_default();
    Header { stamp, frame_id: frame.to_owned(), ..Header::default() }
}

/// The gate's state.
pub fn state(word: &str) -> std_msgs::String {
    std_msgs::String { data: word.to_owned() }
}

/// One status.
pub fn diagnostics(at: WallTime, diagnosis: &Diagnosis) -> DiagnosticArray {
    let value = |(key, value): &(String, String)| KeyValue { key: key.clone(), value: value.clone() };
    let status = DiagnosticStatus {
        level: diagnosis.level as i8,
        name: diagnosis.name.clone(),
        message: diagnosis.message.clone(),
        hardware_id: diagnosis.hardware.clone(),
        values: diagnosis.values.iter().map(value).collect(),
    };
    DiagnosticArray { header: header(at, ""), status: vec![status] }
}

/// The speed forward in a sample that came at `now`, m/s; `None` if it is none, or an old one (NODE-131).
pub fn speed_mps(sample: &[u8], message: SpeedMessage, now: WallTime) -> Option<f32> {
    let (stamp, speed) = match message {
        SpeedMessage::Odometry => {
            let odometry = <Odometry as Message>::View::of(sample).ok()?;
            (odometry.header.stamp, odometry.twist.twist.linear.x)
        }
        SpeedMessage::TwistStamped => {
            let stamped = <TwistStamped as Message>::View::of(sample).ok()?;
            (stamped.header.stamp, stamped.twist.linear.x)
        }
    };
    let speed = speed as f32;
    (is_of_now(stamp, now) && speed.is_finite()).then_some(speed)
}

/// Either way: a stamp of the time to come is of another clock, and nothing is known of its age.
fn is_of_now(stamp: Time, now: WallTime) -> bool {
    Duration::from_nanos(stamp.as_nanos().abs_diff(now.as_nanos())) <= WORTH
}

/// The bytes of a message.
pub fn wire(message: &impl Wire) -> Vec<u8> {
    let mut bytes = vec![0; message.wire_len()];
    message.write(&mut tokkyu_message::Output::new(&mut bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_bridge::motors::Level;
    use tokkyu_contract::units::{Angle, TurnRate};
    use tokkyu_contract::yaml::output::Ros;

    const TWIST: Wanted = Wanted::Twist { forward_mps: 2.5, turn_radps: -0.5 };
    const DRIVE: Wanted = Wanted::Ackermann { steering_rad: 0.25, speed_mps: -3.0, acceleration_mps2: 4.0 };
    const NOW: WallTime = WallTime::from_nanos(1_700_000_000_000_000_000);

    /// Two ends whose types have one md5sum have the same fields in the same order. These are those of ROS 1's own packages.
    #[test]
    fn types_are_those_of_ros_1() {
        const TWIST: Motion = Motion::Twist { turn_rate: TurnRate(1_000) };
        const CAR: Motion = Motion::Ackermann { steering_angle: Angle(500) };
        let command = |motion, frame: Option<&str>| {
            let frame = frame.map(str::to_owned);
            command_kind(&Output { ros: Ros::One, topic: "a".into(), motion, frame, speed: None })
        };
        let told = [
            (command(TWIST, None), "geometry_msgs/Twist", "9f195f881246fdfa2798d1d3eebca84a"),
            (command(TWIST, Some("b")), "geometry_msgs/TwistStamped", "98d34b0043a2093cf9d9345ab6eef12e"),
            (command(CAR, None), "ackermann_msgs/AckermannDrive", "3512e91b48d69674a0e86fadf1ea8231"),
            (
                command(CAR, Some("b")),
                "ackermann_msgs/AckermannDriveStamped",
                "1fd5d7f58889cefd44d29f6653240d0c",
            ),
            (kind::<std_msgs::String>(), "std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"),
            (
                kind::<DiagnosticArray>(),
                "diagnostic_msgs/DiagnosticArray",
                "60810da900de1dd6ddd437c3503511da",
            ),
            (speed_kind(SpeedMessage::Odometry), "nav_msgs/Odometry", "cd5e73d190d741a2f92e81eda573aca7"),
            (
                speed_kind(SpeedMessage::TwistStamped),
                "geometry_msgs/TwistStamped",
                "98d34b0043a2093cf9d9345ab6eef12e",
            ),
        ];
        for (kind, datatype, md5sum) in told {
            assert_eq!((kind.datatype.as_str(), kind.md5sum.as_str()), (datatype, md5sum));
        }
    }

    #[test]
    fn commands_have_the_fields_of_their_messages_in_order() {
        let Command::Twist(twist) = Command::of(&TWIST, NOW, None) else { panic!("a twist") };
        let doubles = [2.5, 0.0, 0.0, 0.0, 0.0, -0.5_f64].into_iter().flat_map(f64::to_le_bytes);
        assert_eq!(wire(&twist), doubles.collect::<Vec<u8>>());
        let Command::Ackermann(drive) = Command::of(&DRIVE, NOW, None) else { panic!("a car's") };
        let singles = [0.25_f32, 0.0, -3.0, 4.0, 0.0].into_iter().flat_map(f32::to_le_bytes);
        assert_eq!(wire(&drive), singles.collect::<Vec<u8>>());
    }

    /// DRV-136.
    #[test]
    fn a_stamped_command_is_the_same_with_its_moment_and_frame() {
        let header = Header { frame_id: "base".into(), ..at(NOW.as_nanos()) };
        let (twist, drive) = (Command::of(&TWIST, NOW, None), Command::of(&DRIVE, NOW, None));
        let stamped = [&TWIST, &DRIVE].map(|wanted| Command::of(wanted, NOW, Some("base")));
        let [Command::TwistStamped(first), Command::AckermannStamped(second)] = stamped else {
            panic!("with headers");
        };
        assert_eq!((&first.header, Command::Twist(first.twist)), (&header, twist));
        assert_eq!((&second.header, Command::Ackermann(second.drive)), (&header, drive));
    }

    #[test]
    fn diagnostics_are_one_status_with_its_values_and_time() {
        let diagnosis = Diagnosis {
            level: Level::Error,
            name: "n".into(),
            message: "m".into(),
            hardware: "h".into(),
            values: vec![("k".into(), "v".into())],
        };
        let told = diagnostics(NOW, &diagnosis);
        assert_eq!(told.header.stamp.as_nanos(), NOW.as_nanos());
        let [status] = &told.status[..] else { panic!("one status") };
        assert_eq!((status.level, status.name.as_str(), status.message.as_str()), (2, "n", "m"));
        assert_eq!((status.hardware_id.as_str(), &status.values[0].value[..]), ("h", "v"));
    }

    fn at(nanos: u64) -> Header {
        Header { stamp: Time::from_nanos(nanos).unwrap(), frame_id: "odom".into(), ..Header::default() }
    }

    fn stamped(nanos: u64, speed: f64) -> Vec<u8> {
        let linear = Vector3 { x: speed, ..Vector3::default() };
        wire(&TwistStamped { header: at(nanos), twist: Twist { linear, ..Twist::default() } })
    }

    /// DRV-117.
    #[test]
    fn the_speed_is_found_and_is_a_number() {
        let mut odometry = Odometry { header: at(NOW.as_nanos()), ..Odometry::default() };
        odometry.child_frame_id = "base_link".into();
        odometry.twist.twist.linear.x = -1.5;
        odometry.pose.pose.position.x = 9.0;
        let odometry = wire(&odometry);
        assert_eq!(speed_mps(&odometry, SpeedMessage::Odometry, NOW), Some(-1.5));
        assert_eq!(speed_mps(&odometry[..odometry.len() - 1], SpeedMessage::Odometry, NOW), None, "cut off");
        let speed = |speed| speed_mps(&stamped(NOW.as_nanos(), speed), SpeedMessage::TwistStamped, NOW);
        assert_eq!(speed(2.0), Some(2.0));
        for none in [f64::NAN, f64::INFINITY, f64::MAX] {
            assert_eq!(speed(none), None, "{none}");
        }
    }

    /// NODE-131: a base that stood still when it said 0 may move by now.
    #[test]
    fn a_speed_of_another_time_is_none() {
        const MS: u64 = 1_000_000;
        let came = |nanos| speed_mps(&stamped(nanos, 0.0), SpeedMessage::TwistStamped, NOW);
        let now = NOW.as_nanos();
        assert_eq!((came(now - 300 * MS), came(now + 300 * MS)), (Some(0.0), Some(0.0)));
        assert_eq!((came(now - 301 * MS), came(now + 301 * MS)), (None, None));
        assert_eq!((came(0), came(5_000 * MS)), (None, None), "no stamp, and simulated time");
    }
}
