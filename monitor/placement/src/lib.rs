//! On which processor the RTOS begins a task, so that no lock of Linux's waits for it (../SPEC.md, MON-71 to MON-75). Without hardware.
//!
//! Where to look: `policy.rs` chooses, `taken.rs` says which processors the RTOS has, `look.rs` says what Linux does on a processor, `told.rs`
//! is what Linux tells for that. With the feature `rtos`, `beside.rs` looks with a system's own means.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

#[cfg(all(feature = "rtos", target_arch = "aarch64", target_os = "none"))]
mod beside;
mod look;
mod policy;
mod taken;
mod told;

#[cfg(all(feature = "rtos", target_arch = "aarch64", target_os = "none"))]
pub use beside::Beside;
pub use look::{Memory, State, Watch};
pub use policy::{Choice, Policy, choose};
pub use taken::Taken;
pub use told::{COUNTED, PROCESSORS_MAX, TELLING_AT, Telling, Window};
