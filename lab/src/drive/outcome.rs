//! What became of a case: its figures, and what makes them doubtful.
//!
//! Invariant: whatever is a fault is in the case's notes too, and makes it invalid.

use tokkyu_measure::{DriveCase, Record};

/// A case that was run, as far as it went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case; its records have an absolute path.
    pub case: DriveCase,
    /// What makes the case doubtful. Also in its notes.
    pub faults: Vec<String>,
    /// Exit code of the first program that failed by itself.
    pub exit_code: Option<i32>,
    /// The run was ended early because somebody asked for it.
    pub interrupted: bool,
    /// The joined records.
    pub records: Vec<Record>,
    /// Why the joined records are not in a file, if they are not; then they are in `records` alone.
    pub unwritten: Option<String>,
    /// Whether both programs were granted `SCHED_FIFO`; `None` if they did not say.
    pub sched_fifo: Option<bool>,
    /// Whether both programs were granted `mlockall`; `None` if they did not say.
    pub mlockall: Option<bool>,
}

impl Outcome {
    pub(super) fn of(case: DriveCase) -> Outcome {
        Outcome {
            case,
            faults: Vec::new(),
            exit_code: None,
            interrupted: false,
            records: Vec::new(),
            unwritten: None,
            sched_fifo: None,
            mlockall: None,
        }
    }

    pub(super) fn fault(&mut self, what: String) {
        self.case.notes.push(format!("INVALID: {what}"));
        self.case.invalid = true;
        self.faults.push(what);
    }
}
