//! The monitor's resident part: what runs at exception level 3 for as long as the machine does (../SPEC.md).
//!
//! Where to look: `entry.rs` has the header and the way in, `vectors.rs` what comes back, `switch.rs` the way from one system to the other
//! and `frame.rs` what is kept on it, `worlds.rs` who has a processor,
//! `life.rs` when Linux as a whole begins and ends, `calls.rs` what they ask for, `processors.rs` which they have. The boot part (../boot) has put all of it into secure memory, and its translation tables.

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
mod calls;
#[cfg(target_os = "none")]
mod entry;
#[cfg(target_os = "none")]
mod fault;
#[cfg(target_os = "none")]
mod frame;
#[cfg(target_os = "none")]
mod gic;
#[cfg(target_os = "none")]
mod life;
#[cfg(target_os = "none")]
mod processors;
#[cfg(target_os = "none")]
mod switch;
#[cfg(target_os = "none")]
mod vectors;
#[cfg(target_os = "none")]
mod worlds;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is a program for exception level 3: monitor/build makes it");
    std::process::exit(2);
}
