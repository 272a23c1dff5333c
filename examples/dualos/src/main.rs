//! A robot's control beside Linux, on the same processors: each has a control task of 1 ms, and one task tells each second how punctual
//! they were. README.md says how it is started; `system.rs` has the objects, `programs.rs` whose is which
//! function, `control.rs` and `report.rs` are the tasks.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod control;
#[cfg(target_os = "none")]
mod programs;
#[cfg(target_os = "none")]
mod report;
#[cfg(target_os = "none")]
mod system;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
