//! Cases of the drive as text and Markdown: a row for each stream, the paper's below it. Rules: SPEC.md MEA-50 to MEA-54.

use crate::figures::Summary;
use crate::paper::{self, PaperRow};
use crate::table::{NONE, Row, Table, ms, percent};

use super::case::DriveCase;
use super::stream::StreamResult;

/// The table of one case: a row for each stream, below it the paper's row where there is one.
pub fn drive_table(case: &DriveCase) -> Table {
    let header =
        vec!["stream", "mean ms", "worst ms", "best ms", "sd ms", "p99 ms", "≤ 500 ms %", "missed", "of"];
    let mut rows = Vec::new();
    for stream in &case.streams {
        rows.push(own_row(stream));
        rows.extend(paper_row_of(case, stream).map(quoted_row));
    }
    Table { header, rows }
}

fn own_row(stream: &StreamResult) -> Row {
    let Summary { mean_ms, worst_ms, best_ms, sd_ms, inside, .. } = &stream.figures;
    let mut cells = vec![stream.name.clone()];
    cells.extend([*mean_ms, *worst_ms, *best_ms, *sd_ms, stream.p99_ms()].map(ms));
    cells.extend([percent(inside.ms_500), stream.missed().to_string(), stream.ledger.offered.to_string()]);
    Row { quoted: false, cells }
}

fn paper_row_of(case: &DriveCase, stream: &StreamResult) -> Option<&'static PaperRow> {
    paper::row(paper::network_beside(&case.network), case.images, stream.image()?, case.condition?)
}

fn quoted_row(row: &PaperRow) -> Row {
    let mut cells = vec![format!("  paper: image {}", row.image)];
    cells.extend([row.mean_ms, row.worst_ms, row.best_ms, row.sd_ms].map(|value| ms(Some(value))));
    cells.extend([NONE.to_owned(), NONE.to_owned(), row.lost.to_string(), paper::SAMPLES.to_string()]);
    Row { quoted: true, cells }
}

/// Which case it is, in one line.
pub fn case_title(case: &DriveCase) -> String {
    let simulated = if case.simulated { ", simulated" } else { "" };
    let images = if case.images == 1 { "image" } else { "images" };
    format!(
        "{}, {} {images}, {} {}, {}, run {}, seed {}{simulated}",
        case.network, case.images, case.peer, case.variant, case.qos, case.run, case.seed
    )
}

/// What a case cost and what the network alone would have cost, in one line.
pub fn summary_line(case: &DriveCase) -> String {
    let wire = match case.wire_ratio() {
        Some(ratio) => format!("wire/payload {ratio:.3}"),
        None => "wire/payload not counted".to_owned(),
    };
    let ideal = match case.ideal {
        Some(ideal) => {
            format!("ideal transport mean {:.1} ms, worst {:.1} ms", ideal.mean_ms, ideal.worst_ms)
        }
        None => "ideal transport not worked out".to_owned(),
    };
    let mut parts = vec![wire, ideal];
    parts.extend(outcomes_beside_delivered(case));
    parts.join("; ")
}

/// What became of the samples that were missed, where any were.
fn outcomes_beside_delivered(case: &DriveCase) -> Option<String> {
    let words: Vec<String> = case
        .streams
        .iter()
        .filter(|stream| stream.missed() > 0)
        .map(|stream| {
            let ledger = &stream.ledger;
            format!(
                "{} late {} expired {} dropped {} lost {}",
                stream.name, ledger.late, ledger.expired, ledger.dropped, ledger.lost
            )
        })
        .collect();
    (!words.is_empty()).then(|| format!("missed: {}", words.join(", ")))
}

/// What has to be known beside a case's table and verdict: whose rows are quoted, and the notes of the run.
pub fn remarks(case: &DriveCase) -> impl Iterator<Item = &str> {
    let is_instead = case.condition.is_some() && !paper::measured(&case.network);
    is_instead.then_some(paper::INSTEAD).into_iter().chain(case.notes.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Ideal;
    use crate::figures::Inside;
    use tokkyu_contract::Ledger;

    fn case() -> DriveCase {
        let figures = Summary {
            n: 9_999,
            mean_ms: Some(13.04),
            worst_ms: Some(212.3),
            best_ms: Some(2.7),
            sd_ms: Some(20.0),
            p99_ms: Some(99.9),
            inside: Inside { ms_500: Some(0.9999), ..Inside::default() },
            ..Summary::default()
        };
        let ledger = Ledger { offered: 10_000, delivered: 9_999, expired: 1, ..Ledger::default() };
        let camera = StreamResult { name: "camera/1".into(), ledger, figures };
        let command = StreamResult { name: "drive/command".into(), ..StreamResult::default() };
        DriveCase {
            network: "lan-loss5".into(),
            peer: "tokkyu".into(),
            variant: "default".into(),
            qos: "reliable keep_last 1".into(),
            condition: Some(2),
            images: 1,
            wire_bytes: Some(1_080),
            payload_bytes: Some(1_000),
            ideal: Some(Ideal { mean_ms: 3.2, worst_ms: 4.5 }),
            streams: vec![camera, command],
            ..DriveCase::default()
        }
    }

    #[test]
    fn the_papers_row_stands_below_our_own() {
        let text = drive_table(&case()).to_text();
        let lines: Vec<&str> = text.lines().collect();
        let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            cells(lines[1]),
            ["camera/1", "13.0", "212.3", "2.7", "20.0", "99.9", "99.99", "1", "10000"]
        );
        assert_eq!(
            cells(lines[2]),
            ["paper:", "image", "1", "15.4", "401.8", "2.6", "30.4", "–", "–", "9", "10000"]
        );
        assert_eq!(cells(lines[3]), ["drive/command", "–", "–", "–", "–", "–", "–", "0", "0"]);
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn a_case_that_answers_none_of_the_papers_has_only_our_rows() {
        for other in [DriveCase { condition: None, ..case() }, DriveCase { images: 5, ..case() }] {
            assert!(drive_table(&other).rows.iter().all(|row| !row.quoted));
        }
    }

    #[test]
    fn other_networks_are_shown_beside_the_papers_bad_one_and_say_so() {
        let on = |network: &str| DriveCase { network: network.into(), ..case() };
        let told = |case: &DriveCase| remarks(case).any(|remark| remark.contains("quoted are its rows"));
        let quoted = |network| told(&on(network));
        assert_eq!(["lan", "lan-loss5", "wan-loss5", "narrow"].map(quoted), [false, false, true, true]);
        let mean = |network| drive_table(&on(network)).rows[1].cells[1].clone();
        assert_eq!(mean("wan-loss5"), mean("lan-loss5"));
        assert_ne!(mean("wan-loss5"), mean("lan"));
        let uncompared = DriveCase { condition: None, ..on("wan-loss5") };
        assert!(!told(&uncompared));
    }

    #[test]
    fn columns_of_the_text_table_line_up() {
        let text = drive_table(&case()).to_text();
        let ends: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{text}");
    }

    #[test]
    fn the_summary_tells_overhead_ideal_and_what_became_of_missed_samples() {
        let line = summary_line(&case());
        assert!(line.contains("wire/payload 1.080"), "{line}");
        assert!(line.contains("ideal transport mean 3.2 ms, worst 4.5 ms"), "{line}");
        assert!(line.contains("camera/1 late 0 expired 1 dropped 0 lost 0"), "{line}");
        let unknown = summary_line(&DriveCase { wire_bytes: None, ideal: None, ..case() });
        assert!(unknown.contains("not counted") && unknown.contains("not worked out"), "{unknown}");
    }

    #[test]
    fn a_share_is_never_rounded_up_to_all() {
        assert_eq!(percent(Some(0.999_999)), "99.99");
        assert_eq!(percent(Some(1.0)), "100.00");
        assert_eq!(percent(Some(0.57)), "57.00", "nor down by a binary fraction");
        assert_eq!(percent(None), NONE);
    }

    #[test]
    fn markdown_has_one_cell_for_each_column_whatever_a_name_contains() {
        let mut odd = case();
        odd.streams[0].name = "camera|1\n<b>".into();
        let markdown = drive_table(&odd).to_markdown();
        assert!(markdown.contains(r"| camera\|1 \<b> |"), "{markdown}");
        for line in markdown.lines() {
            let bars = line.replace(r"\|", "").matches('|').count();
            assert_eq!(bars, odd_columns() + 1, "{line}");
        }
    }

    fn odd_columns() -> usize {
        drive_table(&case()).header.len()
    }
}
