//! What became of a case with a peer: both ends' records joined as ours are, and what the peer said of itself.
//!
//! Runs after the run, in the caller's thread. Invariants: those of [`collect`](crate::drive::collect). Follows LAB-15.

use serde_json::Value;
use tokkyu_measure::PeerSettings;

use crate::drive::case::CaseSpec;
use crate::drive::collect::{Ends, add_ends, add_joined, both, fill};
use crate::drive::joining::Written;
use crate::drive::outcome::Outcome;
use crate::drive::paths::{CaseFolder, name_of};
use crate::drive::summary::Summary;
use crate::wire::End;

/// Puts everything into one case.
pub(super) fn outcome(spec: &CaseSpec, folder: &CaseFolder, ends: &Ends<'_>, set: Option<String>) -> Outcome {
    let mut outcome = Outcome::of(spec.blank("default"));
    outcome.case.notes.extend(set);
    add_ends(&mut outcome, spec, ends);
    add_words(&mut outcome, folder);
    let records = add_joined(&mut outcome, spec, &Written::of(folder));
    outcome.case.payload_bytes = Some(records.len() as u64 * spec.workload().image_bytes as u64);
    fill(&mut outcome, spec, records, folder);
    outcome
}

/// What both ends say of themselves (PEER-22).
fn add_words(outcome: &mut Outcome, folder: &CaseFolder) {
    for end in [End::Vehicle, End::Operator] {
        let settings = match Summary::read(&folder.summary_of(end)) {
            Ok(summary) => settings(summary.value(), end),
            Err(why) => {
                outcome.fault(format!("no summary of the {}: {why}", name_of(end)));
                continue;
            }
        };
        outcome.sched_fifo = both(outcome.sched_fifo, settings.sched_fifo);
        outcome.mlockall = both(outcome.mlockall, settings.mlockall);
        match settings.met {
            _ if outcome.interrupted => {}
            Some(true) => {}
            // Its figures would be those of its discovery.
            Some(false) => {
                outcome.fault(format!("the {} had not met the other end at the first tick", name_of(end)));
            }
            None => outcome.fault(format!(
                "the {} does not say whether it had met the other end at the first tick",
                name_of(end)
            )),
        }
        outcome.case.notes.extend(settings.notes.iter().map(|note| format!("{}: {note}", name_of(end))));
        outcome.case.peer_settings.push(settings);
    }
}

/// Read by name, one by one: a field that a program got wrong takes no other with it.
pub(in crate::drive) fn settings(summary: &Value, end: End) -> PeerSettings {
    let text = |name: &str| summary.get(name).and_then(Value::as_str).map(str::to_owned);
    let granted = |name: &str| summary.get(name).and_then(Value::as_bool);
    let notes = summary.get("notes").and_then(Value::as_array).into_iter().flatten();
    PeerSettings {
        end: name_of(end).to_owned(),
        version: text("version"),
        settings: text("settings"),
        sched_fifo: granted("sched_fifo"),
        mlockall: granted("mlockall"),
        met: granted("met"),
        notes: notes.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokkyu_measure::DriveCase;

    fn said(vehicle: &Value, operator: &Value) -> Outcome {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        for (end, summary) in [(End::Vehicle, vehicle), (End::Operator, operator)] {
            std::fs::write(folder.summary_of(end), summary.to_string()).unwrap();
        }
        let mut outcome = Outcome::of(DriveCase::default());
        add_words(&mut outcome, &folder);
        outcome
    }

    #[test]
    fn what_a_peer_says_of_itself_is_kept_with_its_end() {
        // PEER-22, LAB-15
        let well = json!({"peer": "tcp", "version": "6.1", "settings": "bbr, nodelay", "sched_fifo": true,
            "mlockall": false, "met": true, "notes": ["2 wrong samples"]});
        let outcome = said(&well, &json!({"version": 7, "met": true}));
        let [vehicle, operator] = &outcome.case.peer_settings[..] else { panic!("two ends") };
        assert_eq!((vehicle.end.as_str(), vehicle.version.as_deref()), ("vehicle", Some("6.1")));
        assert_eq!(
            (operator.end.as_str(), operator.version.as_deref()),
            ("operator", None),
            "a number is no version"
        );
        assert_eq!((outcome.sched_fifo, outcome.mlockall), (Some(true), Some(false)));
        assert_eq!(outcome.case.notes, ["vehicle: 2 wrong samples"]);
        assert_eq!(outcome.faults, Vec::<String>::new());
    }

    #[test]
    fn two_ends_that_had_not_met_at_the_first_tick_have_no_figures_to_believe() {
        let outcome = said(&json!({"met": false}), &json!({"met": true}));
        assert_eq!(outcome.faults, ["the vehicle had not met the other end at the first tick"]);
        let silent = said(&json!({"met": true}), &json!({"met": "yes"}));
        assert_eq!(
            silent.faults,
            ["the operator does not say whether it had met the other end at the first tick"]
        );
    }

    #[test]
    fn an_end_that_says_nothing_is_a_fault() {
        let dir = tempfile::tempdir().unwrap();
        let mut outcome = Outcome::of(DriveCase::default());
        add_words(&mut outcome, &CaseFolder::create(dir.path()).unwrap());
        assert!(
            outcome.faults.len() == 2 && outcome.faults[0].contains("vehicle.json"),
            "{:?}",
            outcome.faults
        );
    }
}
