//! Tables of cases, for a terminal and for documents.

use crate::table::{Row, Table};

use super::case::LocalCase;
use super::overload::OverloadCase;
use super::ratio;
use super::size;

const HEADER: [&str; 14] = [
    "peer",
    "processes",
    "copies",
    "n",
    "lost",
    "ticks left out",
    "p50",
    "of each round",
    "p99",
    "p99.9",
    "worst",
    "mean",
    "publish p50",
    "p99.9",
];
const OVERLOAD: [&str; 10] =
    ["message", "n", "publish p50", "p99.9", "worst", "p99.9 / p50", "published", "got", "dropped", "torn"];
const RATIOS: [&str; 6] = ["message, to", "ratio", "low", "high", "rounds", "n"];
const NONE: &str = "–";

/// Sizes in the order of the cases.
pub fn titles(cases: &[LocalCase]) -> Vec<(u64, String)> {
    let mut sizes: Vec<u64> = cases.iter().map(|case| case.bytes).collect();
    sizes.dedup();
    sizes.into_iter().map(|bytes| (bytes, format!("{}, one way, µs", size::told(bytes)))).collect()
}

/// All peers at one size.
pub fn table_of(cases: &[LocalCase], bytes: u64) -> Table {
    let rows = cases.iter().filter(|case| case.bytes == bytes).map(row);
    Table { header: HEADER.to_vec(), rows: rows.collect() }
}

/// What publishing takes beside a slow subscriber; nothing where it was not run.
pub fn overload_table(overload: &[OverloadCase]) -> Option<Table> {
    let rows = overload.iter().map(overload_row).collect();
    (!overload.is_empty()).then(|| Table { header: OVERLOAD.to_vec(), rows })
}

/// p50 of one of ours to that of everybody else, round by round (MEA-112); nothing where it was not run beside anybody.
pub fn ratio_table(cases: &[LocalCase], ours: &str) -> Option<Table> {
    let others = |case: &LocalCase| {
        cases.iter().filter(|other| other.peer != ours && other.bytes == case.bytes).collect::<Vec<_>>()
    };
    let row = |case: &LocalCase, other: &LocalCase| {
        let figure = ratio::of_medians(case, other)?;
        let number = |value: f64| format!("{value:.2}");
        let mut cells = vec![format!("{}, {}", size::told(case.bytes), other.peer)];
        cells.extend([figure.value, figure.low, figure.high].map(number));
        cells.extend([figure.rounds.to_string(), figure.n.to_string()]);
        Some(Row { quoted: false, cells })
    };
    let own = cases.iter().filter(|case| case.peer == ours);
    let rows: Vec<Row> =
        own.flat_map(|case| others(case).into_iter().filter_map(move |other| row(case, other))).collect();
    (!rows.is_empty()).then(|| Table { header: RATIOS.to_vec(), rows })
}

fn row(case: &LocalCase) -> Row {
    let spread = case.spread_us().map_or(NONE.to_owned(), |(least, most)| format!("{least:.1}–{most:.1}"));
    let cells = vec![
        case.peer.clone(),
        case.processes.to_string(),
        case.copies.to_string(),
        case.n.to_string(),
        case.lost.to_string(),
        case.left_out.to_string(),
        us(case.p50_us, 1),
        spread,
        us(case.p99_us, 1),
        us(case.p999_us, 1),
        us(case.worst_us, 1),
        us(case.mean_us, 1),
        us(case.publish_p50_us, 1),
        us(case.publish_p999_us, 1),
    ];
    Row { quoted: false, cells }
}

fn overload_row(case: &OverloadCase) -> Row {
    let mut cells = vec![size::told(case.bytes), case.n.to_string()];
    cells.extend([case.p50_us, case.p999_us, case.worst_us].map(|value| us(value, 3)));
    cells.push(us(case.ratio(), 2));
    cells.extend([case.published, case.got, case.dropped, case.torn].map(|count| count.to_string()));
    Row { quoted: false, cells }
}

/// What is no number is not there (MEA-7).
fn us(value: Option<f64>, decimals: usize) -> String {
    value.filter(|value| value.is_finite()).map_or(NONE.to_owned(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::super::case::tests::case;
    use super::*;

    #[test]
    fn each_size_has_a_table_with_the_peers_in_it() {
        let mut cases =
            vec![case("floor-futex", 64, 40.25), case("iceoryx", 64, 80.0), case("iceoryx", 3_145_728, 90.0)];
        cases[1].p99_us = None;
        let titles = titles(&cases);
        assert_eq!(
            titles.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>(),
            ["64 B, one way, µs", "3 MB, one way, µs"]
        );
        let small = table_of(&cases, 64).to_text();
        assert!(small.contains("40.2–40.2") && small.matches("iceoryx").count() == 1, "{small}");
        assert!(small.lines().any(|line| line.starts_with("iceoryx") && line.contains(NONE)), "{small}");
    }

    #[test]
    fn ratios_of_one_of_ours_stand_beside_everybody_elses() {
        let cases =
            [case("tokkyu-process", 64, 40.0), case("iceoryx", 64, 50.0), case("iceoryx", 4096, 50.0)];
        let shown = ratio_table(&cases, "tokkyu-process").unwrap().to_text();
        assert!(shown.contains("64 B, iceoryx   0.80  0.80  0.80       6  900"), "{shown}");
        assert_eq!(shown.lines().count(), 2);
        assert_eq!(ratio_table(&cases, "tokkyu-thread"), None);
    }

    #[test]
    fn overload_has_a_table_where_it_was_run() {
        let overload =
            OverloadCase { bytes: 64, p50_us: Some(0.13), p999_us: Some(0.26), ..OverloadCase::default() };
        assert!(overload_table(&[overload]).unwrap().to_text().contains("0.130  0.260"));
        assert_eq!(overload_table(&[]), None);
    }
}
