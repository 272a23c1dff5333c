//! The image that does what nobody should: which of its faults, a word in memory says that the machine is given. Each ends the system
//! with words on the console and code 3, or is handled (`rtos/check board` looks at all of it).

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
mod faults;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
