//! The image that counts paths while the kernel writes down what its tasks do (`Programs::TRACED`): prints a line for each, "figure traced_NAME COUNT
//! COUNT …", and "done". "traced_record" is one record of a call.

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
