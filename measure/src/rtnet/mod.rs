//! Results of the experiment on the kernel's Ethernet path: cases, tables, goals, the paper.
//!
//! Runs in the tool after a run. A case is one cell of the experiment, all its repetitions taken together; each repetition's own
//! figures stand in it too. Times are virtual. Follows SPEC.md MEA-100 to MEA-107.
mod answer;
mod case;
mod goals;
pub mod paper;
pub(crate) mod table;
mod trace;

pub use answer::{Answer, Pair, Seen, Spread, answers};
pub use case::{Busy, Legs, Load, MeanMax, RtnetCase, Run, Split, Times, UnknownLoad, Work};
pub use goals::goals;
pub use trace::{Share, Traced, Turn};
