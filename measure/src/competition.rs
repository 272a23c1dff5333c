//! Traffic of others beside the link: what each flow got of the path, and what the images got in the same time.
//!
//! Pure, runs in the tool after a run. Invariants: all rates of a case are payload that arrived within one interval, so
//! that they can be compared; a rate over no time is `None` and not zero. Follows SPEC.md MEA-46, MEA-47 and MEA-54.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::figures::Summary;
use crate::result::{DriveCase, StreamResult};
use crate::table::{Row, Table, ms};

/// Bytes are counted in slots of this length, which are the raw data of a flow.
pub const SLOT: Duration = Duration::from_millis(100);

/// Shorter rests at the end of the interval are in the mean alone: a rate over some milliseconds says nothing.
const LEAST_REST: Duration = Duration::from_millis(500);
const SECOND: Duration = Duration::from_secs(1);
const NONE: &str = "–";

/// What arrived in an interval, and how fast.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Payload that arrived in the interval.
    pub bytes: u64,
    /// Mean over the interval; `None` if the interval has no length.
    pub mbit_s: Option<f64>,
    /// The mean as a share, 0 to 1, of the path's rate, which counts headers too; `None` if the path has no single one.
    pub share: Option<f64>,
    /// Mean of each second.
    #[serde(default)]
    pub series_mbit_s: Vec<f64>,
}

/// One bulk TCP flow beside the link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BesideFlow {
    /// Congestion control, e.g. `cubic`.
    pub algorithm: String,
    /// What it got.
    #[serde(flatten)]
    pub rate: Rate,
}

/// What the images got of the path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImagesRate {
    /// What the cameras offered.
    pub offered_mbit_s: f64,
    /// What was delivered.
    #[serde(flatten)]
    pub rate: Rate,
}

/// The path by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathFacts {
    /// Rate in the images' direction, headers included; `None` if it has no single one.
    pub up_mbit_s: Option<f64>,
    /// Delay in the images' direction, without queue and jitter.
    pub up_ms: f64,
    /// Delay in the commands' direction, without queue and jitter.
    pub down_ms: f64,
}

impl Rate {
    /// What `slots` of [`SLOT`] each come to over `span`, on a path of `path_mbit_s`.
    pub fn new(slots: &[u64], span: Duration, path_mbit_s: Option<f64>) -> Rate {
        let bytes = slots.iter().sum();
        let mean = (!span.is_zero()).then(|| mbit_s(bytes, span));
        let share = mean.zip(path_mbit_s).map(|(mean, path)| thousandths(mean / path));
        Rate { bytes, mbit_s: mean, share, series_mbit_s: series(slots, span) }
    }

    /// The worst second.
    pub fn least_mbit_s(&self) -> Option<f64> {
        self.series_mbit_s.iter().copied().reduce(f64::min)
    }
}

/// The slot that something at `offset` from the begin of the interval falls into.
pub fn slot_of(offset: Duration) -> usize {
    (offset.as_nanos() / SLOT.as_nanos()) as usize
}

/// Slots of an interval, the last one cut short if need be.
pub fn slots_of(span: Duration) -> usize {
    span.as_nanos().div_ceil(SLOT.as_nanos()) as usize
}

fn series(slots: &[u64], span: Duration) -> Vec<f64> {
    let lengths = (0..).map(|second| span.saturating_sub(SECOND * second).min(SECOND));
    let seconds = slots.chunks(slot_of(SECOND)).zip(lengths).filter(|(_, length)| *length >= LEAST_REST);
    seconds.map(|(slots, length)| mbit_s(slots.iter().sum(), length)).collect()
}

/// More than three digits would only look exact.
fn mbit_s(bytes: u64, span: Duration) -> f64 {
    thousandths(bytes as f64 * 8.0 / 1e6 / span.as_secs_f64())
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

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

    const ONE_MBIT: u64 = 125_000;

    #[test]
    fn a_rate_is_the_mean_over_the_interval_and_of_each_second() {
        // MEA-46: 2 s, 10 slots of 1 Mbit, then 10 of none: 10 Mbit/s, then 0.
        let slots = [[ONE_MBIT; 10], [0; 10]].concat();
        let rate = Rate::new(&slots, SECOND * 2, Some(20.0));
        assert_eq!((rate.bytes, rate.mbit_s, rate.share), (10 * ONE_MBIT, Some(5.0), Some(0.25)));
        assert_eq!(rate.series_mbit_s, [10.0, 0.0], "a second without anything is told");
        assert_eq!(rate.least_mbit_s(), Some(0.0));
    }

    #[test]
    fn the_rest_of_an_interval_has_its_own_length_or_is_left_out() {
        let rate = |millis| Rate::new(&[ONE_MBIT; 15], Duration::from_millis(millis), None);
        assert_eq!(rate(1_500).series_mbit_s, [10.0, 10.0], "half a second at the same rate");
        assert_eq!(Rate::new(&[ONE_MBIT; 14], Duration::from_millis(1_400), None).series_mbit_s, [10.0]);
        assert_eq!(rate(1_500).share, None, "the path has no single rate");
        let none = Rate::new(&[0; 15], Duration::ZERO, Some(1.0));
        assert_eq!((none.mbit_s, none.share, none.series_mbit_s.len()), (None, None, 0));
    }

    #[test]
    fn slots_cover_the_interval_whole() {
        let millis = Duration::from_millis;
        assert_eq!([0, 99, 100, 999].map(|at| slot_of(millis(at))), [0, 0, 1, 9]);
        assert_eq!([0, 1, 100, 101].map(|span| slots_of(millis(span))), [0, 1, 1, 2]);
    }

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
