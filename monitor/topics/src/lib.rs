//! Topics between an RTOS and the Linux on the same processors (../SPEC.md, MON-90 to MON-96). Without hardware.
//!
//! Where to look: `topic.rs` is what a topic is, `place.rs` says where each window lies, `directory.rs` is what the RTOS writes of them and
//! Linux reads. With the feature `rtos`, `crossing.rs` is the RTOS's side on its own memory; with `linux`, `device.rs` is Linux's driver.

#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(any(test, feature = "linux"))]
extern crate alloc;
#[cfg(any(test, all(feature = "linux", target_os = "linux")))]
extern crate std;

#[cfg(all(feature = "rtos", target_arch = "aarch64", target_os = "none"))]
mod crossing;
#[cfg(all(feature = "linux", target_os = "linux"))]
mod device;
mod directory;
mod place;
mod topic;

#[cfg(all(feature = "rtos", target_arch = "aarch64", target_os = "none"))]
pub use crossing::{Crossing, Inlet};
#[cfg(all(feature = "linux", target_os = "linux"))]
pub use device::{DEVICE, Device};
pub use directory::write;
#[cfg(any(test, feature = "linux"))]
pub use directory::{DirectoryError, Entry, read};
pub use place::{PlaceError, Places, SHARED_WORDS, place};
pub use topic::{Direction, Topic};
