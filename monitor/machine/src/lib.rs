//! Devices of QEMU's machine `virt`, as a program without translation, or with each address what it is, reaches them.

#![cfg(target_os = "none")]
#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
pub mod fw_cfg;
pub mod gpio;
pub mod heap;
pub mod serial;
