//! The image that counts how long interrupts are masked at once: prints a line for each call, "figure masked_NAME COUNT COUNT …", and "done".
//!
//! From masking, or the handler's first instruction, to unmasking; the longest of a round. What counting costs is taken off. And what calls take
//! of two processors that have nothing to do with each other, one after the other ("unrelated_alone") and at once ("unrelated"), with how
//! often a lock was waited for.

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
