//! The image that counts paths between tasks that use floating-point registers: prints a line for each, "figure floats_NAME COUNT COUNT …",
//! and "done".
//!
//! Whoever is switched away from has used them since it went on, so that they are kept. Whoever goes on gets its own with the first
//! instruction that uses one: "floats_first".

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
mod count;
#[cfg(target_os = "none")]
mod kind;
#[cfg(target_os = "none")]
mod one;
#[cfg(target_os = "none")]
mod programs;
#[cfg(target_os = "none")]
mod system;
#[cfg(target_os = "none")]
mod two;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
