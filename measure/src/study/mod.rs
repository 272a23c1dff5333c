//! What all experiments of the lab have in common once they have been run: goals with their figures, the statistics behind them, and
//! the report that is written as text, as Markdown and as a page.
//!
//! ```text
//! cases ─► goals ──► Report ─► sections (tables, lines, plots) ─► text, Markdown, HTML
//! ```
//!
//! Pure: nothing here reads a clock, a file or chance. Rules: SPEC.md MEA-110 to MEA-119.

mod bound;
mod error;
mod experiment;
mod figure;
mod goal;
mod pairs;
mod report;
mod words;

pub use bound::Bound;
pub use error::ReportError;
pub use experiment::Experiment;
pub use figure::Figure;
pub use goal::{Goal, Least, Verdict};
pub use pairs::{Middle, middle, ratio_of_pairs};
pub use report::{Part, Place, Plot, Report, Section};
