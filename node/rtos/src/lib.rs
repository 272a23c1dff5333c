//! Nodes on tokkyu's kernel: the port that they need (SPEC).
//!
//! A system says what it has by [`System`], and makes [`Rtos`] of it the port of its nodes:
//!
//! ```text
//! static PORT: Rtos<MySystem> = Rtos::new(MySystem);
//! tokkyu_callbacks::port!(PORT);
//! ```

#![no_std]

extern crate alloc;

mod clock;
mod environment;
mod flows;
mod lock;
mod net;
mod system;
mod tasks;
mod waiters;
mod words;
mod worker;

pub use flows::Flow;
pub use net::{Address, FIRST_PORT, Hosts, Memory, Stack, Wire};
pub use system::{Rtos, System};
pub use waiters::{TASKS_MAX, Waiters};
pub use worker::Worker;
