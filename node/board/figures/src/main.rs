//! The image that counts the instructions of robot nodes' paths: prints a line for each figure, "figure NAME-BYTES COUNT COUNT …", and "done".
//!
//! A count is of the virtual counter, which on a machine of 1000 MHz under QEMU's instruction counting is of instructions, of all processors
//! together; what reading it costs is taken off. The network is a wire from the board to itself, so that nothing waits for anybody else.

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
extern crate alloc;

#[cfg(target_os = "none")]
mod count;
#[cfg(target_os = "none")]
mod image;
#[cfg(target_os = "none")]
mod paths;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
