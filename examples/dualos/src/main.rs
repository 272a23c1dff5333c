//! A robot's control beside Linux, on the same processors: each is home of a control task of 1 ms, which is begun where Linux
//! holds no lock, and one task tells how punctual they were. README.md says how it is started; `system.rs` has the objects, `programs.rs`
//! whose is which function, `place.rs` chooses processors, `topics.rs` has what crosses to Linux, `command.rs` what that has said,
//! `control.rs` and `report.rs` are the other tasks.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod command;
#[cfg(target_os = "none")]
mod control;
#[cfg(target_os = "none")]
mod place;
#[cfg(target_os = "none")]
mod programs;
#[cfg(target_os = "none")]
mod report;
#[cfg(target_os = "none")]
mod system;
#[cfg(target_os = "none")]
mod topics;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
