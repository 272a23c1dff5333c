//! One peer at one size: its figures (LAB-86).

use std::path::PathBuf;

use serde_json::{Value, json};
use tokkyu_measure::Figures;
use tokkyu_measure::repetitions::median;

use super::records::Times;
use super::summary::Summary;

/// Figures of one peer at one size, all rounds together. Times in µs; `None`: there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalCase {
    /// Who.
    pub peer: String,
    /// Of a message.
    pub bytes: u64,
    /// Of the payload.
    pub copies: u64,
    /// One: two threads of it.
    pub processes: u64,
    /// What carried the messages, and its version.
    pub library: String,
    /// Of the library.
    pub version: String,
    /// Samples with a latency.
    pub n: u64,
    /// Samples that did not arrive.
    pub lost: u64,
    /// Median of the rounds' medians.
    pub p50_us: Option<f64>,
    /// The median of each round that has one.
    pub p50_rounds_us: Vec<f64>,
    /// Which rounds those are, from 0.
    pub round_numbers: Vec<u32>,
    /// Of all samples, as what follows.
    pub p99_us: Option<f64>,
    /// 99.9th percentile.
    pub p999_us: Option<f64>,
    /// Largest.
    pub worst_us: Option<f64>,
    /// Arithmetic mean.
    pub mean_us: Option<f64>,
    /// Samples that took more than twice the mean of their round.
    pub spikes: u64,
    /// Of the period that those keep best, in each round that is long enough: the share of its occurrences that are spikes.
    pub periodic_rounds: Vec<f64>,
    /// The call that publishes, of all samples: median.
    pub publish_p50_us: Option<f64>,
    /// 99.9th percentile.
    pub publish_p999_us: Option<f64>,
    /// Raw records of each round, seen from the result.
    pub records: Vec<PathBuf>,
}

impl LocalCase {
    /// Of these rounds; nothing where there is none.
    pub(super) fn of(rounds: &[(u32, &Times, &Summary)], records: Vec<PathBuf>) -> Option<LocalCase> {
        let (_, _, said) = rounds.first()?;
        let mut all = Times::default();
        rounds.iter().for_each(|(_, times, _)| all.merge(times));
        let of_round =
            |(round, times, _): &(u32, &Times, &Summary)| Some((*round, percentile_us(&times.figures, 500)?));
        let (round_numbers, p50_rounds_us): (Vec<u32>, Vec<f64>) = rounds.iter().filter_map(of_round).unzip();
        Some(LocalCase {
            peer: said.peer.clone(),
            bytes: said.bytes,
            copies: said.copies,
            processes: said.processes,
            library: said.library.clone(),
            version: said.version.clone(),
            n: all.figures.n(),
            lost: all.lost,
            p50_us: median(p50_rounds_us.iter().copied()),
            p50_rounds_us,
            round_numbers,
            p99_us: percentile_us(&all.figures, 990),
            p999_us: percentile_us(&all.figures, 999),
            worst_us: us(all.figures.worst_ms()),
            mean_us: us(all.figures.mean_ms()),
            publish_p50_us: percentile_us(&all.calls, 500),
            publish_p999_us: percentile_us(&all.calls, 999),
            spikes: rounds.iter().map(|(_, times, _)| times.spikes.count).sum(),
            periodic_rounds: rounds.iter().filter_map(|(_, times, _)| times.spikes.periodic).collect(),
            records,
        })
    }

    /// Rounds with a median.
    pub fn rounds(&self) -> usize {
        self.p50_rounds_us.len()
    }

    /// Rounds that have a median, and it.
    pub(super) fn medians(&self) -> impl Iterator<Item = (u32, f64)> {
        self.round_numbers.iter().copied().zip(self.p50_rounds_us.iter().copied())
    }

    /// Least and most of the rounds' medians.
    pub fn spread_us(&self) -> Option<(f64, f64)> {
        let least = self.p50_rounds_us.iter().copied().reduce(f64::min)?;
        let most = self.p50_rounds_us.iter().copied().reduce(f64::max)?;
        Some((least, most))
    }

    /// As it stands in a result.
    pub fn to_json(&self) -> Value {
        let records: Vec<String> = self.records.iter().map(|path| path.display().to_string()).collect();
        json!({
            "peer": self.peer, "bytes": self.bytes, "copies": self.copies, "processes": self.processes,
            "library": self.library, "version": self.version, "n": self.n, "lost": self.lost, "rounds": self.rounds(),
            "p50_us": self.p50_us, "p50_rounds_us": self.p50_rounds_us, "round_numbers": self.round_numbers, "p99_us": self.p99_us, "p999_us": self.p999_us,
            "worst_us": self.worst_us, "mean_us": self.mean_us, "publish_p50_us": self.publish_p50_us, "publish_p999_us": self.publish_p999_us, "spikes": self.spikes, "periodic_rounds": self.periodic_rounds, "records": records,
        })
    }
}

/// Nanoseconds are the finest that was measured.
pub(super) fn us(ms: Option<f64>) -> Option<f64> {
    ms.map(|ms| (ms * 1e6).round() / 1e3)
}

pub(super) fn percentile_us(figures: &Figures, per_mille: u32) -> Option<f64> {
    us(figures.percentile_ms(per_mille))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::findings::{cases, tests::finding};
    use super::*;

    /// A case of six rounds with this median.
    pub(crate) fn case(peer: &str, bytes: u64, p50_us: f64) -> LocalCase {
        LocalCase {
            peer: peer.to_owned(),
            bytes,
            n: 900,
            p50_us: Some(p50_us),
            p50_rounds_us: vec![p50_us; 6],
            round_numbers: (0..6).collect(),
            ..LocalCase::default()
        }
    }

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
        assert_eq!((case.n, case.worst_us, case.p99_us), (13, Some(1_100.0), Some(1_100.0)));
        let mean = (10 + 20 + 30 + 11 + 21 + 31 + 500 + 600 + 700 + 800 + 900 + 1_000 + 1_100) as f64 / 13.0;
        assert!((case.mean_us.unwrap() - mean).abs() < 0.001);
    }

    #[test]
    fn the_result_has_what_the_experiment_promises_and_null_for_what_is_not_there() {
        let json = cases(&[finding("iceoryx", 0, &[10])])[0].to_json();
        for name in ["peer", "bytes", "copies", "n", "p50_us", "p99_us", "p999_us", "worst_us", "mean_us"] {
            assert!(json.get(name).is_some(), "{name}");
        }
        assert_eq!((json["p50_us"].as_f64(), json["copies"].as_u64()), (Some(10.0), Some(4)));
        let none = cases(&[finding("iceoryx", 0, &[])])[0].to_json();
        assert!(none["p50_us"].is_null() && none["mean_us"].is_null());
    }
}
