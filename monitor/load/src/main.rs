//! An RTOS that takes processors from Linux as an experiment says, and counts what came of it: what `tokkyu lab dualos` measures with.
//! Linux gives the orders, which makes it no image for anything else.
//!
//! Where to look: `shared.rs` has the orders and the counts, `due.rs` what is done when a task is due, `work.rs` the tasks, `echo.rs` messages
//! to Linux and back, `start.rs` how long it took to begin them, `report.rs` how often a budget was used up, `system.rs` the objects,
//! `programs.rs` whose is which function.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod due;
#[cfg(target_os = "none")]
mod echo;
#[cfg(target_os = "none")]
mod programs;
#[cfg(target_os = "none")]
mod report;
#[cfg(target_os = "none")]
mod shared;
#[cfg(target_os = "none")]
mod start;
#[cfg(target_os = "none")]
mod system;
#[cfg(target_os = "none")]
mod work;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for secure EL1: monitor/build makes it");
    std::process::exit(2);
}
