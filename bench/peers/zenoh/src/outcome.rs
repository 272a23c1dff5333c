//! What is written at the end: records (measure's format, PEER-21) and summary (PEER-22). Nothing before.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use tokkyu_contract::{MonoTime, Outcome};
use tokkyu_measure::{Record, RecordWriter};

use crate::arguments::Arguments;
use crate::machine::Grants;
use crate::session;

/// Errors and wrong samples of a run, each kind with its count. Bounded: kinds are few, words of the library are cut.
#[derive(Clone, Debug, Default)]
pub struct Notes(Vec<(String, u64)>);

/// Most kinds that are kept.
const MOST_NOTES: usize = 20;
const NOTE_LETTERS: usize = 200;

impl Notes {
    /// Counts `what`.
    pub fn add(&mut self, what: &str) {
        let what: String = what.chars().take(NOTE_LETTERS).collect();
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| *known == what) {
            *count += 1;
        } else if self.0.len() < MOST_NOTES {
            self.0.push((what, 1));
        }
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Notes) {
        for (what, count) in &other.0 {
            (0..*count).for_each(|_| self.add(what));
        }
    }

    fn lines(&self) -> Vec<String> {
        self.0.iter().map(|(what, count)| format!("{what}: {count}")).collect()
    }
}

#[derive(Serialize)]
struct Summary {
    peer: &'static str,
    version: &'static str,
    settings: String,
    sched_fifo: bool,
    mlockall: bool,
    met: bool,
    notes: Vec<String>,
}

/// Neither file may be there (PEER-21).
///
/// # Errors
/// The one that is.
pub fn check_free(arguments: &Arguments) -> Result<(), String> {
    for (flag, path) in [("--records", &arguments.records), ("--summary", &arguments.summary)] {
        if path.exists() {
            return Err(format!(
                "{flag} {}: it is there already and kept; name another file",
                path.display()
            ));
        }
    }
    Ok(())
}

/// How a run ended that could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end, whatever arrived.
    Made,
    Interrupted,
}

/// What the run was. Ends that never met are no run (PEER-4), unless a signal came before they could.
///
/// # Errors
/// They never met.
pub fn end(arguments: &Arguments, interrupted: bool, ever_met: bool) -> Result<End, String> {
    match (interrupted, ever_met) {
        (true, _) => Ok(End::Interrupted),
        (false, true) => Ok(End::Made),
        (false, false) => Err(format!(
            "the other end (--other {}) was never met: start it, with the same --mode and --images",
            arguments.other
        )),
    }
}

/// One line of records.
pub fn record(
    camera: u32,
    sequence: u32,
    capture_ns: u64,
    arrival_ns: Option<u64>,
    outcome: Outcome,
) -> Record {
    Record {
        stream: session::key(camera),
        sequence,
        capture: MonoTime::from_nanos(capture_ns),
        arrival: arrival_ns.map(MonoTime::from_nanos),
        outcome,
        warm_up: false,
    }
}

/// Writes both files.
///
/// # Errors
/// The disk refuses.
pub fn write(
    arguments: &Arguments,
    grants: Grants,
    met: bool,
    notes: &Notes,
    records: impl IntoIterator<Item = Record>,
) -> Result<(), String> {
    let mut writer = RecordWriter::create(&arguments.records).map_err(|error| error.to_string())?;
    for record in records {
        writer.write(&record).map_err(|error| error.to_string())?;
    }
    writer.finish().map_err(|error| error.to_string())?;
    let summary = Summary {
        peer: "zenoh",
        version: zenoh::GIT_VERSION,
        settings: session::in_words(arguments),
        sched_fifo: grants.sched_fifo,
        mlockall: grants.mlockall,
        met,
        notes: notes.lines(),
    };
    let text = serde_json::to_vec_pretty(&summary).map_err(|error| error.to_string())?;
    write_new(&arguments.summary, &text).map_err(|error| format!("{}: {error}", arguments.summary.display()))
}

fn write_new(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;

    #[test]
    fn a_file_that_is_there_is_told_by_its_flag() {
        // PEER-21. The root folder is always there.
        for flag in ["--records", "--summary"] {
            let error = check_free(&arguments("send", &[flag, "/"]).unwrap()).unwrap_err();
            assert!(error.starts_with(&format!("{flag} /: ")), "{error}");
        }
        assert_eq!(check_free(&arguments("send", &[]).unwrap()), Ok(()));
    }

    #[test]
    fn ends_that_never_met_are_no_run_unless_a_signal_ended_it() {
        // PEER-4
        let arguments = arguments("send", &[]).unwrap();
        assert_eq!(end(&arguments, false, true), Ok(End::Made));
        assert_eq!(end(&arguments, true, false), Ok(End::Interrupted));
        assert!(end(&arguments, false, false).unwrap_err().contains("--other 127.0.0.1"));
    }
}
