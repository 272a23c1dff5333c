//! Robot nodes (SPEC, section 6): ROS 1 without a bridge, topics inside the device without a copy, callbacks by class; over what a system gives
//! ([`mod@port`]), which may be Linux or a real-time kernel.
#![cfg_attr(not(test), no_std)]

extern crate alloc;
// The tests here run over Linux's port as it is, built into this crate: another crate's port would be one of another build of this one.
#[cfg(test)]
extern crate self as tokkyu_callbacks;
#[cfg(test)]
#[path = "../../posix/src/lib.rs"]
#[allow(dead_code, unused_imports)] // what the port has for others
mod posix;

mod bell;
mod builder;
mod cached;
mod callback_queue;
mod client;
mod clock;
pub mod console;
mod declared;
mod error;
mod host;
mod inner;
mod levels;
mod link;
mod log;
mod loggers;
mod master;
mod nearby;
mod network;
mod node;
mod object;
mod options;
mod outlet;
mod owner;
mod param;
mod params;
mod place;
pub mod port;
mod publisher;
mod queue;
pub mod raw;
mod service;
mod simulated;
mod subscribers;
mod subscription;
pub mod sync;
mod threads;
mod timer;

pub use builder::Builder;
pub use callback_queue::CallbackQueue;
pub use client::{CallError, ServiceClient};
pub use error::{NodeError, PublishError};
pub use levels::Place;
pub use master::{MasterError, ask_master};
pub use node::Node;
pub use options::{PublisherOptions, SubscriptionOptions};
pub use outlet::lend_limits;
pub use param::{FromParam, ParamError};
pub use publisher::{Loan, Publisher};
pub use service::ServiceServer;
pub use subscribers::OnChange;
pub use subscription::{Delivery, Subscription};
pub use timer::{Rate, Timer, TimerEvent, sleep_steady};
pub use tokkyu_contract::Class;
pub use tokkyu_graph::{Kind, Level, Object, Origin, Param, Profile, Request};
pub use tokkyu_message::{Message, Service, Time};
pub use tokkyu_ros1::names::is_remapping;

/// Messages that every node speaks, and a few that most examples use. Others are made of their definitions where a node is built.
pub mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}
