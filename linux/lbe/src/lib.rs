//! The user's side of the kernel module `sch_lbe`.
//!
//! What both sides agree on is [SPEC.md](../SPEC.md), section 9, and `module/lbe_uapi.h`.
mod flow;
mod message;
mod table;

pub use flow::{Flow, FlowError};
pub use table::{FlowTable, TableError};
