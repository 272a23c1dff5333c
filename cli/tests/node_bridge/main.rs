//! `tokkyu node bridge` between two ROS 1 masters, on loopback: nodes of rospy and of ours, and ROS's own tools, at both ends;
//! and `tokkyu vehicle` with a base in ROS 1.
//!
//! Needs Debian's `rosmaster`, `rospy` and `rostopic`; without them the tests say so and pass. They wait for events, never for a
//! time.

mod base;
mod crossing;
#[path = "../bridge/drive.rs"]
mod drive;
mod node;
mod one_master;
mod presence;
#[allow(dead_code, reason = "the other bridge's tests use the rest of it")]
#[path = "../bridge/program.rs"]
mod program;
mod refusals;
mod yard;
