//! What became of a case: its figures, and what makes them doubtful.
//!
//! Invariant: whatever is a fault is in the case's notes too, and makes it invalid.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tokkyu_measure::{DriveCase, Record};

/// Where an outcome is kept in the case's folder.
const FILE: &str = "outcome.json";

/// A case that was run, as far as it went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The case; its records have an absolute path.
    pub case: DriveCase,
    /// What makes the case doubtful. Also in its notes.
    pub faults: Vec<String>,
    /// Exit code of the first program that failed by itself.
    pub exit_code: Option<i32>,
    /// The run was ended early because somebody asked for it.
    pub interrupted: bool,
    /// The joined records; not kept, as they have a file.
    #[serde(skip)]
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

    /// Whether it came to its end and may be believed.
    pub(super) fn is_whole(&self) -> bool {
        self.faults.is_empty() && !self.interrupted && self.unwritten.is_none()
    }

    /// Keeps it in the case's folder. A disk that refuses costs no more than running the case again.
    pub(super) fn keep(&self, folder: &Path) {
        if let Ok(json) = serde_json::to_vec(self) {
            let _ = fs::write(folder.join(FILE), json);
        }
    }

    /// What was kept, without its records; they are where the folder is now.
    pub(super) fn reread(folder: &Path) -> Option<Outcome> {
        let mut outcome: Outcome = serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()?;
        let folder = fs::canonicalize(folder).ok()?;
        let name = outcome.case.records.as_ref().and_then(|path| path.file_name());
        outcome.case.records = name.map(|name| folder.join(name)).filter(|path| path.exists());
        Some(outcome)
    }

    /// What was tried failed by itself: it is a fault, and what did not come in this run was missed by whoever ran.
    pub(super) fn broke(&mut self, what: String) {
        self.case.broke = true;
        self.fault(what);
    }

    pub(super) fn fault(&mut self, what: String) {
        self.case.notes.push(format!("INVALID: {what}"));
        self.case.invalid = true;
        self.faults.push(what);
    }
}
