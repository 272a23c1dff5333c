//! A simulated run of one case: the link's own sessions over the same models in virtual time.
//!
//! Runs in the caller's thread and computes for about as long as a real run of an easy network takes, but shows no
//! processor, scheduler or kernel: its figures hold for no machine, and processor time is `null`.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tokkyu_link::core::{SessionConfig, Stats};
use tokkyu_link::sim::drive::{Outcomes, Sample, drive};
use tokkyu_measure::{DriveCase, Record};

use super::case::{COMMAND, CaseSpec};
use super::collect::fill;
use super::outcome::Outcome;
use super::paths::CaseFolder;

/// Between two looks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Simulates `spec` and keeps its records in `folder`. `None`, with no folder, as soon as `stop` says so: half a simulation
/// is of no use.
pub fn simulate(spec: &CaseSpec, folder: &CaseFolder, stop: &dyn Fn() -> bool) -> Option<Outcome> {
    match computed(spec, stop) {
        Some(outcomes) => Some(outcome(spec, &outcomes, folder)),
        None => {
            // What is not empty is not ours.
            let _ = fs::remove_dir(folder.path());
            None
        }
    }
}

/// The simulation, on a thread of its own; told to stop, it is left behind, and ends with the program.
fn computed(spec: &CaseSpec, stop: &dyn Fn() -> bool) -> Option<Outcomes> {
    let (profile, seed, workload) = (spec.profile.clone(), spec.seed, spec.workload());
    let work = std::thread::spawn(move || drive(&profile, seed, &workload, SessionConfig::default()));
    while !work.is_finished() {
        if stop() {
            return None;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    // A model that panicked takes the command with it, as it would without the thread.
    Some(work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

fn outcome(spec: &CaseSpec, outcomes: &Outcomes, folder: &CaseFolder) -> Outcome {
    let records = records_of(spec, outcomes);
    let mut outcome = Outcome::of(DriveCase { simulated: true, ..spec.blank("default") });
    if !spec.beside.is_empty() {
        outcome.fault("TCP beside: there is no TCP in the simulation".to_owned());
    }
    outcome.case.wire_bytes = Some(outcomes.wire_bytes);
    outcome.case.payload_bytes = Some(outcomes.payload_bytes);
    outcome.case.link = serde_json::json!({
        "vehicle": session_json(&outcomes.vehicle),
        "operator": session_json(&outcomes.operator),
    });
    for (stream, ledger) in outcomes.sent.iter().chain(&outcomes.received).enumerate() {
        if !ledger.closes() {
            outcome.fault(format!("ledger {stream} of the link does not close: {ledger}"));
        }
    }
    fill(&mut outcome, spec, records, folder);
    // A simulation has no keys.
    let _ = fs::remove_dir(folder.path().join("keys"));
    outcome
}

/// Figures of a session, by the names that stand in the summaries of real runs.
fn session_json(stats: &Stats) -> Value {
    let ms = |span: Duration| span.as_secs_f64() * 1e3;
    json!({
        "rtt_ms": ms(stats.rtt),
        "min_rtt_ms": ms(stats.min_rtt),
        "loss": stats.loss,
        "dispersion": stats.dispersion,
        "capacity_bps": stats.rate_bps,
        "packets_sent": stats.packets_sent,
        "packets_fresh": stats.packets_fresh,
        "packets_parity": stats.packets_parity,
        "packets_repair": stats.packets_repair,
        "packets_feedback": stats.packets_feedback,
        "packets_probe": stats.packets_probe,
        "bytes_sent": stats.bytes_sent,
        "packets_received": stats.packets_received,
        "spurious": stats.spurious,
        "violations": stats.violations,
    })
}

fn records_of(spec: &CaseSpec, outcomes: &Outcomes) -> Vec<Record> {
    let names = (1..=spec.images).map(|number| format!("camera/{number}")).chain([COMMAND.to_owned()]);
    let streams = names.zip(&outcomes.streams);
    streams
        .flat_map(|(name, samples)| samples.iter().map(move |sample| record(spec, &name, sample)))
        .collect()
}

fn record(spec: &CaseSpec, stream: &str, sample: &Sample) -> Record {
    Record {
        stream: stream.to_owned(),
        sequence: sample.sequence,
        capture: sample.capture,
        arrival: sample.arrival,
        outcome: sample.outcome(),
        warm_up: spec.is_warm_up(stream, sample.sequence),
    }
}
