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

use std::path::Path;

use serde::Serialize;

pub use answer::{Answer, Pair, Seen, Spread, answers};
pub use case::{Busy, Legs, Load, MeanMax, RtnetCase, Run, Split, Times, UnknownLoad, Work};
pub use goals::{Goal, goals};
pub use table::{markdown, text};
pub use trace::{Share, Traced, Turn};

use crate::result::{ResultError, ResultFile, write_json};

/// A result with what follows from its cases, as it is written: a reader of cases passes over the rest (MEA-44).
#[derive(Clone, Debug, Serialize)]
pub struct Judged<'a> {
    #[serde(flatten)]
    file: &'a ResultFile<RtnetCase>,
    goals: Vec<Goal>,
    answers: Vec<Answer>,
    paper: &'static [paper::Row],
    /// Where what is quoted comes from.
    paper_source: &'static str,
}

impl<'a> Judged<'a> {
    /// The goals of a result, and the paper beside it.
    pub fn of(file: &'a ResultFile<RtnetCase>) -> Self {
        let (goals, answers) = (goals(&file.cases), answers(&file.cases));
        Judged { file, goals, answers, paper: &paper::ROWS, paper_source: paper::SOURCE }
    }

    /// Writes it whole or not at all; blocks until it is on the disk.
    ///
    /// # Errors
    /// [`ResultError::Storage`] with file and remedy; what was at `path` before is then still there.
    pub fn write(&self, path: &Path) -> Result<(), ResultError> {
        write_json(self, path)
    }
}
