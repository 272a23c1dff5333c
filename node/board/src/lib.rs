//! Images of robot nodes for a board: QEMU's machine `virt`, one to four processors, no operating system.
//!
//! ```text
//! #![no_std]
//! #![no_main]
//!
//! tokkyu_board::board! {
//!     processors: 1,
//!     control: 1,
//!     realtime: 0,
//!     nodes: { "talker" on 1 => chatter::talker },
//! }
//! ```
//!
//! A node is a function of a `Node`, which may be the very one that a program on Linux calls. What there is to be told comes from the
//! boot loader (`/chosen/bootargs` of the device tree, QEMU's `-append`): variables `NAME=VALUE`, as `ROS_MASTER_URI` and `ROS_IP`, `NETWORK`,
//! the board's address (`tokkyu_node_rtos::Address`), `HOSTS`, machines by name (`tokkyu_node_rtos::Hosts`), `FIRST_PORT`, of its nodes'
//! ports, and `PID`, what `getPid` answers; behind `--` the arguments of all nodes.
//!
//! With the feature `beside` an image runs beside Linux on the same processors: `beside` in place of a network, and no boot loader that says
//! anything.

#![no_std]
#![cfg(all(target_arch = "aarch64", target_os = "none"))]
#![deny(unsafe_op_in_unsafe_fn)]

extern crate alloc;

#[cfg(not(feature = "beside"))]
mod alone;
mod arguments;
#[cfg(feature = "beside")]
pub mod beside;
mod constructors;
mod heap;
mod here;
mod image;
mod kick;
mod macros;
mod programs;
mod start;
mod state;
mod tables;
pub mod virt;

#[cfg(not(feature = "beside"))]
use alone as machine;
#[cfg(feature = "beside")]
use beside as machine;

pub use here::Here;
pub use tokkyu_contract::Class;
pub use tokkyu_node_rtos::Flow;

pub use image::{Entry, Found, Image, Layout, Main, Parts, Program, Run};
pub use kick::kick;
pub use start::panic;
pub use tables::{CPP_STACK_BYTES, Counts, STACK_BYTES, objects, ranges, tasks, workers};

/// What [`board!`] needs.
#[doc(hidden)]
pub mod generated {
    pub use alloc::string::String;
    pub use tokkyu_callbacks;
    pub use tokkyu_node_rtos::{Rtos, Worker};
    pub use tokkyu_rtos::{Kernel, Processor, Task};
    pub use tokkyu_rtos_aarch64::{Board, Stack, StackRange, system};
    pub use tokkyu_rtos_virtio::Network;
}
