//! Traffic of others beside the link, told: what each flow got of the path, and what the images got in the same time.
//!
//! Pure, runs in the tool after a run. Follows SPEC.md MEA-46, MEA-47 and MEA-54.

use crate::competition::{BesideFlow, PathFacts, Rate};
use crate::figures::Summary;
use crate::table::{NONE, Row, Table, ms};

use super::case::DriveCase;
use super::stream::StreamResult;

/// Who got what of the path, and how old it was; `None` for a case without traffic of others.
pub fn competition_table(case: &DriveCase) -> Option<Table> {
    if case.beside.is_empty() {
        return None;
    }
    let header = vec!["beside", "Mbit/s", "share %", "least Mbit/s in 1 s", "p50 ms", "p99 ms", "worst ms"];
    let flow = |flow: &BesideFlow| row(format!("TCP {}", flow.algorithm), Some(&flow.rate), [None; 3]);
    let mut rows: Vec<Row> = case.beside.iter().map(flow).collect();
    rows.push(images_row(case));
    let others = case.streams.iter().filter(|stream| !stream.is_camera());
    rows.extend(others.map(|stream| row(stream.name.clone(), None, ages(&stream.figures))));
    rows.extend(case.path.map(path_rows).into_iter().flatten());
    Some(Table { header, rows })
}

/// Of the ages the worst camera counts.
fn images_row(case: &DriveCase) -> Row {
    let cameras: Vec<&StreamResult> = case.streams.iter().filter(|stream| stream.is_camera()).collect();
    let worst = |age: usize| cameras.iter().filter_map(|c| ages(&c.figures)[age]).reduce(f64::max);
    let name = match &case.images_rate {
        Some(images) => format!("images, {:.1} Mbit/s offered", images.offered_mbit_s),
        None => "images".to_owned(),
    };
    row(name, case.images_rate.as_ref().map(|images| &images.rate), [0, 1, 2].map(worst))
}

/// What nobody can beat: the rate there is, and the delay without any queue.
fn path_rows(path: PathFacts) -> [Row; 2] {
    let rate = Rate { mbit_s: path.up_mbit_s, ..Rate::default() };
    let delay = |value: f64| [Some(value), None, None];
    [
        row("the path alone, for images".to_owned(), Some(&rate), delay(path.up_ms)),
        row("the path alone, for commands".to_owned(), None, delay(path.down_ms)),
    ]
}

fn ages(figures: &Summary) -> [Option<f64>; 3] {
    [figures.p50_ms, figures.p99_ms, figures.worst_ms]
}

fn row(name: String, rate: Option<&Rate>, ages: [Option<f64>; 3]) -> Row {
    let one_decimal = |value: Option<f64>| value.map_or(NONE.to_owned(), |value| format!("{value:.1}"));
    let share = rate.and_then(|rate| rate.share).map(|share| share * 100.0);
    let rates = [rate.and_then(|rate| rate.mbit_s), share, rate.and_then(Rate::least_mbit_s)];
    let mut cells = vec![name];
    cells.extend(rates.map(one_decimal));
    cells.extend(ages.map(ms));
    Row { quoted: false, cells }
}

/// Mbit/s of each second, a line for each flow: a flow that starves for a second shows here.
pub fn series_lines(case: &DriveCase) -> Vec<String> {
    if case.beside.is_empty() {
        return Vec::new();
    }
    let flows = case.beside.iter().map(|flow| (format!("TCP {}", flow.algorithm), &flow.rate));
    let images = case.images_rate.iter().map(|images| ("images".to_owned(), &images.rate));
    let line = |(name, rate): (String, &Rate)| {
        let seconds: Vec<String> = rate.series_mbit_s.iter().map(|value| format!("{value:.1}")).collect();
        format!("{name}, Mbit/s in each second: {}", seconds.join(" "))
    };
    flows.chain(images).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::competition::ImagesRate;
    use std::time::Duration;

    const ONE_MBIT: u64 = 125_000;
    const SECOND: Duration = Duration::from_secs(1);

    fn case() -> DriveCase {
        let stream = |name: &str, p50_ms| StreamResult {
            name: name.into(),
            figures: Summary { p50_ms: Some(p50_ms), p99_ms: Some(90.0), ..Summary::default() },
            ..StreamResult::default()
        };
        let rate = |slot| Rate::new(&[slot; 10], SECOND, Some(40.0));
        DriveCase {
            beside: vec![BesideFlow { algorithm: "bbr".into(), rate: rate(ONE_MBIT) }],
            images_rate: Some(ImagesRate { offered_mbit_s: 30.0, rate: rate(2 * ONE_MBIT) }),
            path: Some(PathFacts { up_mbit_s: Some(40.0), up_ms: 25.0, down_ms: 20.0 }),
            streams: vec![stream("camera/1", 60.0), stream("camera/2", 70.0), stream("drive/command", 21.0)],
            ..DriveCase::default()
        }
    }

    #[test]
    fn the_table_has_every_flow_the_images_the_commands_and_the_path() {
        let table = competition_table(&case()).unwrap();
        let cells: Vec<Vec<&str>> =
            table.rows.iter().map(|row| row.cells.iter().map(String::as_str).collect()).collect();
        assert_eq!(cells[0], ["TCP bbr", "10.0", "25.0", "10.0", "–", "–", "–"]);
        assert_eq!(cells[1], ["images, 30.0 Mbit/s offered", "20.0", "50.0", "20.0", "70.0", "90.0", "–"]);
        assert_eq!(cells[2], ["drive/command", "–", "–", "–", "21.0", "90.0", "–"]);
        assert_eq!(cells[3], ["the path alone, for images", "40.0", "–", "–", "25.0", "–", "–"]);
        assert_eq!(cells[4], ["the path alone, for commands", "–", "–", "–", "20.0", "–", "–"]);
        assert!(cells.iter().all(|row| row.len() == table.header.len()));
        assert_eq!(series_lines(&case())[0], "TCP bbr, Mbit/s in each second: 10.0");
    }

    #[test]
    fn a_case_alone_on_its_path_has_no_such_table() {
        let alone = DriveCase { beside: vec![], ..case() };
        assert_eq!((competition_table(&alone), series_lines(&alone)), (None, vec![]));
    }

    #[test]
    fn a_flow_and_the_images_have_the_names_that_readers_rely_on() {
        // MEA-46, MEA-47
        let json = serde_json::to_value(case()).unwrap();
        for name in ["algorithm", "bytes", "mbit_s", "share", "series_mbit_s"] {
            assert!(json["beside"][0].get(name).is_some(), "flow lacks {name}");
        }
        for name in ["offered_mbit_s", "bytes", "mbit_s", "share", "series_mbit_s"] {
            assert!(json["images_rate"].get(name).is_some(), "images lack {name}");
        }
        assert_eq!(json["path"]["down_ms"], 20.0);
        assert_eq!(serde_json::from_value::<DriveCase>(json).unwrap(), case());
    }
}
