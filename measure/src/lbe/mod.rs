//! Results of the experiment on background traffic: cases, tables, goals.
//!
//! Runs in the tool after a run. All times are virtual (instructions counted), so cases of different starts of a board can be
//! compared; each is compared with the case that has the same queue for the foreground and no background. Follows SPEC.md
//! MEA-80 to MEA-88.
mod goals;
pub mod paper;
pub(crate) mod table;

use std::path::Path;

pub(crate) use goals::{COMPUTATION_BOUND, full_frame_ms};
pub use goals::{Goal, goals};
pub use table::{markdown, text};

use serde::{Deserialize, Serialize};

use crate::result::{ResultError, ResultFile, write_json};

/// What the foreground did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Foreground {
    /// HTTP POST, from connecting to the answer.
    Post,
    /// HTTP GET, from connecting to the last byte.
    Get,
    /// A fixed amount of computation.
    Compute,
    /// Nothing.
    Idle,
    /// A single packet, from `send` to its first bit on the wire.
    React,
}

/// One scheme, one background, one thing that the foreground did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LbeCase {
    /// Release of the kernel.
    pub kernel: String,
    /// Who kept the background away.
    pub scheme: String,
    /// What there was of it: `none`, `tcp1`, `tcp8`, `udp1`.
    pub background: String,
    /// What the foreground did.
    pub direction: Foreground,
    /// Bytes of the body of a request; 0 for what is no transfer.
    pub bytes: u64,
    /// kbit/s of the near end's link.
    pub link_kbps: u32,
    /// Processors of the board. With one, time is virtual and repeats; with more it is the host's.
    pub processors: u32,
    /// Rounds.
    pub n: usize,
    /// Median of the rounds, ms.
    pub median_ms: f64,
    /// 95th percentile, nearest rank.
    pub p95_ms: f64,
    /// Shortest.
    pub best_ms: f64,
    /// Longest.
    pub worst_ms: f64,
    /// Where the middle half of the rounds lies; empty in results of before it was kept.
    #[serde(default)]
    pub spread: Spread,
    /// Median by the median of the same without a background; `None` if that was not run.
    pub ratio_to_none: Option<f64>,
    /// The scheme without a background that `ratio_to_none` is to.
    pub baseline: String,
    /// Instructions of the whole board, both ends of the link, median of the rounds.
    pub instructions: f64,
    /// By the frames that the near end sent.
    pub instructions_per_packet: Option<f64>,
    /// Task switches, median of the rounds.
    pub context_switches: f64,
    /// Bytes of background frames on the wire in all rounds.
    pub background_bytes: u64,
    /// Their share of what the link can send meanwhile, gaps between frames counted in.
    pub background_share: f64,
    /// Remarks for the reader.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl LbeCase {
    /// Whether handling its packets costs the processor something, as on the link of computations.
    pub(crate) fn is_on_fast_link(&self) -> bool {
        self.link_kbps >= FAST_KBPS
    }
}

/// Slowest link whose packets cost the processor something.
const FAST_KBPS: u32 = 10_000;

/// A result with what follows from its cases, as it is written: a reader of cases passes over the rest (MEA-44).
#[derive(Clone, Debug, Serialize)]
pub struct Judged<'a> {
    #[serde(flatten)]
    file: &'a ResultFile<LbeCase>,
    goals: Vec<Goal>,
    paper: Vec<paper::Beside>,
    /// Where what is quoted comes from.
    paper_source: &'static str,
}

impl<'a> Judged<'a> {
    /// The goals of a result, and the paper beside it.
    pub fn of(file: &'a ResultFile<LbeCase>) -> Self {
        let (goals, paper) = (goals(&file.cases), paper::beside_ours(&file.cases));
        Judged { file, goals, paper, paper_source: paper::SOURCE }
    }

    /// Writes it whole or not at all; blocks until it is on the disk.
    ///
    /// # Errors
    /// [`ResultError::Storage`] with file and remedy; what was at `path` before is then still there.
    pub fn write(&self, path: &Path) -> Result<(), ResultError> {
        write_json(self, path)
    }
}

/// Where the middle half of the rounds lies, for each figure that is a median.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spread {
    /// Of `median_ms`.
    pub ms: Option<Quartiles>,
    /// Of `instructions`.
    pub instructions: Option<Quartiles>,
    /// Of `context_switches`.
    pub context_switches: Option<Quartiles>,
}

/// Ends of the middle half of some values, nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// A quarter is not above.
    pub p25: f64,
    /// Three quarters are not above.
    pub p75: f64,
}

/// Two cases are of the same thing but for scheme and background.
fn same_work(a: &LbeCase, b: &LbeCase) -> bool {
    a.kernel == b.kernel
        && (a.direction, a.bytes, a.link_kbps, a.processors)
            == (b.direction, b.bytes, b.link_kbps, b.processors)
}

/// The same work under the case's baseline, if it was run.
fn baseline_of<'a>(cases: &'a [LbeCase], case: &LbeCase) -> Option<&'a LbeCase> {
    cases.iter().find(|other| other.scheme == case.baseline && same_work(other, case))
}

/// `None` where it is no number.
fn quotient(value: f64, by: f64) -> Option<f64> {
    Some(value / by).filter(|quotient| by > 0.0 && quotient.is_finite())
}

/// Fills in what each case is to its baseline.
pub fn compare(cases: &mut [LbeCase]) {
    let ratios: Vec<Option<f64>> =
        cases.iter().map(|case| quotient(case.median_ms, baseline_of(cases, case)?.median_ms)).collect();
    cases.iter_mut().zip(ratios).for_each(|(case, ratio)| case.ratio_to_none = ratio);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn case(
        scheme: &str,
        background: &str,
        direction: Foreground,
        bytes: u64,
        median_ms: f64,
    ) -> LbeCase {
        LbeCase {
            kernel: "6.1".to_owned(),
            scheme: scheme.to_owned(),
            background: background.to_owned(),
            direction,
            bytes,
            link_kbps: 384,
            processors: 1,
            n: 20,
            median_ms,
            p95_ms: median_ms,
            best_ms: median_ms,
            worst_ms: median_ms,
            spread: Spread { ms: Some(Quartiles { p25: median_ms, p75: median_ms }), ..Spread::default() },
            ratio_to_none: None,
            baseline: "none".to_owned(),
            instructions: 1e6,
            instructions_per_packet: Some(1e4),
            context_switches: 50.0,
            background_bytes: 0,
            background_share: 0.0,
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_case_is_compared_with_the_same_work_alone() {
        let mut cases = [
            case("none", "none", Foreground::Post, 1000, 200.0),
            case("none", "none", Foreground::Post, 2000, 300.0),
            case("lbe", "tcp8", Foreground::Post, 2000, 330.0),
            case("lbe", "tcp8", Foreground::Get, 2000, 330.0),
        ];
        compare(&mut cases);
        assert_eq!(cases[0].ratio_to_none, Some(1.0));
        assert_eq!(cases[2].ratio_to_none, Some(1.1));
        assert_eq!(cases[3].ratio_to_none, None);
    }

    #[test]
    fn nothing_is_compared_with_a_baseline_of_no_time() {
        let mut cases = [
            case("none", "none", Foreground::Post, 1000, 0.0),
            case("lbe", "tcp8", Foreground::Post, 1000, 330.0),
        ];
        compare(&mut cases);
        assert_eq!(cases.map(|case| case.ratio_to_none), [None, None]);
    }

    #[test]
    fn a_result_of_before_the_spread_was_kept_is_read() {
        let mut json = serde_json::to_value(case("lbe", "tcp8", Foreground::Post, 1000, 330.0)).unwrap();
        assert_eq!(json["spread"]["ms"]["p75"], 330.0);
        json.as_object_mut().unwrap().remove("spread");
        assert_eq!(serde_json::from_value::<LbeCase>(json).unwrap().spread, Spread::default());
    }

    #[test]
    fn a_result_holds_goals_and_the_paper_and_is_read_as_before() {
        let cases = vec![
            case("none", "none", Foreground::Post, 100_000, 200.0),
            case("lbe", "tcp8", Foreground::Post, 100_000, 202.0),
        ];
        let file = ResultFile::new("lbe", "c", crate::environment::Environment::default(), cases);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("result.json");
        Judged::of(&file).write(&path).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert!(json["goals"][0]["wanted"].as_str().unwrap().contains("POST of 100 KB"), "{json}");
        let alone = json["paper"].as_array().unwrap().iter().find(|line| line["place"] == "figure 7");
        assert_eq!(alone.unwrap()["paper_figure"], serde_json::Value::Null);
        assert_eq!(ResultFile::<LbeCase>::read(&path).unwrap(), file);
    }
}
