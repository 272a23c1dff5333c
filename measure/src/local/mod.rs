//! Results of the local experiment: how long a message takes from one node of a device to another, ours beside the rivals.
//!
//! Runs in the tool after a run, or on a file of an earlier one. A case is one peer at one size, all rounds together; what publishing takes
//! beside a slow subscriber stands apart. Follows SPEC.md MEA-120 to MEA-124.

mod case;
mod goals;
mod overload;
mod ratio;
mod size;
mod table;
mod who;

pub use case::{LocalCase, LocalMore, RoundTold};
pub use goals::goals;
pub use overload::OverloadCase;
pub use size::{Size, UnknownSize};
pub use table::{overload_table, ratio_table, table_of, titles};
pub use who::{Kind, kind_of, names, place_of};
