//! The monitor's boot part: runs once, from flash, with translation off (../SPEC.md, MON-1 to MON-4).
//!
//! ```text
//! reset ─► device tree, loader kept ─► RTOS by fw_cfg ─► resident part in place ─► interrupts ─► resident part
//! ```
//!
//! Where to look: `reset.rs` is the first instruction, `kept.rs` keeps what Linux begins with, `rtos.rs` brings the RTOS into memory,
//! `resident.rs` the resident part, `stop.rs` says what cannot be done; what needs no hardware is in the library (`lib.rs`).

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
extern crate alloc;

#[cfg(target_os = "none")]
mod gic;
#[cfg(target_os = "none")]
mod header;
#[cfg(target_os = "none")]
mod kept;
#[cfg(target_os = "none")]
mod reset;
#[cfg(target_os = "none")]
mod resident;
#[cfg(target_os = "none")]
mod rtos;
#[cfg(target_os = "none")]
mod stop;
#[cfg(target_os = "none")]
mod tables;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is a program for exception level 3: monitor/build makes it");
    std::process::exit(2);
}
