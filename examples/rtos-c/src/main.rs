//! An image in C: what it has stands in app.cfg, what it does in app.c.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
include!(concat!(env!("OUT_DIR"), "/system.rs"));

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
