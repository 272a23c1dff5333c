//! The kernel on processors that QEMU stands for: machines, and the figures of the kernel's paths. Follows SPEC.md LAB-120 to LAB-122.

mod figures;
mod image;
mod machine;

pub use figures::{FiguresError, IMAGES, TALKER, figures};
pub use image::image_size;
pub(crate) use machine::{Idle, Running, Said};
pub use machine::{Machine, MachineError};
