//! The speed that a robot's base tells in ROS 2 or ROS 1 (drive/SPEC.md DRV-117, node/SPEC.md NODE-131): whatever the sample, it
//! is a number or none.

use tokkyu_contract::WallTime;
use tokkyu_contract::yaml::output::SpeedMessage;
use tokkyu_node_motors::messages as ros1;
use tokkyu_ros2::motors::messages as ros2;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let now = stamp(bytes).unwrap_or(WallTime::from_nanos(0));
    for message in [SpeedMessage::Odometry, SpeedMessage::TwistStamped] {
        let speeds = [ros2::speed_mps(bytes, message), ros1::speed_mps(bytes, message, now)];
        for speed in speeds.into_iter().flatten() {
            assert!(speed.is_finite(), "DRV-117: {speed} of {message:?}");
        }
    }
}

/// When a sample of ROS 1 says that it was made, so that it is not one of another time: behind the sequence number.
fn stamp(bytes: &[u8]) -> Option<WallTime> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some(WallTime::from_nanos(u64::from(word(4)?) * 1_000_000_000 + u64::from(word(8)?)))
}
