//! What of boot part and loader needs no hardware: what files say, where Linux lies in memory, how its device tree is edited
//! (../SPEC.md).

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod budgets;
mod image;
mod kernel;
mod places;
mod tree;

pub use budgets::{BUDGETS, BUDGETS_BYTES_MOST, BudgetsError, budgets};
pub use image::{Image, ImageError, Part};
pub use kernel::{HEADER_BYTES, Kernel, KernelError};
pub use places::{ALIGNMENT, PlaceError, Places, TREE_BYTES_MAX, shared_of};
pub use tree::{
    Changes, TREE_HEADER_WORDS, TREE_MOST, TreeError, edit, memory_of, processors_of, used_bytes,
};
