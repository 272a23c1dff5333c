//! What of the monitor needs no hardware: how a call is read, when a processor is on, which memory is Linux's (../SPEC.md).
//!
//! Where to look: `calls.rs` reads a call, `power.rs` has the states of a processor, `life.rs` those of Linux, `handoff.rs` what the boot part tells the resident
//! part, `budget.rs` what the RTOS may take of a processor.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod budget;
mod calls;
mod handoff;
mod life;
mod memory;
mod power;

pub use budget::Budget;
pub use calls::{
    BELL, BELL_INTERRUPT, BUDGET, Call, Goal, IDLE, MEMORY_BASE, MEMORY_BYTES, NOT_SUPPORTED, PV_SCHED_BYTES,
    PV_SCHED_FEATURES, PV_SCHED_IPA_INIT, PV_SCHED_IPA_RELEASE, PV_SCHED_KICK_CPU, PV_TIME_FEATURES,
    PV_TIME_ST, STOLEN_TIME_AT, STOLEN_TIME_BYTES, SUCCESS, TOPICS_INTERRUPT, World, read,
};
pub use handoff::{
    Handoff, KEPT_BYTES, LOADER, LOADER_KEPT, LOADING_BYTES, PROCESSORS_MAX, RANGES_MAX, RTOS_MEMORY,
    SHARED_ALIGNMENT, SHARED_BYTES, TOLD_BYTES, TREE, TREE_KEPT,
};
pub use life::{Life, LifeEvent, Piece, piece};
pub use memory::{Range, holds};
pub use power::{Event, Power, Refused};
