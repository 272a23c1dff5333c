//! ROS 2 topics over the link, without a change to any node: the bridge's two ends.
#![doc = include_str!("../README.md")]

pub mod bridge;
pub mod dds;
pub mod endpoint;
pub mod graph;
pub mod message;
pub mod names;
pub mod qos;
