//! One peer at one size: its figures (LAB-86).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::overload::OverloadCase;

/// Figures of one peer at one size, all rounds together. Times in µs; `None`: there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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
    /// Ticks at which none was sent, as the one before was still under way or the publisher was late: what a long stall hides. 0 in results
    /// of before they were counted.
    pub left_out: u64,
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
    /// Rounds with a median.
    pub fn rounds(&self) -> usize {
        self.p50_rounds_us.len()
    }

    /// Rounds that have a median, and it. In results of before rounds had numbers, those that have one are counted.
    pub(super) fn medians(&self) -> Vec<(u32, f64)> {
        let values = self.p50_rounds_us.iter().copied();
        match self.round_numbers.len() == self.p50_rounds_us.len() {
            true => self.round_numbers.iter().copied().zip(values).collect(),
            false => (0..).zip(values).collect(),
        }
    }

    /// Least and most of the rounds' medians.
    pub fn spread_us(&self) -> Option<(f64, f64)> {
        let least = self.p50_rounds_us.iter().copied().reduce(f64::min)?;
        let most = self.p50_rounds_us.iter().copied().reduce(f64::max)?;
        Some((least, most))
    }
}

/// What a result has beside its latencies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalMore {
    /// Of our publisher, with a subscriber that is too slow.
    pub overload: Vec<OverloadCase>,
    /// In their order.
    pub rounds: Vec<RoundTold>,
}

/// One round, as it was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundTold {
    /// From 0.
    pub round: u32,
    /// Over one minute, when it began.
    pub load_average: Option<f64>,
    /// Names of its cells.
    pub order: Vec<String>,
}

#[cfg(test)]
pub(super) mod tests {
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
    fn a_case_has_the_names_that_readers_rely_on_and_null_for_what_is_not_there() {
        let json = serde_json::to_value(case("iceoryx", 64, 10.0)).unwrap();
        for name in ["peer", "bytes", "copies", "n", "p50_us", "p99_us", "p999_us", "worst_us", "mean_us"] {
            assert!(json.get(name).is_some(), "{name}");
        }
        assert_eq!((json["p50_us"].as_f64(), json["p99_us"].is_null()), (Some(10.0), true));
    }

    #[test]
    fn rounds_without_numbers_are_counted() {
        let old = LocalCase { round_numbers: Vec::new(), ..case("iceoryx", 64, 10.0) };
        assert_eq!(old.medians()[5], (5, 10.0));
    }
}
