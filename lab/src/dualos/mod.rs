//! The experiment on an RTOS and Linux on the same processors: the evaluations of the paper on SafeG for several processors, redone on an
//! emulated machine. Follows SPEC.md LAB-130 to LAB-137.
//!
//! ```text
//!  Study ─ cells ─► Stage ─► Machine (monitor, load/, a kernel, a script) ─ lines ─► findings ─ cases
//! ```

mod cell;
mod findings;
mod machine;
mod parts;
mod stage;
mod study;

pub use cell::{Cell, Kind};
pub use parts::{Parts, PartsError};
pub use stage::{Found, Machines};
pub use study::Study;
