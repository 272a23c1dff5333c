//! What a topic is that crosses.

use tokkyu_window::WindowForm;

/// Who publishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The RTOS.
    FromRtos,
    /// Linux.
    FromLinux,
}

/// A topic, as an image has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic<'a> {
    /// Its global name in ROS: `/cmd_vel`.
    pub name: &'a str,
    /// Its type: `geometry_msgs/Twist`.
    pub kind: &'a str,
    /// The type's md5sum, and its whole text, which ROS 1's nodes tell each other.
    pub md5: &'a str,
    /// See `md5`.
    pub definition: &'a str,
    /// Who publishes it.
    pub direction: Direction,
    /// How many messages are kept, and how long one may be.
    pub form: WindowForm,
}
