//! Robot nodes (SPEC, section 6): what a program uses, `tokkyu-callbacks`, with the port of the system that it is built for: Linux here, on a board
//! the one that its image brings.
#![cfg_attr(target_os = "none", no_std)]

pub use tokkyu_callbacks::*;
#[cfg(unix)]
pub use tokkyu_posix::{Flows, memory};
