//! What is told: a row for each arm, all rounds taken together.

use std::collections::BTreeMap;

use super::case::DualosCase;
use crate::repetitions::median;
use crate::table::{NONE, Row, Table};

const SPINS: [&str; 10] = [
    "policy",
    "rounds",
    "activations",
    "elsewhere %",
    "held %",
    "nowhere free %",
    "held on arrival %",
    "missed",
    "long waits",
    "long for each 1 000",
];
const STARTS: [&str; 6] = ["policy", "rounds", "starts at home", "instructions", "worst", "elsewhere %"];

/// Of a study, the cases of each arm, in the order in which arms come first.
fn arms<'a>(study: &str, cases: &'a [DualosCase]) -> Vec<(&'a str, Vec<&'a DualosCase>)> {
    let mut order: Vec<&str> = Vec::new();
    let mut of: BTreeMap<&str, Vec<&DualosCase>> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.study == study) {
        if !of.contains_key(&*case.arm) {
            order.push(&case.arm);
        }
        of.entry(&case.arm).or_default().push(case);
    }
    order.into_iter().map(|arm| (arm, of.remove(arm).unwrap_or_default())).collect()
}

fn sum(cases: &[&DualosCase], figure: impl Fn(&DualosCase) -> Option<u64>) -> Option<u64> {
    cases.iter().map(|case| figure(case)).sum()
}

fn number(value: Option<u64>) -> String {
    value.map_or(NONE.to_owned(), |value| value.to_string())
}

fn share(part: Option<u64>, of: Option<u64>) -> String {
    match (part, of) {
        (Some(part), Some(of @ 1..)) => format!("{:.1}", part as f64 * 100.0 / of as f64),
        _ => NONE.to_owned(),
    }
}

/// How long processors waited for spin locks.
pub fn spins(cases: &[DualosCase]) -> Table {
    let row = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let placed = |figure: fn(&super::Placed) -> u64| sum(&cases, |case| case.placed.as_ref().map(figure));
        let activations = placed(|placed| placed.activations);
        let long = sum(&cases, |case| case.waits.as_ref().map(|waits| waits.long));
        let each = match (long, activations) {
            (Some(long), Some(activations @ 1..)) => {
                format!("{:.2}", long as f64 * 1000.0 / activations as f64)
            }
            _ => NONE.to_owned(),
        };
        Row {
            quoted: false,
            cells: vec![
                arm.to_owned(),
                cases.len().to_string(),
                number(activations),
                share(placed(|placed| placed.moved), activations),
                share(placed(|placed| placed.held), activations),
                share(placed(|placed| placed.nowhere), activations),
                share(placed(|placed| placed.arrived), activations),
                number(placed(|placed| placed.missed)),
                number(long),
                each,
            ],
        }
    };
    Table { header: SPINS.to_vec(), rows: arms("spin", cases).into_iter().map(row).collect() }
}

/// How long it took to begin a task.
pub fn starts(cases: &[DualosCase]) -> Table {
    let row = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let starts = || cases.iter().filter_map(|case| case.start.as_ref());
        let all = sum(&cases, |case| case.placed.as_ref().map(|placed| placed.activations));
        let moved = sum(&cases, |case| case.placed.as_ref().map(|placed| placed.moved));
        let mean = median(starts().map(|start| start.mean));
        Row {
            quoted: false,
            cells: vec![
                arm.to_owned(),
                cases.len().to_string(),
                starts().map(|start| start.n).sum::<u64>().to_string(),
                mean.map_or(NONE.to_owned(), |mean| format!("{mean:.0}")),
                number(starts().map(|start| start.worst).max()),
                share(moved, all),
            ],
        }
    };
    Table { header: STARTS.to_vec(), rows: arms("start", cases).into_iter().map(row).collect() }
}
