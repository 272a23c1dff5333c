//! Figures of a run's times: all of them by a histogram, the worst one by one.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Largest time that is told apart from larger ones.
const LARGEST_NS: u64 = 100_000_000_000;
/// Significant digits of percentiles; mean, deviation, least and most are exact.
const DIGITS: u8 = 3;

/// Times of one kind, ns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How many.
    pub n: u64,
    /// Mean.
    pub mean_ns: f64,
    /// Standard deviation of the population.
    pub sd_ns: f64,
    /// The least.
    pub min_ns: i64,
    /// Median.
    pub p50_ns: i64,
    /// 90 of 100 are no more.
    pub p90_ns: i64,
    /// 99 of 100 are no more.
    pub p99_ns: i64,
    /// 999 of 1000 are no more.
    pub p999_ns: i64,
    /// The most.
    pub max_ns: i64,
}

impl Figures {
    /// Of no times at all everything is 0. Percentiles of times below 0 are told as 0.
    pub fn of(times: impl Iterator<Item = i64> + Clone) -> Figures {
        let n = times.clone().count() as u64;
        let (Some(min_ns), Some(max_ns)) = (times.clone().min(), times.clone().max()) else {
            return Figures::default();
        };
        let mean_ns = times.clone().map(|time| time as f64).sum::<f64>() / n as f64;
        let variance = times.clone().map(|time| (time as f64 - mean_ns).powi(2)).sum::<f64>() / n as f64;
        let at = percentiles(times);
        Figures {
            n,
            mean_ns,
            sd_ns: variance.sqrt(),
            min_ns,
            p50_ns: at(0.50),
            p90_ns: at(0.90),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
            max_ns,
        }
    }
}

fn percentiles(times: impl Iterator<Item = i64>) -> impl Fn(f64) -> i64 {
    let histogram = Histogram::<u64>::new_with_bounds(1, LARGEST_NS, DIGITS).map(|mut histogram| {
        times.for_each(|time| histogram.saturating_record(time.max(0) as u64));
        histogram
    });
    move |quantile| histogram.as_ref().map_or(0, |histogram| histogram.value_at_quantile(quantile) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_all_times() {
        let figures = Figures::of([1_000, 3_000, 2_000, 10_000].into_iter());
        assert_eq!((figures.n, figures.min_ns, figures.max_ns, figures.mean_ns), (4, 1_000, 10_000, 4_000.0));
        assert!((figures.sd_ns - 3_535.5).abs() < 0.1, "{figures:?}");
        assert!((2_000..=2_002).contains(&figures.p50_ns), "{figures:?}");
        assert_eq!(Figures::of(std::iter::empty()), Figures::default());
    }

    #[test]
    fn a_time_below_zero_is_the_least() {
        let figures = Figures::of([-500, 100].into_iter());
        assert_eq!((figures.min_ns, figures.mean_ns, figures.p50_ns), (-500, -200.0, 0));
    }
}
