//! The monitor's resident part: what runs at exception level 3 for as long as the machine does (../SPEC.md).
//!
//! Where to look: `entry.rs` has the header, the way in and the way to Linux, `vectors.rs` what comes back, `calls.rs` what Linux asks
//! for, `processors.rs` which processors it has. The boot part (../boot) has put all of it into secure memory, and its translation tables.

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
mod calls;
#[cfg(target_os = "none")]
mod console;
#[cfg(target_os = "none")]
mod entry;
#[cfg(target_os = "none")]
mod fault;
#[cfg(target_os = "none")]
mod gic;
#[cfg(target_os = "none")]
mod machine;
#[cfg(target_os = "none")]
mod processors;
#[cfg(target_os = "none")]
mod vectors;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is a program for exception level 3: monitor/build makes it");
    std::process::exit(2);
}
