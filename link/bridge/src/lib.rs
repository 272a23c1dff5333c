//! What a bridge of any middleware over the link is made of: ROS 2's in `ros2/`, ROS 1's in `node/bridge/`.
#![doc = include_str!("../README.md")]

pub mod again;
#[cfg(feature = "session")]
pub mod deaths;
pub mod flows;
pub mod frame;
pub mod motors;
pub mod names;
pub mod order;
#[cfg(feature = "session")]
pub mod session;
pub mod standing;
#[cfg(feature = "session")]
pub mod target;
mod watcher;

pub use watcher::{Status, Watcher};
