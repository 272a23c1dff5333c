//! What publishing takes while the subscriber takes ten times as long as the publisher's period, and what became of the samples (LAB-89).

use serde_json::{Value, json};

use super::case::us;
use super::records::OverloadTimes;
use super::summary::OverloadSummary;

/// One size, all rounds together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverloadCase {
    /// Of a message.
    pub bytes: u64,
    /// Calls that were recorded.
    pub n: u64,
    /// Of all calls, as what follows.
    pub p50_us: Option<f64>,
    /// 99.9th percentile.
    pub p999_us: Option<f64>,
    /// Largest.
    pub worst_us: Option<f64>,
    /// Samples, those that warm up too.
    pub published: u64,
    /// By the subscriber.
    pub got: u64,
    /// Told to it as missed.
    pub dropped: u64,
    /// Got, and not whole or out of order.
    pub torn: u64,
    /// Of the least that a call can be, beside each of them.
    pub floor_p50_us: Option<f64>,
    /// 99.9th percentile.
    pub floor_p999_us: Option<f64>,
}

impl OverloadCase {
    /// Of these rounds; nothing where there is none.
    pub(super) fn of(rounds: &[(&OverloadTimes, &OverloadSummary)]) -> Option<OverloadCase> {
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
        case.n = all.calls.n();
        case.p50_us = us(all.calls.percentile_ms(500));
        case.p999_us = us(all.calls.percentile_ms(999));
        case.worst_us = us(all.calls.worst_ms());
        case.floor_p50_us = us(all.floor.percentile_ms(500));
        case.floor_p999_us = us(all.floor.percentile_ms(999));
        Some(case)
    }

    /// How much longer the longest in a thousand calls takes than most.
    pub fn ratio(&self) -> Option<f64> {
        ratio(self.p999_us, self.p50_us)
    }

    /// The same of the least that a call can be: what the machine makes of so short a time.
    pub fn floor_ratio(&self) -> Option<f64> {
        ratio(self.floor_p999_us, self.floor_p50_us)
    }

    /// Samples that are unaccounted for, or twice.
    pub fn gap(&self) -> u64 {
        self.published.abs_diff(self.got + self.dropped)
    }

    /// As it stands in a result.
    pub fn to_json(&self) -> Value {
        json!({
            "bytes": self.bytes, "n": self.n, "publish_p50_us": self.p50_us, "publish_p999_us": self.p999_us,
            "publish_worst_us": self.worst_us, "ratio": self.ratio(), "published": self.published, "got": self.got,
            "dropped": self.dropped, "torn": self.torn, "floor_p50_us": self.floor_p50_us,
            "floor_p999_us": self.floor_p999_us, "floor_ratio": self.floor_ratio(),
        })
    }
}

fn ratio(p999_us: Option<f64>, p50_us: Option<f64>) -> Option<f64> {
    p999_us.zip(p50_us).map(|(p999, p50)| p999 / p50).filter(|ratio| ratio.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_one_and_what_is_not_accounted_for_shows() {
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
        let (one, other) = (times(&[100, 110, 120]), times(&[130, 240]));
        let (first, second) = (said(10, 3, 7), said(12, 3, 8));
        let case = OverloadCase::of(&[(&one, &first), (&other, &second)]).unwrap();
        assert_eq!((case.n, case.p50_us, case.p999_us), (5, Some(0.12), Some(0.24)));
        assert_eq!((case.ratio(), case.gap()), (Some(2.0), 1));
        assert_eq!((case.floor_p50_us, case.floor_p999_us), (Some(0.06), Some(0.12)));
        assert_eq!(case.floor_ratio(), Some(2.0));
        assert_eq!(OverloadCase::of(&[(&one, &first)]).unwrap().gap(), 0);
        assert_eq!(OverloadCase::of(&[]), None);
    }
}
