//! Several runs of the same case in one row: the median of each figure, the worst and the best of all, and the sum of what was missed.
//!
//! Pure. Invariants: a figure that a run does not have (nothing delivered) is left out of the median, and the number of
//! runs is told; a run that is invalid or was interrupted is in no figure and no sum, and is counted apart.

use std::collections::BTreeSet;

use crate::repetitions::{counts, groups, median};
use crate::table::{Row, Table, ms, percent};

use super::case::DriveCase;
use super::stream::StreamResult;

/// Medians over the runs of each case; `None` if no case was run twice.
pub fn medians(cases: &[DriveCase]) -> Option<Table> {
    let groups = groups(cases);
    if groups.iter().all(|group| group.len() < 2) {
        return None;
    }
    let header = vec![
        "case, stream",
        "runs",
        "left out",
        "mean ms",
        "worst ms",
        "best ms",
        "sd ms",
        "p99 ms",
        "≤ 500 ms %",
        "missed",
        "of",
    ];
    Some(Table { header, rows: groups.iter().flat_map(|group| rows(group)).collect() })
}

fn rows(group: &[&DriveCase]) -> Vec<Row> {
    // Of all runs: one that broke off at once has none.
    let names: BTreeSet<&str> =
        group.iter().flat_map(|case| &case.streams).map(|stream| stream.name.as_str()).collect();
    names.into_iter().map(|name| row(group, name)).collect()
}

fn row(group: &[&DriveCase], name: &str) -> Row {
    let (good, left_out): (Vec<&DriveCase>, Vec<&DriveCase>) = group.iter().partition(|case| counts(case));
    let streams: Vec<&StreamResult> =
        good.iter().flat_map(|case| case.streams.iter().find(|stream| stream.name == name)).collect();
    let figure = |of: fn(&StreamResult) -> Option<f64>| median(streams.iter().filter_map(|s| of(s)));
    let mut cells = vec![format!("{}, {}, {name}", group[0].network, group[0].qos)];
    cells.extend([
        streams.len().to_string(),
        left_out.len().to_string(),
        ms(figure(|s| s.figures.mean_ms)),
        ms(streams.iter().filter_map(|s| s.figures.worst_ms).reduce(f64::max)),
        ms(streams.iter().filter_map(|s| s.figures.best_ms).reduce(f64::min)),
        ms(figure(|s| s.figures.sd_ms)),
        ms(figure(|s| s.p99_ms())),
        percent(figure(|s| s.figures.inside.ms_500)),
        streams.iter().map(|s| s.missed()).sum::<u64>().to_string(),
        streams.iter().map(|s| s.ledger.offered).sum::<u64>().to_string(),
    ]);
    Row { quoted: false, cells }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Summary;
    use tokkyu_contract::Ledger;

    fn case(network: &str, run: u32, mean_ms: Option<f64>, lost: u64) -> DriveCase {
        let ledger = Ledger { offered: 10, delivered: 10 - lost, lost, ..Ledger::default() };
        let figures = Summary { mean_ms, ..Summary::default() };
        let stream = StreamResult { name: "camera/1".into(), ledger, figures };
        DriveCase { network: network.into(), run, streams: vec![stream], ..DriveCase::default() }
    }

    #[test]
    fn runs_of_one_case_become_one_row_with_the_median_and_all_that_was_missed() {
        let cases = [
            case("lan", 0, Some(3.0), 1),
            case("wan", 0, Some(70.0), 0),
            case("lan", 1, Some(9.0), 2),
            case("wan", 1, Some(80.0), 0),
            case("lan", 2, Some(4.0), 0),
        ];
        let table = medians(&cases).unwrap();
        let shown: Vec<[&str; 4]> = (table.rows.iter())
            .map(|row| [&row.cells[1], &row.cells[3], &row.cells[9], &row.cells[10]].map(String::as_str))
            .collect();
        assert_eq!(shown, [["3", "4.0", "3", "30"], ["2", "75.0", "0", "20"]]);
        assert!(table.rows.iter().all(|row| row.cells.len() == table.header.len()));
    }

    #[test]
    fn a_run_without_a_figure_does_not_count_as_zero() {
        let cases = [case("lan", 0, Some(3.0), 0), case("lan", 1, None, 10), case("lan", 2, Some(5.0), 0)];
        assert_eq!(medians(&cases).unwrap().rows[0].cells[3], "4.0");
    }

    #[test]
    fn invalid_and_interrupted_runs_are_in_no_figure_and_are_counted() {
        let good = case("lan", 0, Some(3.0), 1);
        let invalid = DriveCase { invalid: true, ..case("lan", 1, Some(500.0), 7) };
        let interrupted = DriveCase { interrupted: true, ..case("lan", 2, Some(900.0), 9) };
        let table = medians(&[invalid.clone(), good, interrupted]).unwrap();
        let cells = |row: &Row| [1, 2, 3, 9, 10].map(|column: usize| row.cells[column].clone());
        assert_eq!(cells(&table.rows[0]), ["1", "2", "3.0", "1", "10"]);
        let none_good = medians(&[invalid.clone(), invalid]).unwrap();
        assert_eq!(cells(&none_good.rows[0]), ["0", "2", "–", "0", "0"]);
    }

    #[test]
    fn streams_that_the_first_run_lacks_have_a_row() {
        let broken = DriveCase { streams: Vec::new(), invalid: true, ..case("lan", 0, None, 0) };
        let table = medians(&[broken, case("lan", 1, Some(3.0), 0)]).unwrap();
        assert_eq!((table.rows.len(), &*table.rows[0].cells[3]), (1, "3.0"));
    }

    #[test]
    fn single_runs_have_no_medians() {
        assert_eq!(medians(&[case("lan", 0, None, 0), case("wan", 0, None, 0)]), None);
    }
}
