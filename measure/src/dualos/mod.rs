//! Results of the experiment on an RTOS and Linux on the same processors: cases, tables, goals.
//!
//! Runs in the tool after a run. A case is one arm in one round. Follows SPEC.md MEA-140 to MEA-144.

mod case;
mod goals;
mod table;

pub use case::{DualosCase, LONG_US, Placed, Waits, Way};
pub use goals::goals;
pub(crate) use table::arms;
pub use table::{capacities, faults, spins, starts, topics};
