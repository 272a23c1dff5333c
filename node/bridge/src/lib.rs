//! ROS 1 topics over the link, without a change to any node: the bridge's two ends.
#![doc = include_str!("../README.md")]

pub mod bridge;
pub mod graph;
pub mod master;
pub mod message;
pub mod names;
