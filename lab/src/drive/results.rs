//! The result file of an experiment, kept up to date while it runs.
//!
//! Invariant: after every case the file on the disk holds all cases so far, whole. A disk that fills keeps what it had.

use std::path::{Path, PathBuf};

use super::outcome::Outcome;
use tokkyu_measure::drive::case_title;
use tokkyu_measure::report::Drive;
use tokkyu_measure::result::Nothing;
use tokkyu_measure::{DriveCase, Environment, Experiment, ResultError, ResultFile, Skipped};

/// The cases so far and where they are kept.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: ResultFile<DriveCase>,
    write: fn(&ResultFile<DriveCase>, &Path) -> Result<(), ResultError>,
}

impl Results {
    /// An experiment without cases yet; nothing is written before the first.
    pub fn new(path: PathBuf, command: &str, environment: Environment) -> Results {
        Results::of::<Drive>(path, command, environment)
    }

    /// The same, of an experiment of another name with the same cases.
    pub fn of<E>(path: PathBuf, command: &str, environment: Environment) -> Results
    where
        E: Experiment<Case = DriveCase, More = Nothing>,
    {
        Results { path, file: ResultFile::new(E::NAME, command, environment, Vec::new()), write: E::write }
    }

    /// Adds a case, and its fault if it has one, and writes the file.
    ///
    /// # Errors
    /// The disk refuses; the file is what it was before, the case is kept in memory.
    pub fn add(&mut self, case: DriveCase) -> Result<(), ResultError> {
        self.file.faults.extend(case.fault(&case_title(&case)));
        self.file.cases.push(case);
        self.write()
    }

    /// Keeps which peers were asked for in vain.
    pub fn skip(&mut self, skipped: Vec<Skipped>) {
        self.file.skipped = skipped;
    }

    /// What is known of the machine so far.
    pub fn environment_mut(&mut self) -> &mut Environment {
        &mut self.file.environment
    }

    /// What was refused to the programs of one case was refused to the experiment.
    pub fn note_grants(&mut self, outcome: &Outcome) {
        let worse = |before: Option<bool>, now: Option<bool>| match (before, now) {
            (Some(before), Some(now)) => Some(before && now),
            (before, now) => before.or(now),
        };
        let environment = self.environment_mut();
        environment.sched_fifo = worse(environment.sched_fifo, outcome.sched_fifo);
        environment.mlockall = worse(environment.mlockall, outcome.mlockall);
    }

    /// Writes the file.
    ///
    /// # Errors
    /// As [`Results::add`].
    pub fn write(&self) -> Result<(), ResultError> {
        (self.write)(&self.seen_from(&self.path), &self.path)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The cases so far; their records have absolute paths.
    pub fn file(&self) -> &ResultFile<DriveCase> {
        &self.file
    }

    /// The same result for a file at `path`: records in its folder are named relative to it, so that both can be moved.
    pub fn seen_from(&self, path: &Path) -> ResultFile<DriveCase> {
        let folder = path.parent().and_then(|folder| absolute(folder).ok());
        let mut file = self.file.clone();
        for case in &mut file.cases {
            let inside = case.records.as_deref().zip(folder.as_deref());
            if let Some(relative) = inside.and_then(|(records, folder)| records.strip_prefix(folder).ok()) {
                case.records = Some(relative.to_path_buf());
            }
        }
        file
    }
}

fn absolute(folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_beside_the_result_are_named_relative_to_it_and_others_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mut results = Results::new(root.join("result.json"), "tokkyu", Environment::default());
        let case = DriveCase { records: Some(root.join("case/records.csv")), ..DriveCase::default() };
        results.add(case).unwrap();
        let read = ResultFile::<DriveCase>::read(results.path()).unwrap();
        assert_eq!(read.cases[0].records, Some("case/records.csv".into()));
        let elsewhere = results.seen_from(Path::new("/nowhere/else.json"));
        assert_eq!(elsewhere.cases[0].records, Some(root.join("case/records.csv")));
    }
}
