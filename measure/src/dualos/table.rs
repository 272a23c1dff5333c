//! What is told: a row for each arm, all rounds taken together.

use std::collections::BTreeMap;

use super::case::DualosCase;
use crate::repetitions::median;
use crate::table::{NONE, Row, Table};

const SPINS: [&str; 12] = [
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
    "long for mutexes",
    "for each 1 000",
];
const STARTS: [&str; 6] = ["policy", "rounds", "starts at home", "instructions", "worst", "elsewhere %"];

const TOPICS: [&str; 6] = ["way", "bytes", "rounds", "messages", "instructions there and back", "worst"];
const FAULTS: [&str; 6] = ["Linux", "rounds", "activations", "instructions", "worst", "missed"];

const CAPACITIES: [&str; 7] =
    ["work and load", "accounting", "rounds", "seconds", "ideal", "of the ideal", "missed"];

/// Of a study, the cases of each arm, in the order in which arms come first.
pub(crate) fn arms<'a>(study: &str, cases: &'a [DualosCase]) -> Vec<(&'a str, Vec<&'a DualosCase>)> {
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

/// So many for each thousand.
fn each_1000(part: Option<u64>, of: Option<u64>) -> String {
    match (part, of) {
        (Some(part), Some(of @ 1..)) => format!("{:.2}", part as f64 * 1000.0 / of as f64),
        _ => NONE.to_owned(),
    }
}

/// How long processors waited for spin locks, and spun for mutexes.
pub fn spins(cases: &[DualosCase]) -> Table {
    let row = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let placed = |figure: fn(&super::Placed) -> u64| sum(&cases, |case| case.placed.as_ref().map(figure));
        let activations = placed(|placed| placed.activations);
        let long = sum(&cases, |case| case.waits.as_ref().map(|waits| waits.long));
        let mutex = sum(&cases, |case| case.mutex.as_ref().map(|waits| waits.long));
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
                each_1000(long, activations),
                number(mutex),
                each_1000(mutex, activations),
            ],
        }
    };
    Table { header: SPINS.to_vec(), rows: arms("spin", cases).into_iter().map(row).collect() }
}

/// How long it took to begin a task.
pub fn starts(cases: &[DualosCase]) -> Table {
    let row = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let starts = || cases.iter().filter_map(|case| case.way.as_ref());
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

/// How long a message was on its way to Linux and back.
pub fn topics(cases: &[DualosCase]) -> Table {
    let row = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let (how, bytes) = arm.rsplit_once('-').unwrap_or((arm, NONE));
        let mut cells = vec![how.to_owned(), bytes.to_owned()];
        cells.extend(ways(&cases));
        Row { quoted: false, cells }
    };
    Table { header: TOPICS.to_vec(), rows: arms("topic", cases).into_iter().map(row).collect() }
}

/// Rounds, how many, the mean and the worst.
fn ways(cases: &[&DualosCase]) -> [String; 4] {
    let ways = || cases.iter().filter_map(|case| case.way.as_ref());
    let mean = median(ways().map(|way| way.mean));
    [
        cases.len().to_string(),
        ways().map(|way| way.n).sum::<u64>().to_string(),
        mean.map_or(NONE.to_owned(), |mean| format!("{mean:.0}")),
        number(ways().map(|way| way.worst).max()),
    ]
}

/// What became of the RTOS's task meanwhile.
pub fn faults(cases: &[DualosCase]) -> Table {
    let row = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let missed = sum(&cases, |case| case.placed.as_ref().map(|placed| placed.missed));
        let mut cells = vec![arm.to_owned()];
        cells.extend(ways(&cases));
        cells.push(number(missed));
        Row { quoted: false, cells }
    };
    Table { header: FAULTS.to_vec(), rows: arms("fault", cases).into_iter().map(row).collect() }
}

/// How long Linux's work took beside a load.
pub fn capacities(cases: &[DualosCase]) -> Table {
    let rows = [true, false].into_iter().flat_map(|accounting| {
        let of: Vec<DualosCase> =
            cases.iter().filter(|case| case.accounting == Some(accounting)).cloned().collect();
        arms("capacity", &of)
            .into_iter()
            .map(|(arm, cases)| capacity(arm, accounting, &cases))
            .collect::<Vec<_>>()
    });
    Table { header: CAPACITIES.to_vec(), rows: rows.collect() }
}

fn capacity(arm: &str, accounting: bool, cases: &[&DualosCase]) -> Row {
    let middle = |figure: fn(&DualosCase) -> Option<f64>, decimals: usize| {
        let value = median(cases.iter().filter_map(|case| figure(case)));
        value.map_or(NONE.to_owned(), |value| format!("{value:.decimals$}"))
    };
    Row {
        quoted: false,
        cells: vec![
            arm.to_owned(),
            if accounting { "yes" } else { "no" }.to_owned(),
            cases.len().to_string(),
            middle(|case| case.seconds, 2),
            middle(|case| case.ideal_seconds, 2),
            middle(DualosCase::of_ideal, 3),
            number(sum(cases, |case| case.placed.as_ref().map(|placed| placed.missed))),
        ],
    }
}
