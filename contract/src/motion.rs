//! What a ROS base is told to do: the fields of the two messages that `robot.yaml` may name (CON-60).

/// What a vehicle is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// `geometry_msgs/msg/Twist`; its other fields are 0.
    Twist {
        /// `linear.x`, m/s; reverse is negative.
        forward_mps: f64,
        /// `angular.z`, rad/s; left is positive (ROS REP 103).
        turn_radps: f64,
    },
    /// `ackermann_msgs/msg/AckermannDrive`; its other fields are 0: as fast as the vehicle can.
    Ackermann {
        /// Of the wheels, rad; left is positive.
        steering_rad: f32,
        /// Reverse is negative.
        speed_mps: f32,
        /// How fast the speed is to change, either way; 0: as the vehicle has it, which may be as fast as it can.
        acceleration_mps2: f32,
    },
}
