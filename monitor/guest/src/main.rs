//! In Linux's place: tries what the monitor promises (../SPEC.md), says so on the first serial line, and switches the machine off. It is a
//! program at EL1 without translation.
//!
//! Where to look: `cases.rs` has what is tried, `call.rs` calls with every register looked at, `between.rs` what an RTOS
//! must leave as it was, `suspend.rs` waits for interrupts, `flood.rs` calls and interrupts without end, `hotplug.rs` processors that go off
//! with an interrupt left, `placement.rs` where an RTOS begins its tasks; `interrupts.rs` has the guest's interrupts, `power.rs` processors on and off, `rtos.rs` what
//! neighbour/ counts, `entry.rs` is the first instruction and exceptions.

#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_os = "none")]
mod between;
#[cfg(target_os = "none")]
mod call;
#[cfg(target_os = "none")]
mod cases;
#[cfg(target_os = "none")]
mod console;
#[cfg(target_os = "none")]
mod entry;
#[cfg(target_os = "none")]
mod flood;
#[cfg(target_os = "none")]
mod hotplug;
#[cfg(target_os = "none")]
mod interrupts;
#[cfg(target_os = "none")]
mod placement;
#[cfg(target_os = "none")]
mod power;
#[cfg(target_os = "none")]
mod processor;
#[cfg(target_os = "none")]
mod rtos;
#[cfg(target_os = "none")]
mod suspend;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is a guest of the monitor: monitor/check runs it");
    std::process::exit(2);
}
