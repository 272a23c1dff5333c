//! What became of a run: both ends' records joined, the wire's report and the programs' ends, put into one case.
//!
//! Runs after the run, in the caller's thread. Invariants: what was measured is kept whatever else failed; whatever
//! makes the figures doubtful is a fault, is written into the case's notes, and fails the command.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tokkyu_contract::MonoTime;
use tokkyu_measure::{
    CpuSeconds, DriveCase, Record, RecordError, RecordWriter, Sources, StreamResult, tally,
};

use crate::wire::{End, Lateness, WireError, WireReport};

use super::case::CaseSpec;
use super::competition::{self, Beside};
use super::joining::{Written, joined};
use super::outcome::Outcome;
use super::paths::{CaseFolder, name_of};
use super::program::Program;
use super::summary::Summary;
use super::supervisor::Reason;

/// A relay later than this shows in the figures of the networks with the shortest delays.
const LATE_RELAY_NS: u64 = 1_000_000;

/// What a run left behind.
pub(super) struct Evidence<'a> {
    pub(super) spec: &'a CaseSpec,
    pub(super) folder: &'a CaseFolder,
    pub(super) variant: &'static str,
    pub(super) caveat: Option<String>,
    pub(super) beside: Beside,
    pub(super) ends: Ends<'a>,
}

/// How programs and network ended, whoever's programs they were.
pub(super) struct Ends<'a> {
    pub(super) programs: &'a [Program],
    pub(super) asked: Option<(MonoTime, Reason)>,
    pub(super) wire: Result<WireReport, WireError>,
}

/// Makes the case of a real run.
pub(super) fn outcome(evidence: &Evidence) -> Outcome {
    let Evidence { spec, folder, .. } = *evidence;
    let mut outcome = Outcome::of(spec.blank(evidence.variant));
    outcome.case.notes.extend(evidence.caveat.clone());
    add_ends(&mut outcome, spec, &evidence.ends);
    add_summaries(&mut outcome, folder);
    let records = add_joined(&mut outcome, spec, &Written::of(folder));
    add_beside(&mut outcome, spec, folder, &evidence.beside, &records);
    fill(&mut outcome, spec, records, folder);
    outcome
}

/// Both ends' records, joined; what they do not agree on is a fault.
pub(super) fn add_joined(outcome: &mut Outcome, spec: &CaseSpec, written: &Written) -> Vec<Record> {
    let found = joined(spec, written, outcome.interrupted);
    found.faults.into_iter().for_each(|fault| outcome.fault(fault));
    found.records
}

/// Puts what the flows beside and the images got into the case, and the raw data into its folder.
pub(super) fn add_beside(
    outcome: &mut Outcome,
    spec: &CaseSpec,
    folder: &CaseFolder,
    beside: &Beside,
    records: &[Record],
) {
    if spec.beside.is_empty() {
        return;
    }
    let found = competition::found(spec, beside, records);
    outcome.case.beside = found.flows;
    outcome.case.images_rate = Some(found.images);
    found.faults.into_iter().for_each(|fault| outcome.fault(fault));
    if let Err(error) = fs::write(folder.beside(), &found.csv) {
        outcome.unwritten = Some(format!("{}: {error}", folder.beside().display()));
    }
}

/// Adds how the programs and the wire ended, and what they cost.
pub(super) fn add_ends(outcome: &mut Outcome, spec: &CaseSpec, ends: &Ends<'_>) {
    outcome.interrupted = matches!(ends.asked, Some((_, Reason::Stopped)));
    outcome.case.interrupted = outcome.interrupted;
    how_it_ended(outcome, ends);
    match &ends.wire {
        Ok(report) => add_wire(outcome, spec, report),
        Err(error) => outcome.fault(format!("the wire failed: {error}")),
    }
    outcome.case.cpu_s = cpu_of(ends.programs, |_| true);
    outcome.case.load_average = Sources::default().load_average();
}

/// Adds the joined records, and the figures that follow from them, and keeps them in a file. A disk that refuses takes
/// the file, not the figures.
pub(super) fn fill(outcome: &mut Outcome, spec: &CaseSpec, records: Vec<Record>, folder: &CaseFolder) {
    outcome.case.set_streams(&tally(&records));
    let open: Vec<String> = (outcome.case.streams.iter())
        .filter(|stream| !stream.ledger.closes())
        .map(|stream| format!("the ledger of {} does not close: {}", stream.name, stream.ledger))
        .collect();
    open.into_iter().for_each(|what| outcome.fault(what));
    match outcome.interrupted {
        true => outcome.case.notes.push(interrupted_note(&outcome.case)),
        false => missing(outcome, spec),
    }
    match write_records(&folder.records(), &records) {
        Ok(()) => outcome.case.records = Some(folder.records()),
        Err(error) => outcome.unwritten = Some(error.to_string()),
    }
    outcome.records = records;
}

/// How far an interrupted run came.
fn interrupted_note(case: &DriveCase) -> String {
    let pictures = |streams: &[StreamResult]| {
        streams
            .iter()
            .filter(|stream| stream.is_camera())
            .map(|camera| camera.ledger.offered)
            .max()
            .unwrap_or(0)
    };
    let (measured, warm_up) = (pictures(&case.streams), pictures(&case.warm_up));
    let of = case.samples;
    format!(
        "interrupted after {warm_up} pictures of warm-up and {measured} of {of} measured; what came until then is kept"
    )
}

/// Fewer pictures offered than asked for: the rest of the figures would be those of another workload.
fn missing(outcome: &mut Outcome, spec: &CaseSpec) {
    for number in 1..=spec.images {
        let name = format!("camera/{number}");
        let stream = outcome.case.streams.iter().find(|stream| stream.name == name);
        let offered = stream.map_or(0, |stream| stream.ledger.offered);
        if offered != u64::from(spec.samples) {
            outcome.fault(format!("{name} offered {offered} pictures of {}", spec.samples));
        }
    }
}

pub(super) fn write_records(path: &Path, records: &[Record]) -> Result<(), RecordError> {
    let mut writer = RecordWriter::create(path)?;
    records.iter().try_for_each(|record| writer.write(record))?;
    writer.finish()
}

fn how_it_ended(outcome: &mut Outcome, ends: &Ends<'_>) {
    match ends.asked {
        Some((_, Reason::Overdue)) => outcome.fault("the programs did not end by themselves".to_owned()),
        Some((_, Reason::Stopped | Reason::OneEnded | Reason::Done)) | None => {}
    }
    for program in ends.programs {
        let asked = ends.asked.map(|(at, _)| at);
        let by_itself = program.ended.is_some_and(|ended| asked.is_none_or(|asked| ended.at <= asked));
        match program.failure() {
            // Told to end, a program says so with its exit code.
            Some(_) if !by_itself && program.was_interrupted() => {}
            Some(failure) => {
                outcome.exit_code = outcome.exit_code.or(program.exit_code());
                outcome.broke(failure);
            }
            None if program.stays && by_itself => {
                outcome.fault(format!("{} ended by itself, before it was asked to", program.name));
            }
            None => {}
        }
    }
}

/// Processor time of those of the programs that `counts`.
pub(super) fn cpu_of(programs: &[Program], counts: impl Fn(&Program) -> bool) -> CpuSeconds {
    let at = |end| {
        let here = programs.iter().filter(|program| program.end == end && counts(program));
        let seconds: Option<Vec<f64>> =
            here.map(|program| program.ended.map(|ended| ended.cpu.as_secs_f64())).collect();
        seconds.filter(|seconds| !seconds.is_empty()).map(|seconds| seconds.iter().sum())
    };
    CpuSeconds { send: at(End::Vehicle), receive: at(End::Operator) }
}

fn add_wire(outcome: &mut Outcome, spec: &CaseSpec, report: &WireReport) {
    // Whole Ethernet frames: what the network carries, whatever an IP packet of it is worth (MEA-42).
    let frames = report.up.model.offered_bytes + report.down.model.offered_bytes;
    // The wire does not tell the link's frames from those of others.
    outcome.case.wire_bytes = spec.beside.is_empty().then_some(frames);
    outcome.case.added_by_wire_ms = Some(report.lateness.mean_ns as f64 / 1e6);
    outcome.case.notes.push(wire_note(report));
    if report.lateness.p99_ns > LATE_RELAY_NS {
        outcome.case.notes.push(
            "the relay was late by more than 1 ms in one frame of a hundred, and ages include that: is a core free?".into(),
        );
    }
    report.flaws().into_iter().for_each(|flaw| outcome.fault(flaw.to_string()));
}

/// What the relay itself cost, in one line.
pub fn wire_note(report: &WireReport) -> String {
    let Lateness { mean_ns, p50_ns, p99_ns, worst_ns, .. } = report.lateness;
    let us = |ns: u64| ns as f64 / 1e3;
    format!(
        "wire: relay late by mean {:.0} µs, p50 {:.0} µs, p99 {:.0} µs, worst {:.0} µs; {:.1} % of a core, {}",
        us(mean_ns),
        us(p50_ns),
        us(p99_ns),
        us(worst_ns),
        report.cpu_share() * 1e2,
        report.scheduling
    )
}

/// What the programs say of themselves: the link's statistics, and what the system granted them.
fn add_summaries(outcome: &mut Outcome, folder: &CaseFolder) {
    let mut link = serde_json::Map::new();
    let mut payload_bytes = Some(0);
    for end in [End::Vehicle, End::Operator] {
        match Summary::read(&folder.summary_of(end)) {
            Ok(summary) => {
                payload_bytes = payload_bytes.zip(summary.sent_bytes()).map(|(sum, more)| sum + more);
                outcome.sched_fifo = both(outcome.sched_fifo, summary.granted("sched_fifo"));
                outcome.mlockall = both(outcome.mlockall, summary.granted("mlockall"));
                for open in summary.open_ledgers() {
                    outcome.fault(format!("{} does not close: {open}", name_of(end)));
                }
                if let Some(what) = summary.broken_session() {
                    outcome.broke(format!("{}: {what}", name_of(end)));
                }
                for (what, count) in summary.gaps() {
                    outcome.fault(format!("{}: {count} {what}", name_of(end)));
                }
                outcome.case.notes.extend(summary.safe_stops());
                outcome.case.notes.extend(summary.qualities());
                outcome.case.notes.extend(summary.troubles());
                link.insert(name_of(end).to_owned(), summary.link());
            }
            Err(why) => {
                payload_bytes = None;
                outcome.fault(format!("no summary of the {}: {why}", name_of(end)));
            }
        }
    }
    outcome.case.payload_bytes = payload_bytes;
    outcome.case.link = Value::Object(link);
}

pub(super) fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::case::Pictures;
    use crate::drive::quality::Quality;
    use std::time::Duration;
    use tokkyu_contract::Outcome as Fate;
    use tokkyu_link::sim::path::Profile;

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

    #[test]
    fn what_the_relay_added_is_the_mean_and_bytes_are_those_of_whole_frames() {
        let mut report = crate::wire::WireReport::of_nothing();
        report.lateness =
            Lateness { frames: 3, mean_ns: 40_000, p50_ns: 9_000, p99_ns: 90_000, worst_ns: 99_000 };
        (report.up.model.offered_bytes, report.down.model.offered_bytes) = (1_514, 60);
        let mut outcome = Outcome::of(spec().blank("default"));
        add_wire(&mut outcome, &spec(), &report);
        assert_eq!((outcome.case.added_by_wire_ms, outcome.case.wire_bytes), (Some(0.04), Some(1_574)));
        assert!(outcome.case.notes.iter().any(|note| note.contains("late by mean 40 µs, p50 9 µs")));
    }

    #[test]
    fn who_stays_and_leaves_before_it_is_asked_has_failed_whatever_its_exit_code() {
        // LAB-20
        let ended = MonoTime::from_millis(5_000);
        let faults = |stays, asked_ms: Option<u64>| {
            let mut program = Program::past(End::Vehicle, 0, ended);
            program.stays = stays;
            let asked = asked_ms.map(|ms| (MonoTime::from_millis(ms), Reason::Done));
            let mut outcome = Outcome::of(spec().blank("default"));
            how_it_ended(
                &mut outcome,
                &Ends { programs: &[program], asked, wire: Ok(WireReport::of_nothing()) },
            );
            outcome.faults
        };
        let alone = ["program ended by itself, before it was asked to"];
        assert_eq!(faults(true, None), alone);
        assert_eq!(faults(true, Some(5_000)), alone, "seen before it was asked");
        assert_eq!(faults(true, Some(4_999)), Vec::<String>::new());
        assert_eq!(faults(false, None), Vec::<String>::new(), "it ends by itself when it is done");
    }

    #[test]
    fn a_run_whose_session_broke_is_invalid() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        for (end, sessions) in [(End::Vehicle, 1), (End::Operator, 2)] {
            let summary = serde_json::json!({"sessions": sessions}).to_string();
            std::fs::write(folder.summary_of(end), summary).unwrap();
        }
        let mut outcome = Outcome::of(spec().blank("default"));
        add_summaries(&mut outcome, &folder);
        assert_eq!(outcome.faults.len(), 1, "{:?}", outcome.faults);
        assert!(outcome.faults[0].starts_with("operator: 2 sessions"), "{:?}", outcome.faults);
        assert!(outcome.case.invalid);
    }

    #[test]
    fn a_disk_that_refuses_the_records_takes_no_figures() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        std::fs::create_dir(folder.records()).unwrap();
        let mut outcome = Outcome::of(spec().blank("default"));
        let records = vec![record("camera/1", 2, Some(5), Fate::Delivered)];
        fill(&mut outcome, &spec(), records.clone(), &folder);
        assert!(outcome.unwritten.unwrap().contains("records.csv"));
        assert_eq!((outcome.case.records, outcome.records), (None, records));
        assert_eq!(outcome.case.streams[0].ledger.delivered, 1);
    }
}
