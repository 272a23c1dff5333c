//! The topics of a vehicle's program in a ROS 2 domain: what the base is to do, the gate's state, diagnostics, and the speed
//! that the base tells. drive's SPEC.md, DRV-112 to DRV-120; ROS2-42, ROS2-43.
//!
//! ```text
//!  commands' thread ─ command ─▶ DDS writer, which never waits ─▶ the robot's base
//!  main thread ─ state, diagnosis ─▶ DDS writers, likewise ─▶ the robot's tools
//!  ros2-speed: DDS reader ─▶ whoever asked for the speed
//! ```

#[cfg(feature = "dds")]
mod error;
pub mod messages;
#[cfg(feature = "dds")]
mod opened;
#[cfg(feature = "dds")]
mod speed;

#[cfg(feature = "dds")]
pub use error::MotorsError;
#[cfg(feature = "dds")]
pub use opened::Motors;
