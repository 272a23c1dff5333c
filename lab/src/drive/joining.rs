//! Both ends' records of a real run, read from their files and joined into one outcome for each sample of the workload.
//!
//! Runs after the run, in the caller's thread. Invariants: one end's records alone make no figures; what the two ends do
//! not agree on is a fault.

use std::path::PathBuf;

use tokkyu_measure::{Anomaly, AnomalyKind, Record, RecordError, join};

use crate::wire::End;

use super::case::{COMMAND, CaseSpec, stream_of};
use super::paths::CaseFolder;

/// Disagreements of the two ends that are told one by one; more are counted.
const ANOMALIES_TOLD: usize = 5;

/// Files of records that both ends' programs wrote.
pub(super) struct Written {
    pub(super) vehicle: Vec<PathBuf>,
    pub(super) operator: Vec<PathBuf>,
}

impl Written {
    /// Of one program at each end.
    pub(super) fn of(folder: &CaseFolder) -> Written {
        let [vehicle, operator] = [End::Vehicle, End::Operator].map(|end| vec![folder.records_of(end)]);
        Written { vehicle, operator }
    }
}

/// What the two ends' records say together.
pub(super) struct Found {
    /// One for each sample of the workload.
    pub(super) records: Vec<Record>,
    /// What could not be read, and what the ends do not agree on.
    pub(super) faults: Vec<String>,
}

/// Records of both ends, joined. Where one end's cannot be read there is nothing to join: figures of one end alone would
/// tell of the missing file and not of the link.
pub(super) fn joined(spec: &CaseSpec, written: &Written, is_interrupted: bool) -> Found {
    let (vehicle, operator) = match (read(&written.vehicle), read(&written.operator)) {
        (Ok(vehicle), Ok(operator)) => (vehicle, operator),
        (vehicle, operator) => {
            let faults = [vehicle.err(), operator.err()].into_iter().flatten().map(|error| error.to_string());
            return Found { records: Vec::new(), faults: faults.collect() };
        }
    };
    let (pictures_sent, commands_received) = split(spec, vehicle);
    let (pictures_received, commands_sent) = split(spec, operator);
    let joined =
        join(&[pictures_sent, commands_sent].concat(), &[pictures_received, commands_received].concat());
    Found { records: joined.records, faults: disagreements(&joined.anomalies, is_interrupted) }
}

/// The first few one by one, then how many more.
fn disagreements(anomalies: &[Anomaly], is_interrupted: bool) -> Vec<String> {
    // Interrupted, the receiving program may end between confirming a sample and writing it down.
    let is_fault = |anomaly: &&Anomaly| !(is_interrupted && anomaly.kind == AnomalyKind::ConfirmedButUnseen);
    let mut faults: Vec<String> = anomalies.iter().filter(is_fault).map(ToString::to_string).collect();
    if let more @ 1.. = faults.len().saturating_sub(ANOMALIES_TOLD) {
        faults.truncate(ANOMALIES_TOLD);
        faults.push(format!("and {more} more disagreements of the two ends"));
    }
    faults
}

fn read(files: &[PathBuf]) -> Result<Vec<Record>, RecordError> {
    let files: Result<Vec<Vec<Record>>, RecordError> =
        files.iter().map(|file| tokkyu_measure::record::read(file)).collect();
    Ok(files?.concat())
}

/// One end's records of pictures and of commands, as far as they are part of the workload.
fn split(spec: &CaseSpec, records: Vec<Record>) -> (Vec<Record>, Vec<Record>) {
    let named = records.into_iter().map(|record| Record { stream: stream_of(&record.stream), ..record });
    let ours = named.filter(|record| spec.counts(&record.stream, record.sequence));
    ours.map(|record| marked(spec, record)).partition(|record| record.stream != COMMAND)
}

/// Which samples are warm-up is the experiment's decision; the programs know nothing of it.
fn marked(spec: &CaseSpec, record: Record) -> Record {
    let warm_up = spec.is_warm_up(&record.stream, record.sequence);
    Record { warm_up, ..record }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::case::Pictures;
    use crate::drive::collect::{add_joined, fill, write_records};
    use crate::drive::outcome::Outcome;
    use crate::drive::quality::Quality;
    use std::time::Duration;
    use tokkyu_contract::{MonoTime, Outcome as Fate};
    use tokkyu_link::sim::path::Profile;
    use tokkyu_measure::StreamResult;

    fn spec() -> CaseSpec {
        CaseSpec {
            profile: Profile::named("lan").unwrap(),
            quality: Quality::Link,
            images: 1,
            pictures: Pictures::Dummy,
            beside: Vec::new(),
            commands: true,
            peer: None,
            samples: 2,
            warm_up: 2,
            seed: 1,
            run: 0,
        }
    }

    fn record(stream: &str, sequence: u32, arrival_ms: Option<u64>, outcome: Fate) -> Record {
        let capture = MonoTime::from_millis(1_000);
        let arrival = arrival_ms.map(|ms| capture + Duration::from_millis(ms));
        Record { stream: stream.to_owned(), sequence, capture, arrival, outcome, warm_up: false }
    }

    fn both_ends(folder: &CaseFolder) {
        let picture = |sequence, arrival, fate| record("camera/image1", sequence, arrival, fate);
        let offered = (0..4).map(|sequence| picture(sequence, None, Fate::Delivered));
        let seen = (0..3).map(|sequence| picture(sequence, Some(7), Fate::Delivered));
        let commands: Vec<Record> = (0..15).map(|n| record(COMMAND, n, None, Fate::Delivered)).collect();
        // The last ones are sent when the vehicle is about to leave.
        let obeyed = (0..12).map(|n| record(COMMAND, n, Some(1), Fate::Delivered));
        write_records(&folder.records_of(End::Vehicle), &offered.chain(obeyed).collect::<Vec<_>>()).unwrap();
        write_records(&folder.records_of(End::Operator), &seen.chain(commands).collect::<Vec<_>>()).unwrap();
    }

    #[test]
    fn records_of_both_ends_become_one_outcome_for_each_sample_of_the_workload() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        both_ends(&folder);
        let mut outcome = Outcome::of(spec().blank("default"));
        let records = add_joined(&mut outcome, &spec(), &Written::of(&folder));
        fill(&mut outcome, &spec(), records, &folder);
        let ledger = |streams: &[StreamResult], name: &str| {
            let stream = streams.iter().find(|stream| stream.name == name).unwrap();
            (stream.ledger.offered, stream.ledger.delivered, stream.ledger.lost)
        };
        assert_eq!(ledger(&outcome.case.warm_up, "camera/1"), (2, 2, 0));
        assert_eq!(ledger(&outcome.case.streams, "camera/1"), (2, 1, 1), "confirmed but never seen is lost");
        // 150 ms before the last of 4 pictures at 300 ms: commands 0 to 7, all of them in the warm-up of 200 ms.
        assert_eq!(ledger(&outcome.case.warm_up, COMMAND), (8, 8, 0));
        assert_eq!(
            outcome.faults,
            ["camera/1 sample 3: confirmed to the sender but never seen by the receiver"]
        );
        assert_eq!(tokkyu_measure::record::read(&folder.records()).unwrap(), outcome.records);
    }

    #[test]
    fn a_run_that_was_interrupted_may_end_before_its_last_sample_is_written_down() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        both_ends(&folder);
        let mut outcome = Outcome { interrupted: true, ..Outcome::of(spec().blank("default")) };
        let records = add_joined(&mut outcome, &spec(), &Written::of(&folder));
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        let unseen =
            records.iter().find(|record| (record.stream.as_str(), record.sequence) == ("camera/1", 3));
        assert_eq!(unseen.unwrap().outcome, Fate::Lost);
    }

    #[test]
    fn without_the_records_of_one_end_there_are_no_figures_and_the_case_is_invalid() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        both_ends(&folder);
        std::fs::write(folder.records_of(End::Operator), "").unwrap();
        let mut outcome = Outcome::of(spec().blank("default"));
        let records = add_joined(&mut outcome, &spec(), &Written::of(&folder));
        fill(&mut outcome, &spec(), records, &folder);
        assert!(outcome.case.streams.is_empty());
        assert!(outcome.faults[0].contains("operator.csv"), "{:?}", outcome.faults);
        assert!(!outcome.case.verdict.unwrap().pass);
    }
}
