//! The kernel in one process and in virtual time.
//!
//! A [`Machine`] is a port of the kernel whose processors are stacks in one thread: who runs next is chosen at every place where
//! processors can get in each other's way, by an [`Order`], so that a run is the same each time, and all runs can be tried. Time
//! stands still until it is told to go on.

#[cfg_attr(miri, path = "threads.rs")]
mod context;
mod explore;
mod interrupt;
mod machine;
mod order;
mod pause;

pub use explore::{Explored, explore};
pub use interrupt::{Line, Lines};
pub use machine::{Grain, Machine, Programs};
pub use order::{InTurn, Order};
