//! What became of a bridged case: the DDS programs' records joined as the drive's are, and what each program cost.
//!
//! Runs after the run, in the caller's thread. Invariants: those of [`collect`](crate::drive::collect). Follows LAB-19 to LAB-21.

use std::fs;

use tokkyu_measure::PeerSettings;
use tokkyu_measure::comparison::BRIDGED;

use crate::drive::case::CaseSpec;
use crate::drive::collect::{Ends, add_ends, add_joined, both, cpu_of, fill};
use crate::drive::joining::Written;
use crate::drive::outcome::Outcome;
use crate::drive::paths::{CaseFolder, name_of};
use crate::drive::peer::settings;
use crate::drive::summary::Summary;
use crate::wire::End;

use super::command::{Load, bridge_log};

/// Puts everything into one case.
pub(super) fn outcome(spec: &CaseSpec, folder: &CaseFolder, ends: &Ends<'_>) -> Outcome {
    let mut outcome = Outcome::of(spec.blank("default"));
    outcome.case.peer = BRIDGED.to_owned();
    // The paper's rows are of DDS alone, and the ideal is of a link that has the picture at its tick.
    outcome.case.condition = None;
    add_ends(&mut outcome, spec, ends);
    outcome.case.cpu_s = cpu_of(ends.programs, |program| program.stays);
    outcome.case.endpoints_cpu_s = cpu_of(ends.programs, |program| !program.stays);
    add_words(&mut outcome, folder);
    add_sessions(&mut outcome, folder);
    let records = add_joined(&mut outcome, spec, &written(folder));
    let workload = spec.workload();
    let bytes = |stream: &str| match stream.starts_with(tokkyu_measure::drive::CAMERA_PREFIX) {
        true => workload.image_bytes as u64,
        false => workload.command_bytes as u64,
    };
    outcome.case.payload_bytes = Some(records.iter().map(|record| bytes(&record.stream)).sum());
    fill(&mut outcome, spec, records, folder);
    outcome
}

/// A session that ended and its successor are not one drive. Bridges keep no summary; their logs tell each session.
fn add_sessions(outcome: &mut Outcome, folder: &CaseFolder) {
    for end in [End::Vehicle, End::Operator] {
        let log = fs::read_to_string(bridge_log(folder, end)).unwrap_or_default();
        let sessions =
            log.lines().filter(|line| line.starts_with("session ") && line.ends_with(" is up")).count();
        if sessions != 1 && !outcome.interrupted {
            outcome.broke(format!(
                "{}: {sessions} sessions of the bridges in place of one; its log is beside the records",
                name_of(end)
            ));
        }
    }
}

fn written(folder: &CaseFolder) -> Written {
    let [vehicle, operator] =
        [End::Vehicle, End::Operator].map(|end| Load::BOTH.map(|load| load.records(folder, end)));
    Written { vehicle: vehicle.to_vec(), operator: operator.to_vec() }
}

/// What the DDS programs say of themselves (PEER-22).
fn add_words(outcome: &mut Outcome, folder: &CaseFolder) {
    for end in [End::Vehicle, End::Operator] {
        for load in Load::BOTH {
            match Summary::read(&load.summary(folder, end)) {
                Ok(summary) => add_settings(outcome, settings(summary.value(), end), load),
                Err(why) => {
                    outcome.fault(format!("no summary of the {}'s {}: {why}", name_of(end), load.as_str()))
                }
            }
        }
    }
}

fn add_settings(outcome: &mut Outcome, settings: PeerSettings, load: Load) {
    let who = format!("{}'s DDS program of the {}", settings.end, load.as_str());
    outcome.sched_fifo = both(outcome.sched_fifo, settings.sched_fifo);
    outcome.mlockall = both(outcome.mlockall, settings.mlockall);
    match settings.met {
        _ if outcome.interrupted => {}
        Some(true) => {}
        // Its figures would be those of discovery.
        Some(false) => outcome.fault(format!(
            "the {who} had no partner at the first tick: the bridge had not brought the topic; its log is beside the records"
        )),
        None => outcome.fault(format!("the {who} does not say whether it had a partner at the first tick")),
    }
    outcome.case.notes.extend(settings.notes.iter().map(|note| format!("{who}: {note}")));
    outcome.case.peer_settings.push(settings);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::bridge::plan::tests::plan;
    use crate::drive::program::Program;
    use crate::drive::supervisor::Reason;
    use crate::wire::WireReport;
    use serde_json::json;
    use tokkyu_contract::MonoTime;

    /// Files as the DDS programs write them: 15 pictures at 10 Hz and 75 commands at 50 Hz, all of which arrive.
    fn put_files(folder: &CaseFolder) {
        let head = "# tokkyu-records 1\nstream,sequence,capture_ns,arrival_ns,outcome,warm_up\n";
        for end in [End::Vehicle, End::Operator] {
            fs::write(
                bridge_log(folder, end),
                "DDS domain 77 on lo\nsession 1 with the other bridge is up\n",
            )
            .unwrap();
        }
        for (load, stream, samples, sender, receiver) in [
            (Load::Cameras, "camera/1", 15, End::Vehicle, End::Operator),
            (Load::Command, "drive/command", 75, End::Operator, End::Vehicle),
        ] {
            let sent: String = (0..samples).map(|n| format!("{stream},{n},1000,,lost,0\n")).collect();
            let seen: String =
                (0..samples).map(|n| format!("{stream},{n},1000,7000,delivered,0\n")).collect();
            fs::write(load.records(folder, sender), head.to_owned() + &sent).unwrap();
            fs::write(load.records(folder, receiver), head.to_owned() + &seen).unwrap();
            for end in [End::Vehicle, End::Operator] {
                let summary = json!({"version": "0.10", "met": true, "sched_fifo": true, "notes": []});
                fs::write(load.summary(folder, end), summary.to_string()).unwrap();
            }
        }
    }

    fn outcome_of(folder: &CaseFolder) -> Outcome {
        let past = |end, stays| {
            let mut program = Program::past(end, 0, MonoTime::from_nanos(1));
            program.stays = stays;
            program
        };
        let programs = [past(End::Vehicle, true), past(End::Vehicle, false), past(End::Operator, true)];
        // Everybody ended in the first moment; the bridges had been asked to, a moment before that.
        let asked = Some((MonoTime::ZERO, Reason::Done));
        let ends = Ends { programs: &programs, asked, wire: Ok(WireReport::of_nothing()) };
        outcome(&plan().cases().remove(1).spec, folder, &ends)
    }

    #[test]
    fn four_files_of_records_become_the_drives_streams_and_the_case_is_nobodys_rival() {
        // LAB-19
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        put_files(&folder);
        let outcome = outcome_of(&folder);
        let case = &outcome.case;
        assert_eq!(outcome.faults, Vec::<String>::new());
        assert_eq!((case.peer.as_str(), case.condition), ("tokkyu-bridge", None));
        let delivered =
            |name: &str| case.streams.iter().find(|stream| stream.name == name).unwrap().ledger.delivered;
        // Of 1.5 s a third is warm-up; commands count that had 150 ms before the last picture at 1.4 s: 0 to 62.
        assert_eq!((delivered("camera/1"), delivered("drive/command")), (10, 63 - 25));
        assert_eq!(case.payload_bytes, Some(15 * 374_000 + 63 * 64));
        assert_eq!(case.peer_settings.len(), 4);
        let measured = [case.cpu_s.receive, case.endpoints_cpu_s.send, case.endpoints_cpu_s.receive];
        assert_eq!(measured.map(|seconds| seconds.is_some()), [true, true, false]);
    }

    #[test]
    fn bridges_whose_session_broke_or_never_came_make_the_case_invalid() {
        // LAB-20
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        put_files(&folder);
        let up = |number| format!("session {number} with the other bridge is up\n");
        fs::write(bridge_log(&folder, End::Vehicle), up(1) + "no session: lost\n" + &up(2)).unwrap();
        fs::remove_file(bridge_log(&folder, End::Operator)).unwrap();
        let faults = outcome_of(&folder).faults;
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(
            faults[0].starts_with("vehicle: 2 sessions") && faults[1].starts_with("operator: 0 sessions")
        );
    }

    #[test]
    fn a_program_without_a_partner_or_a_summary_makes_the_case_invalid() {
        // LAB-20
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        put_files(&folder);
        fs::write(Load::Command.summary(&folder, End::Vehicle), json!({"met": false}).to_string()).unwrap();
        fs::write(Load::Command.summary(&folder, End::Operator), json!({}).to_string()).unwrap();
        fs::remove_file(Load::Cameras.summary(&folder, End::Operator)).unwrap();
        let faults = outcome_of(&folder).faults;
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(
            faults[2].starts_with("the operator's DDS program of the command does not say"),
            "{faults:?}"
        );
        assert!(
            faults[0].starts_with("the vehicle's DDS program of the command had no partner"),
            "{faults:?}"
        );
        assert!(faults[1].starts_with("no summary of the operator's cameras"), "{faults:?}");
    }
}
