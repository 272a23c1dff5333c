//! What of the monitor needs no hardware: how a call is read, when a processor is on, which memory is Linux's (../SPEC.md).
//!
//! Where to look: `calls.rs` reads a call, `power.rs` has the states of a processor, `handoff.rs` what the boot part tells the resident
//! part.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod calls;
mod handoff;
mod memory;
mod power;

pub use calls::{
    Call, Goal, IDLE, NOT_SUPPORTED, PV_TIME_FEATURES, PV_TIME_ST, STOLEN_TIME_AT, STOLEN_TIME_BYTES,
    SUCCESS, World, read,
};
pub use handoff::{Handoff, PROCESSORS_MAX, RANGES_MAX, RTOS_MEMORY, SHARED_BYTES};
pub use memory::{Range, holds};
pub use power::{Event, Power, Refused};
