//! Robot nodes (SPEC, section 6): what a program uses, `tokkyu-callbacks`, with the port of the system that it is built for.

pub use tokkyu_callbacks::*;
pub use tokkyu_posix::{Flows, memory};
