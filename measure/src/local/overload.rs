//! What publishing takes while the subscriber takes ten times as long as the publisher's period, and what became of the samples (LAB-89).

use serde::{Deserialize, Serialize};

/// One size, all rounds together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverloadCase {
    /// Of a message.
    pub bytes: u64,
    /// Calls that were recorded.
    pub n: u64,
    /// Of all calls, as what follows.
    #[serde(rename = "publish_p50_us")]
    pub p50_us: Option<f64>,
    /// 99.9th percentile.
    #[serde(rename = "publish_p999_us")]
    pub p999_us: Option<f64>,
    /// Largest.
    #[serde(rename = "publish_worst_us")]
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
}

fn ratio(p999_us: Option<f64>, p50_us: Option<f64>) -> Option<f64> {
    p999_us.zip(p50_us).map(|(p999, p50)| p999 / p50).filter(|ratio| ratio.is_finite())
}
