//! Result files: one envelope for every experiment of the lab, whatever its cases are.
//!
//! Runs in the tool after a run. Invariants: a file is written whole or not at all; names may be added within a
//! format version but never change their meaning or vanish; a newer version is refused, not guessed at. Follows
//! SPEC.md MEA-40 to MEA-49.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::contest::Skipped;
use crate::environment::Environment;
use crate::storage::{self, StorageError};

/// Version of the result format this crate writes, and the newest it reads. 2: goals of all experiments have one shape, and faults and
/// notes stand in every file.
pub const FORMAT: u32 = 2;

/// A result file: what was run, where, and what came out. `C` is the experiment's own case, e.g.
/// [`DriveCase`](crate::DriveCase); `M` is what it has beside its cases, if anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultFile<C, M = Nothing> {
    /// Version of this format, [`FORMAT`].
    pub format: u32,
    /// Name of the experiment, e.g. `drive`.
    pub experiment: String,
    /// Command line that ran it.
    pub command: String,
    /// Machine it ran on.
    pub environment: Environment,
    /// What was measured.
    pub cases: Vec<C>,
    /// Peers that were asked for and are not on this machine.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// Runs that failed and are in no figure, ours and those of others alike.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// What of the whole run is to be known, such as a precondition that did not hold.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What the experiment has beside its cases.
    #[serde(flatten)]
    pub more: M,
}

/// An experiment that has nothing beside its cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

/// A run that failed, or whose figures may not be believed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Which run.
    #[serde(default)]
    pub cell: String,
    /// Whose failure it is.
    #[serde(alias = "peer")]
    pub by: String,
    /// What went wrong.
    pub because: String,
}

/// All in one line.
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cell = if self.cell.is_empty() { &self.by } else { &self.cell };
        write!(f, "{cell}: {}", self.because)
    }
}

/// A result file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// The file system refused.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file is from the future.
    #[error(
        "{} has result format {found}, newer than {FORMAT}, the newest this program reads: use a newer tokkyu",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is not JSON, or its content is not of this experiment.
    #[error("{} is not a result file of this experiment: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why, with line and column.
        source: serde_json::Error,
    },
    /// The content cannot be written as JSON.
    #[error("the result for {} cannot be written as JSON: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

impl<C> ResultFile<C> {
    /// A result of this format's version.
    pub fn new(experiment: &str, command: &str, environment: Environment, cases: Vec<C>) -> Self {
        ResultFile {
            format: FORMAT,
            experiment: experiment.to_owned(),
            command: command.to_owned(),
            environment,
            cases,
            skipped: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            more: Nothing {},
        }
    }

    /// The same, with what the experiment has beside its cases.
    pub fn with_more<M>(self, more: M) -> ResultFile<C, M> {
        let ResultFile { format, experiment, command, environment, cases, skipped, faults, notes, .. } = self;
        ResultFile { format, experiment, command, environment, cases, skipped, faults, notes, more }
    }
}

impl<C: Serialize, M: Serialize> ResultFile<C, M> {
    /// Writes the file whole or not at all; blocks until it is on the disk.
    ///
    /// # Errors
    /// [`ResultError::Storage`] with file and remedy; what was at `path` before is then still there.
    pub fn write(&self, path: &Path) -> Result<(), ResultError> {
        write_json(self, path)
    }
}

/// MEA-40.
pub(crate) fn write_json(result: &impl Serialize, path: &Path) -> Result<(), ResultError> {
    let mut json = serde_json::to_vec_pretty(result)
        .map_err(|source| ResultError::Unwritable { path: path.to_path_buf(), source })?;
    json.push(b'\n');
    Ok(storage::replace(path, &json)?)
}

impl<C: DeserializeOwned, M: DeserializeOwned> ResultFile<C, M> {
    /// Reads a result file. Names it does not know are passed over, names that were added later may be missing.
    ///
    /// # Errors
    /// [`ResultError::NewerFormat`] before anything else is looked at, [`ResultError::Malformed`], or
    /// [`ResultError::Storage`].
    pub fn read(path: &Path) -> Result<Self, ResultError> {
        let json = fs::read(path).map_err(|source| StorageError::new("read", path, source))?;
        Self::parse(&json, path)
    }

    fn parse(json: &[u8], path: &Path) -> Result<Self, ResultError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let malformed = |source| ResultError::Malformed { path: path.to_path_buf(), source };
        let Version { format } = serde_json::from_slice(json).map_err(malformed)?;
        if format > FORMAT {
            return Err(ResultError::NewerFormat { path: path.to_path_buf(), found: format });
        }
        serde_json::from_slice(json).map_err(malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{CpuSeconds, DriveCase, StreamResult};
    use crate::join::StreamTally;
    use tokkyu_contract::Outcome;

    fn tally_of(name: &str, latencies_ms: &[u64], lost: u64) -> StreamTally {
        let mut stream = StreamTally { name: name.into(), ..StreamTally::default() };
        for ms in latencies_ms {
            stream.measured.ledger.offer();
            stream.measured.ledger.settle(Outcome::Delivered);
            stream.measured.figures.record(ms * 1_000_000);
        }
        for _ in 0..lost {
            stream.measured.ledger.offer();
            stream.measured.ledger.settle(Outcome::Lost);
        }
        stream
    }

    fn file() -> ResultFile<DriveCase> {
        let mut case = DriveCase {
            network: "loss5".into(),
            peer: "tokkyu".into(),
            variant: "default".into(),
            qos: "reliable keep_last 1 lifespan 500 ms".into(),
            condition: Some(2),
            images: 1,
            seed: 7,
            samples: 4,
            wire_bytes: Some(1_200),
            payload_bytes: Some(1_000),
            ..DriveCase::default()
        };
        case.set_streams(&[tally_of("camera/1", &[10, 20, 30], 1), tally_of("drive/command", &[], 0)]);
        ResultFile::new("drive", "tokkyu lab drive", Environment::default(), vec![case])
    }

    #[test]
    fn a_drive_case_has_the_names_that_readers_rely_on() {
        // MEA-41, MEA-42
        let json = serde_json::to_value(file()).unwrap();
        for name in ["format", "experiment", "command", "environment", "cases", "skipped"] {
            assert!(json.get(name).is_some(), "envelope lacks {name}");
        }
        let case = &json["cases"][0];
        for name in [
            "network",
            "peer",
            "variant",
            "qos",
            "images",
            "seed",
            "samples",
            "wire_bytes",
            "payload_bytes",
            "added_by_wire_ms",
            "cpu_s",
            "streams",
            "ideal",
            "warm_up",
            "verdict",
            "records",
            "notes",
            "invalid",
            "broke",
            "interrupted",
            "link",
            "run",
            "simulated",
            "path",
            "beside",
            "images_rate",
            "image_bytes",
            "load_average",
            "images_together",
            "peer_settings",
        ] {
            assert!(case.get(name).is_some(), "case lacks {name}");
        }
        let stream = &case["streams"][0];
        for name in [
            "name",
            "offered",
            "delivered",
            "late",
            "expired",
            "dropped",
            "lost",
            "mean_ms",
            "worst_ms",
            "best_ms",
            "sd_ms",
            "p50_ms",
            "p95_ms",
            "p99_ms",
            "p999_ms",
            "inside",
        ] {
            assert!(stream.get(name).is_some(), "stream lacks {name}");
        }
        assert_eq!(stream["offered"], 4);
        assert_eq!(stream["lost"], 1);
        assert_eq!(stream["mean_ms"], 20.0);
        assert_eq!(stream["inside"]["500"], 0.75);
        assert!(case["streams"][1]["mean_ms"].is_null());
        assert!(case["cpu_s"]["send"].is_null());
    }

    #[test]
    fn the_images_of_all_cameras_together_have_the_figures_of_the_whole() {
        // MEA-8, MEA-48
        let mut case = DriveCase::default();
        case.set_streams(&[tally_of("drive/command", &[900], 3)]);
        assert_eq!(case.images_together, None, "commands are no images");
        let cameras = [tally_of("camera/1", &[10, 20], 1), tally_of("camera/2", &[30, 240], 0)];
        case.set_streams(&cameras);
        let together = case.images_together.unwrap();
        let mut whole = tally_of("cameras", &[10, 20, 30, 240], 1).measured;
        assert_eq!(together, StreamResult::new("cameras", &whole));
        whole.figures.record(1);
        assert_ne!(together, StreamResult::new("cameras", &whole));
    }

    #[test]
    fn processor_time_is_told_for_what_arrived_and_not_for_what_was_offered() {
        let mut case = file().cases.remove(0);
        let cpu = |case: &DriveCase| case.cpu_ms_per_mb();
        (case.image_bytes, case.cpu_s) =
            (Some(1_000_000), CpuSeconds { send: Some(0.2), receive: Some(0.1) });
        assert!(
            cpu(&case).is_some_and(|ms| (ms - 100.0).abs() < 1e-9),
            "three of four images: {:?}",
            cpu(&case)
        );
        assert_eq!(cpu(&DriveCase { image_bytes: None, ..case.clone() }), None);
        assert_eq!(cpu(&DriveCase { cpu_s: CpuSeconds::default(), ..case.clone() }), None);
        case.set_streams(&[tally_of("camera/1", &[], 4)]);
        assert_eq!(cpu(&case), None, "nothing arrived");
    }

    #[test]
    fn a_result_is_read_back_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("drive.json");
        let written = file();
        written.write(&path).unwrap();
        assert_eq!(ResultFile::<DriveCase>::read(&path).unwrap(), written);
    }

    #[test]
    fn a_newer_format_is_refused_with_file_and_remedy_before_its_cases_are_looked_at() {
        let path = Path::new("future.json");
        let error = ResultFile::<DriveCase>::parse(br#"{"format": 3, "cases": "other"}"#, path).unwrap_err();
        assert!(matches!(error, ResultError::NewerFormat { found: 3, .. }));
        let text = error.to_string();
        assert!(text.contains("future.json") && text.contains("use a newer tokkyu"), "{text}");
    }

    #[test]
    fn a_file_of_the_first_days_without_the_added_names_is_still_read() {
        let json = br#"{"format": 1, "experiment": "drive", "command": "c", "environment": {}, "extra": 1, "cases": [
            {"network": "stable", "peer": "other", "variant": "v", "qos": "q", "images": 1, "seed": 1, "samples": 1,
             "wire_bytes": 10, "payload_bytes": 5, "added_by_wire_ms": 0.1, "cpu_s": {"send": 1.5, "receive": null},
             "streams": [{"name": "camera/1", "offered": 1, "delivered": 1, "late": 0, "expired": 0, "dropped": 0,
               "lost": 0, "mean_ms": 3, "worst_ms": 3, "best_ms": 3, "sd_ms": 0, "p50_ms": 3, "p95_ms": 3,
               "p99_ms": 3, "p999_ms": 3, "inside": {"100": 1, "150": 1, "225": 1, "500": 1}, "new_name": 4}]}]}"#;
        let read = ResultFile::<DriveCase>::parse(json, Path::new("old.json")).unwrap();
        let case = &read.cases[0];
        assert_eq!(case.verdict, None);
        assert_eq!(case.wire_ratio(), Some(2.0));
        assert_eq!(case.streams[0].ledger.delivered, 1);
        assert_eq!(case.streams[0].figures.inside.ms_500, Some(1.0));
    }

    #[test]
    fn what_is_not_a_result_is_refused_with_its_place() {
        for json in [&b"not json"[..], b"{}", br#"{"format": 1}"#, br#"{"format": -1}"#, b""] {
            let error = ResultFile::<DriveCase>::parse(json, Path::new("x.json")).unwrap_err();
            assert!(error.to_string().starts_with("x.json is not a result file"), "{error}");
        }
    }

    #[test]
    fn a_camera_is_known_by_its_name() {
        let image = |name: &str| StreamResult { name: name.into(), ..StreamResult::default() }.image();
        assert_eq!(image("camera/3"), Some(3));
        assert_eq!(image("camera/front"), None);
        assert_eq!(image("drive/command"), None);
    }
}
