//! Results of the experiment on background traffic: cases, tables, goals.
//!
//! Runs in the tool after a run. All times are virtual (instructions counted), so cases of different starts of a board can be
//! compared; each is compared with the case that has the same queue for the foreground and no background. Follows SPEC.md
//! MEA-80 to MEA-88.
mod case;
mod goals;
pub mod paper;
pub(crate) mod table;

pub use case::{Foreground, LbeCase, Quartiles, Spread, compare};
pub use goals::goals;
pub(crate) use goals::{COMPUTATION_BOUND, full_frame_ms};

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
            rounds_ms: Vec::new(),
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
}
