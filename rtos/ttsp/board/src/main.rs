//! The image that plays scenarios: one in each life, which ends with a line and a reset, until all are played.
//!
//! A machine gives it a folder of plans (`tokkyu_ttsp::carry`) in memory before it begins. A line is "scenario INDEX passed",
//! "scenario INDEX failed: WHY", or at the end "done".

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
extern crate alloc;

#[cfg(target_os = "none")]
mod clock;
#[cfg(target_os = "none")]
mod heap;
#[cfg(target_os = "none")]
mod lives;
#[cfg(target_os = "none")]
mod play;
#[cfg(target_os = "none")]
mod rest;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
