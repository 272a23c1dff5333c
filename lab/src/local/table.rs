//! Tables of cases, for a terminal and for documents.

use tokkyu_measure::table::{Row, Table};

use super::case::LocalCase;
use super::goals::goals;
use super::overload::OverloadCase;
use super::size;

const HEADER: [&str; 13] = [
    "peer",
    "processes",
    "copies",
    "n",
    "lost",
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
const NONE: &str = "–";

/// All tables and the goals, as aligned text.
pub fn text(cases: &[LocalCase], overload: &[OverloadCase]) -> String {
    let tables =
        titled(cases, overload).into_iter().map(|(title, table)| format!("{title}\n{}\n", table.to_text()));
    let goals: String = goals(cases, overload).iter().map(|goal| format!("{goal}\n")).collect();
    format!("{}goals\n{goals}", tables.collect::<String>())
}

/// The same as Markdown.
pub fn markdown(cases: &[LocalCase], overload: &[OverloadCase]) -> String {
    let tables = titled(cases, overload)
        .into_iter()
        .map(|(title, table)| format!("## {title}\n\n{}\n", table.to_markdown()));
    let goals: String = goals(cases, overload).iter().map(|goal| format!("- {goal}\n")).collect();
    format!("{}## Goals\n\n{goals}", tables.collect::<String>())
}

/// One table for each size, and one of the overload.
fn titled(cases: &[LocalCase], overload: &[OverloadCase]) -> Vec<(String, Table)> {
    let mut sizes: Vec<u64> = cases.iter().map(|case| case.bytes).collect();
    sizes.dedup();
    let of = |bytes: u64| {
        let rows = cases.iter().filter(|case| case.bytes == bytes).map(row);
        let table = Table { header: HEADER.to_vec(), rows: rows.collect() };
        (format!("{}, one way, µs", size::told(bytes)), table)
    };
    let mut titled: Vec<(String, Table)> = sizes.into_iter().map(of).collect();
    if !overload.is_empty() {
        let rows = overload.iter().map(overload_row).collect();
        let title = "publisher at 10 times the subscriber's rate, µs".to_owned();
        titled.push((title, Table { header: OVERLOAD.to_vec(), rows }));
    }
    titled
}

fn row(case: &LocalCase) -> Row {
    let spread = case.spread_us().map_or(NONE.to_owned(), |(least, most)| format!("{least:.1}–{most:.1}"));
    let cells = vec![
        case.peer.clone(),
        case.processes.to_string(),
        case.copies.to_string(),
        case.n.to_string(),
        case.lost.to_string(),
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
    fn each_size_has_a_table_with_the_peers_in_it_and_the_goals_follow() {
        let mut cases =
            vec![case("floor-futex", 64, 40.25), case("iceoryx", 64, 80.0), case("iceoryx", 3_145_728, 90.0)];
        cases[1].p99_us = None;
        let overload =
            OverloadCase { bytes: 64, p50_us: Some(0.13), p999_us: Some(0.26), ..OverloadCase::default() };
        let shown = text(&cases, std::slice::from_ref(&overload));
        let small = shown.split("3 MB, one way").next().unwrap();
        assert!(small.starts_with("64 B, one way, µs\n") && small.contains("40.2–40.2"), "{shown}");
        assert_eq!(small.matches("iceoryx").count(), 1, "{shown}");
        assert!(small.lines().any(|line| line.starts_with("iceoryx") && line.contains(NONE)), "{shown}");
        assert!(shown.contains("0.130  0.260") && shown.contains("goals\nnot judged: in process"), "{shown}");
        let shown = markdown(&cases, &[]);
        assert!(
            shown.contains("## 3 MB, one way, µs\n\n| peer |")
                && !shown.contains("publisher at 10 times the subscriber's rate, µs"),
            "{shown}"
        );
    }
}
