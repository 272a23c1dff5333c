//! The experiment on the kernel's Ethernet path: how regularly a board sends, and how soon it has an answer, beside bulk TCP.
//!
//! Board and peer are one virtual machine, each with processors of its own, joined by `vmac`: `vmac0` and the first processors
//! are the board, the network namespace `far` and the last processor the peer. Follows SPEC.md LAB-60 to LAB-69.

mod cell;
mod findings;
mod layout;
mod samples;
mod setting;
mod stage;
mod study;
mod trace;

pub use cell::Cell;
pub use findings::{Finding, cases, faults};
pub use layout::Layout;
pub use setting::{Driver, Rung, Setting};
pub use stage::Boards;
pub use study::Study;
pub use study::{Part, UnknownPart};
