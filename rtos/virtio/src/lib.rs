//! A virtio network device, as QEMU's machine `virt` has it (virtio 1.2, sections 4.2 and 5.1): frames for smoltcp.
//!
//! The queues and what is in them are the crate virtio-drivers'; here are the machine's addresses, the buffers, and which is whose.

#![no_std]

extern crate alloc;

mod buffers;
mod device;
mod machine;

pub use device::{Network, NetworkError};
pub use machine::{Slots, acknowledge};
