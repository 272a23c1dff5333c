//! The image that counts the kernel's instructions: prints a line for each figure, "figure NAME COUNT COUNT …", and "done".
//!
//! A count is of the virtual counter, which on a machine of 1000 MHz under QEMU's instruction counting is of instructions; what reading it
//! costs is taken off. Intervals and their ends are those of the figures of FMP3 that they stand beside, seen from the program: the call's own
//! instructions at both ends are in.

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
