//! The messages of a vehicle's program in CDR, field by field as their `.msg` files have them. DRV-114 to DRV-119.
//!
//! Pure.

use tokkyu_bridge::motors::Diagnosis;
use tokkyu_contract::WallTime;
use tokkyu_contract::motion::Wanted;
use tokkyu_contract::yaml::output::SpeedMessage;

use crate::cdr::{Reader, Writer};

/// A pose is a point, a quaternion and a covariance of 6 by 6.
const POSE_DOUBLES: usize = 3 + 4 + 36;

/// `geometry_msgs/msg/Twist` or `ackermann_msgs/msg/AckermannDrive`; with a frame the same of `at`, stamped (DRV-136).
pub fn command(wanted: &Wanted, at: WallTime, frame: Option<&str>) -> Vec<u8> {
    let mut writer = Writer::default();
    if let Some(frame) = frame {
        header(&mut writer, at, frame);
    }
    match *wanted {
        Wanted::Twist { forward_mps, turn_radps } => {
            // linear x, y, z; angular x, y, z
            [forward_mps, 0.0, 0.0, 0.0, 0.0, turn_radps].into_iter().for_each(|value| writer.double(value));
        }
        Wanted::Ackermann { steering_rad, speed_mps, acceleration_mps2 } => {
            // steering_angle, steering_angle_velocity, speed, acceleration, jerk
            let fields = [steering_rad, 0.0, speed_mps, acceleration_mps2, 0.0];
            fields.into_iter().for_each(|value| writer.single(value));
        }
    }
    writer.into_bytes()
}

/// `std_msgs/msg/String`.
pub fn string(text: &str) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text(text);
    writer.into_bytes()
}

/// `std_msgs/msg/Header`: stamp, `frame_id`.
fn header(writer: &mut Writer, at: WallTime, frame: &str) {
    const SECOND: u64 = 1_000_000_000;
    writer.word(u32::try_from(at.as_nanos() / SECOND).unwrap_or(u32::MAX));
    writer.word((at.as_nanos() % SECOND) as u32);
    writer.text(frame);
}

/// `diagnostic_msgs/msg/DiagnosticArray` of one status.
pub fn diagnostics(at: WallTime, diagnosis: &Diagnosis) -> Vec<u8> {
    let mut writer = Writer::default();
    header(&mut writer, at, "");
    writer.word(1);
    writer.byte(diagnosis.level as u8);
    [&diagnosis.name, &diagnosis.message, &diagnosis.hardware].into_iter().for_each(|text| writer.text(text));
    writer.word(u32::try_from(diagnosis.values.len()).unwrap_or(u32::MAX));
    for (key, value) in &diagnosis.values {
        writer.text(key);
        writer.text(value);
    }
    writer.into_bytes()
}

/// The speed forward in a sample, m/s; `None` if it is none.
pub fn speed_mps(sample: &[u8], message: SpeedMessage) -> Option<f32> {
    let mut reader = Reader::new(sample)?;
    // header: stamp, frame_id
    reader.word()?;
    reader.word()?;
    reader.skip_text()?;
    if message == SpeedMessage::Odometry {
        // child_frame_id, pose
        reader.skip_text()?;
        reader.skip_doubles(POSE_DOUBLES)?;
    }
    // twist.linear.x; of Odometry twist.twist.linear.x
    let speed = reader.double()? as f32;
    speed.is_finite().then_some(speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_bridge::motors::Level;

    fn doubles(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn commands_have_the_fields_of_their_messages_in_order() {
        let command = |wanted| super::command(&wanted, WallTime::from_nanos(7), None);
        let twist = command(Wanted::Twist { forward_mps: 2.5, turn_radps: -0.5 });
        assert_eq!(twist, [vec![0, 1, 0, 0], doubles(&[2.5, 0.0, 0.0, 0.0, 0.0, -0.5])].concat());
        let ackermann =
            command(Wanted::Ackermann { steering_rad: 0.25, speed_mps: -3.0, acceleration_mps2: 4.0 });
        let singles = [0.25_f32, 0.0, -3.0, 4.0, 0.0].into_iter().flat_map(f32::to_le_bytes);
        assert_eq!(ackermann, [0, 1, 0, 0].into_iter().chain(singles).collect::<Vec<u8>>());
    }

    /// DRV-136: doubles are aligned behind a frame of any length.
    #[test]
    fn a_stamped_command_has_its_header_in_front() {
        let at = WallTime::from_nanos(3_000_000_005);
        let stamped = command(&Wanted::Twist { forward_mps: 2.5, turn_radps: 0.0 }, at, Some("base"));
        let header = [&[0, 1, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0][..], b"base\0\0\0\0"].concat();
        // Of 17 bytes behind the first four; the doubles begin at 24.
        let aligned = [header, vec![0; 4], doubles(&[2.5, 0.0, 0.0, 0.0, 0.0, 0.0])].concat();
        assert_eq!(stamped, aligned);
        let wanted = Wanted::Ackermann { steering_rad: 0.25, speed_mps: -3.0, acceleration_mps2: 4.0 };
        let stamped = command(&wanted, at, Some("bas"));
        let singles = [0.25_f32, 0.0, -3.0, 4.0, 0.0].into_iter().flat_map(f32::to_le_bytes);
        let header = [0, 1, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, b'b', b'a', b's', 0];
        assert_eq!(stamped, header.into_iter().chain(singles).collect::<Vec<u8>>());
    }

    /// A header with a frame whose name leaves the next number to be aligned.
    fn header(frame: &str) -> Writer {
        let mut writer = Writer::default();
        writer.word(7);
        writer.word(8);
        writer.text(frame);
        writer
    }

    #[test]
    fn the_speed_is_found_behind_names_of_any_length_and_is_a_number() {
        for frame in ["", "o", "od", "odo", "odom", "odom_combined"] {
            let mut odometry = header(frame);
            odometry.text("base_link");
            (0..POSE_DOUBLES).for_each(|n| odometry.double(n as f64));
            odometry.double(-1.5);
            odometry.double(9.0);
            let odometry = odometry.into_bytes();
            assert_eq!(speed_mps(&odometry, SpeedMessage::Odometry), Some(-1.5), "{frame}");
            assert_eq!(speed_mps(&odometry[..odometry.len() - 9], SpeedMessage::Odometry), None, "cut off");
            let mut twist = header(frame);
            twist.double(2.0);
            let twist = twist.into_bytes();
            assert_eq!(speed_mps(&twist, SpeedMessage::TwistStamped), Some(2.0), "{frame}");
        }
        for none in [f64::NAN, f64::INFINITY, f64::MAX] {
            let mut twist = header("base");
            twist.double(none);
            assert_eq!(speed_mps(&twist.into_bytes(), SpeedMessage::TwistStamped), None, "{none}");
        }
    }

    #[test]
    fn diagnostics_are_one_status_with_its_values() {
        let diagnosis = Diagnosis {
            level: Level::Warn,
            name: "n".into(),
            message: "m".into(),
            hardware: "h".into(),
            values: vec![("k".into(), "v".into())],
        };
        let bytes = diagnostics(WallTime::from_nanos(3_000_000_005), &diagnosis);
        let text = |letter| [2, 0, 0, 0, letter, 0, 0, 0];
        let expected = [
            &[0, 1, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0][..],
            // frame_id and its NUL, one status, its level
            &[1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
            &text(b'n'),
            &text(b'm'),
            &text(b'h'),
            &[1, 0, 0, 0],
            &text(b'k'),
            &text(b'v')[..6],
        ];
        assert_eq!(bytes, expected.concat());
    }
}
