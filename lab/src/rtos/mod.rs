//! The kernel on processors that QEMU stands for: machines, and the figures of the kernel's paths. Follows SPEC.md LAB-120 to LAB-122.

mod figures;
mod machine;

pub use figures::{FiguresError, IMAGES, figures};
pub(crate) use machine::{Idle, Running, Said};
pub use machine::{Machine, MachineError};
