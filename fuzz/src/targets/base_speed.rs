//! The speed that a robot's base tells in ROS 2 (drive/SPEC.md DRV-117): whatever the sample, it is a number or none.

use tokkyu_contract::yaml::output::SpeedMessage;
use tokkyu_ros2::motors::messages::speed_mps;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    for message in [SpeedMessage::Odometry, SpeedMessage::TwistStamped] {
        if let Some(speed) = speed_mps(bytes, message) {
            assert!(speed.is_finite(), "DRV-117: {speed} of {message:?}");
        }
    }
}
