//! What is told: counts of what each scenario is about, why some are excluded, what failed.

use std::collections::BTreeMap;

use super::case::{Outcome, TtspCase};
use crate::table::{Row, Table};

const HEADER: [&str; 4] = ["about, port", "passed", "failed", "excluded"];

/// A row for each folder of the suite and port, and the sum of each port.
pub fn table_of(cases: &[TtspCase]) -> Table {
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for case in cases {
        let group = case.about.split('/').next().unwrap_or_default();
        for name in [format!("{group}, {}", case.port), format!("~all, {}", case.port)] {
            let place = match case.result {
                Outcome::Passed => 0,
                Outcome::Failed => 1,
                Outcome::Excluded => 2,
            };
            counts.entry(name).or_default()[place] += 1;
        }
    }
    let row = |(name, counts): (String, [usize; 3])| {
        let cells = std::iter::once(name.trim_start_matches('~').to_owned());
        Row { quoted: false, cells: cells.chain(counts.iter().map(usize::to_string)).collect() }
    };
    Table { header: HEADER.to_vec(), rows: counts.into_iter().map(row).collect() }
}

/// How many are excluded for each reason.
pub fn excluded(cases: &[TtspCase]) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.result == Outcome::Excluded) {
        *reasons.entry(&case.reason).or_default() += 1;
    }
    reasons.into_iter().map(|(reason, count)| format!("{count}: {reason}")).collect()
}

/// What failed, and how.
pub fn failures(cases: &[TtspCase]) -> Vec<String> {
    let failed = cases.iter().filter(|case| case.result == Outcome::Failed);
    failed.map(|case| format!("{}, {}: {}", case.scenario, case.port, case.reason)).collect()
}
