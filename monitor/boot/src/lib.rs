//! What of the boot part needs no hardware: what files say, where Linux lies in memory, how its device tree is edited
//! (../SPEC.md).

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod image;
mod kernel;
mod places;
mod tree;

pub use image::{Image, ImageError, Part};
pub use kernel::{HEADER_BYTES, Kernel, KernelError};
pub use places::{ALIGNMENT, PlaceError, Places, TREE_BYTES_MAX};
pub use tree::{Changes, TreeError, edit, memory_of, processors_of};
