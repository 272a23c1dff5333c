//! What two rooms of tokkyu must agree on, and nothing else: classes and the one priority table, QoS in ROS 2's
//! words, the three kinds of time, the ledger of outcomes and the name a sample keeps on its whole path.
//!
//! The core is `no_std` and does not allocate, so that the RTOS and the monitor can use it. Feature `std` adds the
//! readers of `robot.yaml` and `site.yaml`.
#![cfg_attr(not(feature = "std"), no_std)]

pub mod class;
pub mod ledger;
pub mod motion;
pub mod pattern;
pub mod qos;
pub mod time;
pub mod trace;
pub mod units;

#[cfg(feature = "std")]
pub mod check;
#[cfg(feature = "std")]
pub mod yaml;

pub use class::Class;
pub use ledger::{Ledger, Outcome};
pub use qos::{Durability, History, Qos, Reliability};
pub use time::{MonoTime, PeerTime, WallTime};
pub use trace::{FlowId, TraceId};
pub use units::{BitRate, Bytes, Rate};
