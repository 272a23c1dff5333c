//! Results of the kernel's paths and of nodes' messages: instructions from a call to what it leads to, beside those of two kernels of the field.
//!
//! Runs in the tool after a run, or on a file of an earlier one. Follows SPEC.md MEA-135 to MEA-137.

mod case;
mod goals;
mod image;
mod paths;
mod ratios;
mod table;

pub use case::{Others, RtosCase};
pub use goals::goals;
pub use image::{ImageSize, Images, sizes_of};
pub use paths::{PATHS, Path};
pub use table::table_of;
