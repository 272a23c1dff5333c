//! ROS 2 topics over the link, without a change to any node: the bridge's two ends.
#![doc = include_str!("../README.md")]

#[cfg(feature = "dds")]
pub mod bridge;
pub mod cdr;
#[cfg(feature = "dds")]
pub mod dds;
pub mod endpoint;
pub mod graph;
pub mod message;
pub mod motors;
pub mod names;
pub mod qos;
