//! The loader (../SPEC.md, MON-1, MON-10, MON-11, MON-43): a program at Linux's own level, without translation, that brings Linux into memory
//! and goes there. It has no right that Linux has not.
//!
//! Where to look: `entry.rs` is the first instruction, `clean.rs` takes away what a Linux of before has left, `linux.rs` brings the new one.

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
extern crate alloc;

#[cfg(target_os = "none")]
mod clean;
#[cfg(target_os = "none")]
mod entry;
#[cfg(target_os = "none")]
mod linux;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is a program for the monitor's machine: monitor/build makes it");
    std::process::exit(2);
}
