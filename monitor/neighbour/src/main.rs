//! The RTOS's side of what monitor/check tries: every 50 us it takes the processor from the guest, leaves no register as it was, every second time
//! those of floating point too, and writes down how long it took to come in. It tells what came of it. Where the guest orders it, two more
//! interrupts of its own come in behind that.
//!
//! Where to look: `system.rs` has the objects and what the kernel tells, `change.rs` what is done to the registers, `lengths.rs` what is counted,
//! `pairs.rs` the two interrupts, `shared.rs` what the guest orders and reads.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod change;
#[cfg(target_os = "none")]
mod lengths;
#[cfg(target_os = "none")]
mod pairs;
#[cfg(target_os = "none")]
mod shared;
#[cfg(target_os = "none")]
mod system;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for secure EL1: monitor/build makes it");
    std::process::exit(2);
}
