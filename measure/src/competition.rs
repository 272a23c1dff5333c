//! Rates of traffic of others beside the link, and of the images in the same time.
//!
//! Pure, runs in the tool after a run. Invariants: all rates of a case are payload that arrived within one interval, so
//! that they can be compared; a rate over no time is `None` and not zero. Follows SPEC.md MEA-46, MEA-47 and MEA-54.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Bytes are counted in slots of this length, which are the raw data of a flow.
pub const SLOT: Duration = Duration::from_millis(100);

/// Shorter rests at the end of the interval are in the mean alone: a rate over some milliseconds says nothing.
const LEAST_REST: Duration = Duration::from_millis(500);
const SECOND: Duration = Duration::from_secs(1);

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
}
