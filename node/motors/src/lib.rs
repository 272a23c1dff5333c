//! The topics of a vehicle's program among the robot's own ROS 1 nodes: what the base is to do, the gate's state,
//! diagnostics, and the speed that the base tells. drive's SPEC.md, DRV-112 to DRV-120; NODE-126 to NODE-131.
//!
//! ```text
//!  commands' thread ─ command ─▶ TCPROS, which never waits ─▶ the robot's base
//!  main thread ─ state, diagnosis ─▶ TCPROS, likewise ─▶ the robot's tools
//!  ros1-speed: subscription ─▶ whoever asked for the speed
//!  ros1-master: waits for the master, opens the topics, looks each second whether the master is there
//!  tokkyu-network: the node's sockets; tells who subscribes and who left
//! ```
#![doc = include_str!("../README.md")]

mod audience;
mod error;
mod master;
pub mod messages;
mod opened;
mod place;
mod shared;
mod speed;

pub use error::MotorsError;
pub use opened::Motors;
