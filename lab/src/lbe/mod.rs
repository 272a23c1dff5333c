//! The experiment on background traffic: what a foreground feels of an upload beside it, under one scheme or another.

/// Name of the experiment in its result files.
pub const EXPERIMENT: &str = "lbe";

mod cell;
mod findings;
mod run;
mod scheme;
mod study;

pub use cell::{Background, Cell, FAST, Link, SLOW, Work};
pub use findings::cases;
pub use run::{OnOver, run};
pub use scheme::{Scheme, UnknownScheme};
pub use study::Study;
