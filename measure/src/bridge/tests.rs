//! Cases made by hand, of which every figure is known.

use super::*;
use crate::comparison::OURS;
use crate::study::Verdict;
use crate::{PathFacts, StreamTally, Tally};
use tokkyu_contract::Ledger;

fn tally(name: &str, latencies_ms: &[u64]) -> StreamTally {
    let mut measured = Tally::default();
    for ms in latencies_ms {
        measured.ledger += Ledger { offered: 1, delivered: 1, ..Ledger::default() };
        measured.figures.record(ms * 1_000_000);
    }
    StreamTally { name: name.into(), measured, ..StreamTally::default() }
}

fn case(network: &str, images: u32, peer: &str, image_ms: u64, command_ms: u64) -> DriveCase {
    let cpu = |send| CpuSeconds { send: Some(send), receive: Some(send + 1.0) };
    let mut case = DriveCase {
        network: network.into(),
        peer: peer.into(),
        images,
        cpu_s: cpu(1.0),
        endpoints_cpu_s: if peer == BRIDGED { cpu(3.0) } else { CpuSeconds::default() },
        path: Some(PathFacts { up_mbit_s: None, up_ms: 25.0, down_ms: 25.0 }),
        ..DriveCase::default()
    };
    case.set_streams(&[tally("camera/1", &[image_ms; 200]), tally(COMMAND, &[command_ms; 200])]);
    case
}

fn goal_of(cases: &[DriveCase], number: usize) -> Goal {
    goals(cases).remove(number)
}

#[test]
fn what_bridges_add_is_judged_beside_the_links_own_latency_and_both_numbers_are_told() {
    // LAB-22
    let with = |bridged| [case("lan", 1, OURS, 4, 1), case("lan", 1, BRIDGED, bridged, 1)];
    let met = goal_of(&with(10), 0);
    assert_eq!(met.verdict, Verdict::Met);
    assert_eq!(met.because, "link 4.0 ms, bridged 10.0 ms: added 6.0 ms");
    assert_eq!(met.figure.map(|figure| (figure.value, figure.n)), Some((1.5, 200)));
    assert_eq!(goal_of(&with(11), 0).verdict, Verdict::Missed);
}

#[test]
fn commands_are_judged_by_what_their_99th_percentile_is_above_the_path() {
    // LAB-23
    let with = |command_ms| [case("wan-loss5", 4, BRIDGED, 70, command_ms)];
    let met = goal_of(&with(45), 1);
    assert_eq!(met.verdict, Verdict::Met, "{met}");
    assert_eq!(met.because, "p99 45.0 ms, path 25.0 ms");
    assert_eq!(met.figure.map(|figure| figure.value), Some(20.0));
    assert_eq!(goal_of(&with(46), 1).verdict, Verdict::Missed);
    // Three of 203 never came.
    let mut broken = case("wan-loss5", 4, BRIDGED, 70, 30);
    broken.streams[1].ledger.offered += 3;
    let missed = goal_of(&[broken], 1);
    assert_eq!(missed.verdict, Verdict::Missed);
    assert_eq!(missed.figures(), "∞, n = 203, 1 round; 3 missed; p99 ∞ ms, path 25.0 ms");
}

#[test]
fn a_goal_whose_cases_were_not_run_or_do_not_count_is_not_judged() {
    let invalid = DriveCase { invalid: true, ..case("lan", 1, BRIDGED, 5, 1) };
    let goals: Vec<(Verdict, String)> = goals(&[case("lan", 1, OURS, 4, 1), invalid])
        .into_iter()
        .map(|goal| (goal.verdict, goal.because))
        .collect();
    assert_eq!(goals[0], (Verdict::NotJudged, "no run of lan, 1 images, bridged counts".to_owned()));
    assert_eq!(goals[1], (Verdict::NotJudged, "wan-loss5, 4 images, bridged was not run".to_owned()));
}

#[test]
fn a_row_has_the_figures_the_median_of_the_runs_what_was_added_and_each_programs_time() {
    let cases = [
        case("lan", 4, OURS, 4, 1),
        case("lan", 4, BRIDGED, 9, 2),
        DriveCase { run: 1, ..case("lan", 4, OURS, 6, 1) },
        DriveCase { run: 1, ..case("lan", 4, BRIDGED, 11, 2) },
    ];
    let table = table(&Side::all(&cases));
    let cells: Vec<&str> = table.rows[1].cells.iter().map(String::as_str).collect();
    assert_eq!(cells[..4], ["lan, 4 images, bridged, images", "2", "10.0", "11.0"], "the worst of both runs");
    assert_eq!(cells[10..], ["100.00", "0", "400", "5.0", "1.00", "2.00", "3.00", "4.00"]);
    let names: Vec<&str> = table.rows.iter().map(|row| row.cells[0].as_str()).collect();
    assert_eq!(
        (names[0], names[2], names[3]),
        ("lan, 4 images, link, images", "lan, 4 images, link, commands", "lan, 4 images, bridged, commands")
    );
    assert_eq!(table.rows[0].cells[13..], ["–", "1.00", "2.00", "–", "–"], "the link adds nothing to itself");
    assert!(table.rows.iter().all(|row| row.cells.len() == HEADER.len()));
}

#[test]
fn it_is_told_why_a_run_counts_nowhere() {
    let notes = vec!["INVALID: tokkyu bridge vehicle ended with exit code 3: no".to_owned()];
    let broken = DriveCase { invalid: true, notes, ..case("lan", 1, BRIDGED, 5, 1) };
    let (_, left_out) = table_of(&[case("lan", 1, OURS, 4, 1), broken]);
    let told =
        "left out: lan, 1 images, tokkyu-bridge, run 0: tokkyu bridge vehicle ended with exit code 3: no";
    assert_eq!(left_out, [told]);
}
