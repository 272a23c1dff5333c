//! Rounds of a peer at one size, put together (LAB-86, LAB-89).

use std::path::PathBuf;

use tokkyu_measure::local::{LocalCase, OverloadCase};
use tokkyu_measure::repetitions::median;

use super::records::{OverloadTimes, Times};
use super::summary::{OverloadSummary, Summary};

/// Of these rounds; nothing where there is none.
pub(super) fn latencies(rounds: &[(u32, &Times, &Summary)], records: Vec<PathBuf>) -> Option<LocalCase> {
    let (_, _, said) = rounds.first()?;
    let mut all = Times::default();
    rounds.iter().for_each(|(_, times, _)| all.merge(times));
    // What did not come is later than all that did: it has its place in each percentile, which is told where there are enough for it.
    let of_round = |(round, times, _): &(u32, &Times, &Summary)| {
        Some((*round, us(times.figures.summary(times.published()).p50_ms)?))
    };
    let (round_numbers, p50_rounds_us): (Vec<u32>, Vec<f64>) = rounds.iter().filter_map(of_round).unzip();
    let (latency, calls) = (all.figures.summary(all.published()), all.calls.summary(all.calls.n()));
    Some(LocalCase {
        peer: said.peer.clone(),
        bytes: said.bytes,
        copies: said.copies,
        processes: said.processes,
        library: said.library.clone(),
        version: said.version.clone(),
        n: all.figures.n(),
        lost: all.lost,
        left_out: all.left_out,
        // Between two rounds there may be half a nanosecond.
        p50_us: median(p50_rounds_us.iter().copied()).map(|us| (us * 1e4).round() / 1e4),
        p50_rounds_us,
        round_numbers,
        p99_us: us(latency.p99_ms),
        p999_us: us(latency.p999_ms),
        worst_us: us(latency.worst_ms),
        mean_us: us(latency.mean_ms),
        publish_p50_us: us(calls.p50_ms),
        publish_p999_us: us(calls.p999_ms),
        spikes: rounds.iter().map(|(_, times, _)| times.spikes.count).sum(),
        periodic_rounds: rounds.iter().filter_map(|(_, times, _)| times.spikes.periodic).collect(),
        records,
    })
}

/// Of these rounds; nothing where there is none.
pub(super) fn overload(rounds: &[(&OverloadTimes, &OverloadSummary)]) -> Option<OverloadCase> {
    let (_, said) = rounds.first()?;
    let mut case = OverloadCase { bytes: said.bytes, ..OverloadCase::default() };
    let mut all = OverloadTimes::default();
    for (times, said) in rounds {
        all.merge(times);
        case.published += said.published;
        case.got += said.got;
        case.dropped += said.dropped;
        case.torn += said.torn;
    }
    let (calls, floor) = (all.calls.summary(all.calls.n()), all.floor.summary(all.floor.n()));
    case.n = calls.n;
    (case.p50_us, case.p999_us, case.worst_us) = (us(calls.p50_ms), us(calls.p999_ms), us(calls.worst_ms));
    (case.floor_p50_us, case.floor_p999_us) = (us(floor.p50_ms), us(floor.p999_ms));
    Some(case)
}

/// Nanoseconds are the finest that was measured.
fn us(ms: Option<f64>) -> Option<f64> {
    ms.map(|ms| (ms * 1e6).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::super::findings::{cases, tests::finding};
    use super::*;

    #[test]
    fn the_median_is_that_of_the_rounds_and_the_rest_of_all_samples() {
        // One round in which the machine did something else: of all samples 30 would be the middle one.
        let rounds = [
            finding("iceoryx", 0, &[10, 20, 30]),
            finding("iceoryx", 1, &[11, 21, 31]),
            finding("iceoryx", 2, &[500, 600, 700, 800, 900, 1_000, 1_100]),
        ];
        let case = cases(&rounds).remove(0);
        assert_eq!(case.p50_us, Some(21.0));
        assert_eq!(case.spread_us(), Some((20.0, 800.0)));
        assert_eq!((case.n, case.worst_us, case.p99_us), (13, Some(1_100.0), None), "thirteen carry no p99");
        let mean = (10 + 20 + 30 + 11 + 21 + 31 + 500 + 600 + 700 + 800 + 900 + 1_000 + 1_100) as f64 / 13.0;
        assert!((case.mean_us.unwrap() - mean).abs() < 0.001);
    }

    #[test]
    fn what_was_lost_is_later_than_all_that_came() {
        let of = |lost: u64| {
            let mut times = Times { lost, ..Times::default() };
            (1..=100).for_each(|us| times.figures.record(us * 1_000));
            latencies(&[(0, &times, &Summary::default())], Vec::new()).unwrap()
        };
        assert_eq!((of(0).p50_us, of(0).p99_us), (Some(50.0), Some(99.0)));
        assert_eq!((of(2).p50_us, of(2).p99_us), (Some(51.0), None));
        assert_eq!(of(101).p50_us, None, "more than half never came");
    }

    #[test]
    fn rounds_of_overload_are_one_and_what_is_not_accounted_for_shows() {
        let times = |ns: &[u64]| {
            let mut times = OverloadTimes::default();
            ns.iter().for_each(|&ns| times.calls.record(ns));
            ns.iter().for_each(|&ns| times.floor.record(ns / 2));
            times
        };
        let said = |published, got, dropped| OverloadSummary {
            bytes: 64,
            published,
            got,
            dropped,
            ..Default::default()
        };
        let (one, other) = (times(&[100; 600]), times(&[240; 400]));
        let (first, second) = (said(10, 3, 7), said(12, 3, 8));
        let case = super::overload(&[(&one, &first), (&other, &second)]).unwrap();
        assert_eq!((case.n, case.p50_us, case.p999_us), (1_000, Some(0.1), Some(0.24)));
        assert_eq!((case.ratio(), case.gap()), (Some(2.4), 1));
        assert_eq!((case.floor_p50_us, case.floor_ratio()), (Some(0.05), Some(2.4)));
        assert_eq!(super::overload(&[(&one, &first)]).unwrap().gap(), 0);
        assert_eq!(super::overload(&[]), None);
    }
}
