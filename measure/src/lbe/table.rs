//! Tables of cases, for a terminal and for documents: one for each kernel and each thing that the foreground did.

use super::case::{Foreground, LbeCase, Quartiles, kilobytes};
use super::paper;
use crate::table::{NONE, Row, Table};

const HEADER: [&str; 13] = [
    "scheme, background",
    "n",
    "median ms",
    "p25–p75 ms",
    "p95 ms",
    "best ms",
    "worst ms",
    "to none",
    "instructions k",
    "a packet k",
    "switches",
    "background kB",
    "share %",
];

/// One table for each kernel.
pub(crate) fn beside_paper(cases: &[LbeCase]) -> Vec<(String, Table)> {
    let lines = paper::beside_ours(cases);
    let of_kernel = |lines: &[paper::Beside]| {
        let title = format!("The paper beside ours, Linux {}", lines[0].kernel);
        (title, paper::table(lines))
    };
    lines.chunk_by(|one, next| one.kernel == next.kernel).map(of_kernel).collect()
}

/// One table for each kernel and each thing that the foreground did, in the order in which they were run.
pub(crate) fn titled(cases: &[LbeCase]) -> Vec<(String, Table)> {
    let mut tables: Vec<(String, Table)> = Vec::new();
    for case in cases {
        let title = title(case);
        let row = Row { quoted: false, cells: cells(case) };
        match tables.iter_mut().find(|(known, _)| *known == title) {
            Some((_, table)) => table.rows.push(row),
            None => tables.push((title, Table { header: HEADER.to_vec(), rows: vec![row] })),
        }
    }
    tables
}

fn title(case: &LbeCase) -> String {
    let processors = match case.processors {
        1 => String::new(),
        more => format!(", {more} processors in the host's time"),
    };
    format!("{}, link of {} kbit/s, Linux {}{processors}", what(case), case.link_kbps, case.kernel)
}

/// What the foreground did, in words.
pub(crate) fn what(case: &LbeCase) -> String {
    match case.direction {
        Foreground::Post => format!("POST {}", kilobytes(case.bytes)),
        Foreground::Get => format!("GET {}", kilobytes(case.bytes)),
        Foreground::Compute => "Computation".to_owned(),
        Foreground::Idle => "Nothing in the foreground".to_owned(),
        Foreground::React => "One packet, until the wire takes it".to_owned(),
    }
}

fn cells(case: &LbeCase) -> Vec<String> {
    let mut cells = vec![format!("{}, {}", case.scheme, case.background), case.n.to_string()];
    cells.push(number(Some(case.median_ms), 2));
    cells.push(middle_half(case.spread.ms));
    cells.extend([case.p95_ms, case.best_ms, case.worst_ms].map(|ms| number(Some(ms), 2)));
    cells.push(number(case.ratio_to_none, 4));
    cells.push(number(Some(case.instructions / 1e3), 0));
    cells.push(number(case.instructions_per_packet.map(|count| count / 1e3), 2));
    cells.push(number(Some(case.context_switches), 0));
    cells.push(number(Some(case.background_bytes as f64 / 1e3), 0));
    cells.push(number(Some(case.background_share * 100.0), 1));
    cells
}

/// What is no number is not there (MEA-7).
fn number(value: Option<f64>, places: usize) -> String {
    let value = value.filter(|value| value.is_finite());
    value.map_or(NONE.to_owned(), |value| format!("{value:.places$}"))
}

fn middle_half(quartiles: Option<Quartiles>) -> String {
    let ends = quartiles.filter(|ends| ends.p25.is_finite() && ends.p75.is_finite());
    ends.map_or(NONE.to_owned(), |Quartiles { p25, p75 }| format!("{p25:.2}–{p75:.2}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::case;
    use super::*;

    #[test]
    fn each_thing_done_has_a_table_with_all_schemes() {
        let cases = [
            case("none", "none", Foreground::Post, 1000, 200.0),
            case("none", "none", Foreground::Get, 1500, 200.0),
            case("lbe", "tcp8", Foreground::Post, 1000, 210.0),
        ];
        let titled = titled(&cases);
        let titles: Vec<&str> = titled.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(
            titles,
            ["POST 1 KB, link of 384 kbit/s, Linux 6.1", "GET 1500 B, link of 384 kbit/s, Linux 6.1"]
        );
        let told = titled[0].1.to_markdown();
        assert!(told.contains("| lbe, tcp8 | 20 | 210.00 | 210.00–210.00 |"), "{told}");
    }

    #[test]
    fn the_paper_stands_beside() {
        // MEA-87
        let cases = [
            case("task", "tcp8", Foreground::Get, 400_000, 4_000.0),
            case("lbe", "tcp8", Foreground::Get, 400_000, 4_000.0),
        ];
        let shown = beside_paper(&cases)[0].1.to_text();
        for part in ["1.098 (4.04 / 3.68 s, 400 KB)", "400 KB: 1.000", "1400 ms"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn what_is_no_number_is_not_there() {
        let mut odd = case("lbe", "tcp8", Foreground::Post, 1000, f64::NAN);
        (odd.instructions, odd.background_share) = (f64::INFINITY, f64::NAN);
        odd.spread = super::super::Spread::default();
        let cells = cells(&odd);
        assert_eq!(cells.iter().filter(|cell| *cell == NONE).count(), 8, "{cells:?}");
        assert_eq!(cells.len(), HEADER.len());
    }
}
