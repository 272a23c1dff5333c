//! Our link beside the programs of others: one table for each network, the paper's figures below it, and whether what the
//! project set out to reach was reached.
//!
//! Runs in the tool after a run. Invariants: text, Markdown and HTML show the same cells; every figure is the median of the
//! runs that count, over the images of all cameras taken together; what did not run is said, never left away. Rules:
//! SPEC.md MEA-70 to MEA-78.

mod contender;
mod goals;
mod network;
mod quoted;
#[cfg(test)]
mod tests;
mod who;
mod words;

pub use contender::Contender;
pub use network::{Comparison, OnNetwork};
use who::is_rival;
pub use who::{BRIDGED, OURS};
pub(crate) use words::{HOW_TO_READ, left_out};

use crate::drive::DriveCase;
use crate::table::Table;

/// Whether a result has others beside us: then a comparison says more than a table for each case.
pub fn is_comparison(cases: &[DriveCase]) -> bool {
    cases.iter().any(|case| is_rival(&case.peer))
}

impl Comparison<'_> {
    /// What the project set out to reach, judged by these figures.
    pub fn goals(&self) -> Vec<crate::study::Goal> {
        goals::goals(self)
    }
}

impl OnNetwork<'_> {
    /// One row for each contender, and below them the paper's, where it measured this network.
    pub fn table(&self) -> Table {
        let rows = self.contenders.iter().map(Contender::row).chain(quoted::rows(self));
        Table { header: contender::HEADER.to_vec(), rows: rows.collect() }
    }
}
