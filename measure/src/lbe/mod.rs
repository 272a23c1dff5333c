//! Results of the experiment on background traffic: cases, tables, goals.
//!
//! Runs in the tool after a run. All times are virtual (instructions counted), so cases of different starts of a board can be
//! compared; each is compared with the case that has the same queue for the foreground and no background. Follows SPEC.md
//! MEA-80 to MEA-88.
mod case;
mod goals;
pub mod paper;
pub(crate) mod table;

use std::path::Path;

pub use case::{Foreground, LbeCase, Quartiles, Spread, compare};
pub(crate) use goals::{COMPUTATION_BOUND, full_frame_ms};
pub use goals::{Goal, goals};
pub use table::{markdown, text};

use serde::Serialize;

use crate::result::{ResultError, ResultFile, write_json};

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
