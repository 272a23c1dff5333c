//! Results of the conformance suite: each scenario on each port.
//!
//! Runs in the tool after a run, or on a file of an earlier one. Follows SPEC.md MEA-130 to MEA-132.

mod case;
mod goals;
mod table;

pub use case::{KernelPort, Outcome, TtspCase};
pub use goals::goals;
pub use table::{excluded, failures, table_of};
