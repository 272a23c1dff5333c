//! Figures of one stream: moments, percentiles and shares inside a limit, from its latencies.
//!
//! Runs in the analysis, after a measurement; `record` takes constant time, a percentile O(n log n) while the raw
//! values are kept. Invariants: memory is bounded (raw values up to [`RAW_LIMIT`], then the histogram alone); no
//! figure is ever NaN; an empty stream has no moments. Follows SPEC.md MEA-1 to MEA-8.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Raw values kept for exact percentiles; a stream with more takes them from the histogram.
pub const RAW_LIMIT: usize = 100_000;

/// Ages, in milliseconds, that a share is reported for.
pub const LIMITS_MS: [u64; 4] = [100, 150, 225, 500];

const NANOS_PER_MS: f64 = 1e6;
const HISTOGRAM_LOWEST_NS: u64 = 1_000;
const HISTOGRAM_HIGHEST_NS: u64 = 60_000_000_000;
const HISTOGRAM_DIGITS: u8 = 3;

/// Latencies of one stream, accumulated. Samples without a latency (not delivered) are never recorded here (MEA-1).
#[derive(Clone, Debug)]
pub struct Figures {
    moments: Moments,
    inside: [u64; LIMITS_MS.len()],
    /// `None` once the stream has outgrown [`RAW_LIMIT`].
    raw: Option<Vec<u64>>,
    histogram: Histogram<u64>,
}

/// Count, mean and squared deviations after Welford, so that a long run loses no digits.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    n: u64,
    mean_ns: f64,
    squares: f64,
    best_ns: u64,
    worst_ns: u64,
}

impl Moments {
    fn record(&mut self, latency_ns: u64) {
        self.best_ns = if self.n == 0 { latency_ns } else { self.best_ns.min(latency_ns) };
        self.worst_ns = self.worst_ns.max(latency_ns);
        self.n += 1;
        let off_old_mean = latency_ns as f64 - self.mean_ns;
        self.mean_ns += off_old_mean / self.n as f64;
        self.squares += off_old_mean * (latency_ns as f64 - self.mean_ns);
    }

    /// Pairwise form of the same update (Chan, Golub, LeVeque 1979).
    fn merge(&mut self, other: &Moments) {
        if other.n == 0 {
            return;
        }
        if self.n == 0 {
            *self = *other;
            return;
        }
        let (a, b) = (self.n as f64, other.n as f64);
        let apart = other.mean_ns - self.mean_ns;
        self.mean_ns += apart * b / (a + b);
        self.squares += other.squares + apart * apart * a * b / (a + b);
        self.n += other.n;
        self.best_ns = self.best_ns.min(other.best_ns);
        self.worst_ns = self.worst_ns.max(other.worst_ns);
    }
}

impl Default for Figures {
    fn default() -> Self {
        let histogram =
            Histogram::new_with_bounds(HISTOGRAM_LOWEST_NS, HISTOGRAM_HIGHEST_NS, HISTOGRAM_DIGITS)
                .expect("the bounds are constants that satisfy the histogram's rules");
        Figures { moments: Moments::default(), inside: [0; 4], raw: Some(Vec::new()), histogram }
    }
}

impl Figures {
    /// Figures of a stream nothing has been recorded of.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the latency of one delivered sample, in nanoseconds from capture to arrival.
    pub fn record(&mut self, latency_ns: u64) {
        self.moments.record(latency_ns);
        for (count, limit_ms) in self.inside.iter_mut().zip(LIMITS_MS) {
            *count += u64::from(latency_ns <= limit_ms * 1_000_000);
        }
        self.histogram.saturating_record(latency_ns);
        self.keep_raw(&[latency_ns]);
    }

    /// Adds all that `other` has recorded, as if it had been recorded here.
    pub fn merge(&mut self, other: &Figures) {
        self.moments.merge(&other.moments);
        for (count, more) in self.inside.iter_mut().zip(other.inside) {
            *count += more;
        }
        self.histogram.add(&other.histogram).expect("all figures use the same bounds");
        match &other.raw {
            Some(values) => self.keep_raw(values),
            None => self.raw = None,
        }
    }

    fn keep_raw(&mut self, values: &[u64]) {
        if let Some(raw) = &mut self.raw {
            if raw.len() + values.len() <= RAW_LIMIT {
                raw.extend_from_slice(values);
            } else {
                self.raw = None;
            }
        }
    }

    /// Latencies recorded.
    pub fn n(&self) -> u64 {
        self.moments.n
    }

    /// Arithmetic mean in milliseconds; `None` if nothing was recorded.
    pub fn mean_ms(&self) -> Option<f64> {
        self.unless_empty(self.moments.mean_ns)
    }

    /// Largest latency in milliseconds, exact.
    pub fn worst_ms(&self) -> Option<f64> {
        self.unless_empty(self.moments.worst_ns as f64)
    }

    /// Smallest latency in milliseconds, exact.
    pub fn best_ms(&self) -> Option<f64> {
        self.unless_empty(self.moments.best_ns as f64)
    }

    /// Standard deviation of the population (divided by n, as for a complete run) in milliseconds.
    pub fn sd_ms(&self) -> Option<f64> {
        let variance = self.moments.squares / self.moments.n.max(1) as f64;
        self.unless_empty(variance.max(0.0).sqrt())
    }

    /// The latency, in milliseconds, that `per_mille` of 1 000 recorded samples do not exceed (nearest rank).
    ///
    /// `per_mille` beyond 1 000 counts as 1 000, the worst. Exact up to [`RAW_LIMIT`] samples, then from the
    /// histogram: at most 0.1 % high, and no higher than the histogram's end of 60 s.
    pub fn percentile_ms(&self, per_mille: u32) -> Option<f64> {
        self.percentiles_ms([per_mille])[0]
    }

    /// The same of `offered` samples, of which those that did not come are later than all that did: `None` where the percentile is one of
    /// them, or where there are too few samples to tell it (MEA-5).
    fn percentiles_of<const N: usize>(&self, offered: u64, per_mille: [u32; N]) -> [Option<f64>; N] {
        let offered = offered.max(self.n());
        let rank = |p: u32| (offered * u64::from(p)).div_ceil(1_000).max(1);
        let carries = |p: u32| offered * u64::from(1_000 - p) >= 1_000;
        // What of those that came has the same rank.
        let among = |p: u32| (rank(p) * 1_000 / self.n().max(1)).min(1_000) as u32;
        let is_told = per_mille.map(|p| carries(p) && rank(p) <= self.n());
        let values = match &self.raw {
            Some(raw) => {
                let mut sorted = raw.clone();
                sorted.sort_unstable();
                per_mille.map(|p| sorted.get(rank(p) as usize - 1).map(|ns| *ns as f64 / NANOS_PER_MS))
            }
            None => self.percentiles_ms(per_mille.map(among)),
        };
        std::array::from_fn(|at| values[at].filter(|_| is_told[at]))
    }

    fn percentiles_ms<const N: usize>(&self, per_mille: [u32; N]) -> [Option<f64>; N] {
        let sorted = self.raw.as_ref().map(|raw| {
            let mut values = raw.clone();
            values.sort_unstable();
            values
        });
        per_mille.map(|p| {
            let latency_ns = match &sorted {
                Some(values) => nearest_rank(values, p)?,
                None => self.histogram_percentile(p),
            };
            self.unless_empty(latency_ns as f64)
        })
    }

    fn histogram_percentile(&self, per_mille: u32) -> u64 {
        // A bucket is told by its upper end, which may lie beyond the worst value that was really seen.
        self.histogram.value_at_quantile(f64::from(per_mille) / 1_000.0).min(self.moments.worst_ns)
    }

    /// True while percentiles come from the raw values and not from the histogram.
    pub fn is_exact(&self) -> bool {
        self.raw.is_some()
    }

    /// Share of `offered` samples, 0 to 1, that arrived within each of [`LIMITS_MS`] (MEA-6).
    ///
    /// A sample that did not arrive is not inside any limit. `None` if nothing was offered, or if fewer were offered
    /// than arrived: then the ledger does not close and no share would be true.
    pub fn inside(&self, offered: u64) -> Inside {
        let meaningful = offered > 0 && offered >= self.n();
        let share = |count: u64| meaningful.then(|| count as f64 / offered as f64);
        let [ms_100, ms_150, ms_225, ms_500] = self.inside.map(share);
        Inside { ms_100, ms_150, ms_225, ms_500 }
    }

    /// All figures of a stream of which `offered` samples were handed to the sender.
    pub fn summary(&self, offered: u64) -> Summary {
        let [p50_ms, p95_ms, p99_ms, p999_ms] = self.percentiles_of(offered, [500, 950, 990, 999]);
        Summary {
            n: self.n(),
            mean_ms: self.mean_ms(),
            worst_ms: self.worst_ms(),
            best_ms: self.best_ms(),
            sd_ms: self.sd_ms(),
            p50_ms,
            p95_ms,
            p99_ms,
            p999_ms,
            inside: self.inside(offered),
        }
    }

    /// The histogram, lowest first: latency in milliseconds (three significant digits, 60 s at most) and how many
    /// samples had it.
    pub fn distribution(&self) -> Vec<(f64, u64)> {
        self.histogram
            .iter_recorded()
            .map(|step| (step.value_iterated_to() as f64 / NANOS_PER_MS, step.count_since_last_iteration()))
            .collect()
    }

    /// Whole nanoseconds are the finest that was measured; more digits would only look exact.
    fn unless_empty(&self, nanos: f64) -> Option<f64> {
        (self.moments.n > 0).then(|| nanos.round() / NANOS_PER_MS)
    }
}

/// Smallest value that at least `per_mille` / 1 000 of the values do not exceed. Whole numbers, because 0.999 × 1 000
/// in binary fractions is a little more than 999 and would take the next value.
fn nearest_rank(sorted: &[u64], per_mille: u32) -> Option<u64> {
    let n = sorted.len() as u64;
    let rank = (n * u64::from(per_mille.min(1_000))).div_ceil(1_000).max(1);
    sorted.get(rank as usize - 1).copied()
}

/// Figures of one stream as they stand in a result file. All latencies in milliseconds, `None` (JSON `null`) if no
/// sample has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Samples with a latency; what the moments and percentiles are made of.
    #[serde(default)]
    pub n: u64,
    /// Arithmetic mean.
    pub mean_ms: Option<f64>,
    /// Largest.
    pub worst_ms: Option<f64>,
    /// Smallest.
    pub best_ms: Option<f64>,
    /// Population standard deviation.
    pub sd_ms: Option<f64>,
    /// Median, nearest rank like the other percentiles.
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// 99.9th percentile.
    pub p999_ms: Option<f64>,
    /// Shares of the samples offered.
    #[serde(default)]
    pub inside: Inside,
}

/// Share, 0 to 1, of the *offered* samples that arrived within so many milliseconds (limit included).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inside {
    /// Within 100 ms.
    #[serde(rename = "100")]
    pub ms_100: Option<f64>,
    /// Within 150 ms.
    #[serde(rename = "150")]
    pub ms_150: Option<f64>,
    /// Within 225 ms.
    #[serde(rename = "225")]
    pub ms_225: Option<f64>,
    /// Within 500 ms, the requirement of remote driving.
    #[serde(rename = "500")]
    pub ms_500: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn of(latencies_ns: impl IntoIterator<Item = u64>) -> Figures {
        let mut figures = Figures::new();
        latencies_ns.into_iter().for_each(|ns| figures.record(ns));
        figures
    }

    fn close(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|value| (value - expected).abs() < 1e-6)
    }

    #[test]
    fn moments_of_a_small_list_are_those_worked_out_by_hand() {
        // MEA-2..4: 2, 4, 4, 4, 5, 5, 7, 9 ms: mean 5, sum of squared deviations 32, 32 / 8 = 4, population sd 2.
        let figures = of([2, 4, 4, 4, 5, 5, 7, 9].map(|ms| ms * MS));
        assert_eq!(figures.n(), 8);
        assert!(close(figures.mean_ms(), 5.0));
        assert!(close(figures.sd_ms(), 2.0));
        assert_eq!(figures.worst_ms(), Some(9.0));
        assert_eq!(figures.best_ms(), Some(2.0));
    }

    #[test]
    fn percentiles_are_the_nearest_rank_of_the_values_seen() {
        // MEA-5
        let figures = of((1..=1000).rev().map(|ms| ms * MS));
        assert_eq!(figures.percentile_ms(500), Some(500.0));
        assert_eq!(figures.percentile_ms(950), Some(950.0));
        assert_eq!(figures.percentile_ms(990), Some(990.0));
        assert_eq!(figures.percentile_ms(999), Some(999.0));
        assert_eq!(figures.percentile_ms(1000), Some(1000.0));
        assert_eq!(of([7 * MS]).percentile_ms(999), Some(7.0), "one value is every percentile");
        assert_eq!(of([MS, 2 * MS, 3 * MS]).percentile_ms(500), Some(2.0));
    }

    #[test]
    fn a_share_counts_lost_samples_as_not_inside_and_the_limit_as_inside() {
        // MEA-6: eight offered, six arrived.
        let figures = of([50 * MS, 100 * MS, 100 * MS + 1, 150 * MS, 500 * MS, 501 * MS]);
        let inside = figures.inside(8);
        assert_eq!(inside.ms_100, Some(2.0 / 8.0));
        assert_eq!(inside.ms_150, Some(4.0 / 8.0));
        assert_eq!(inside.ms_225, Some(4.0 / 8.0));
        assert_eq!(inside.ms_500, Some(5.0 / 8.0));
    }

    #[test]
    fn no_share_is_told_when_more_arrived_than_were_offered() {
        assert_eq!(of([MS, MS]).inside(1), Inside::default());
    }

    #[test]
    fn an_empty_stream_has_nulls_and_no_nan_in_json() {
        // MEA-7
        let none_offered = serde_json::to_value(Figures::new().summary(0)).unwrap();
        for (name, value) in none_offered.as_object().unwrap() {
            assert!(name == "n" || name == "inside" || value.is_null(), "{name} is {value}");
        }
        assert!(none_offered["inside"]["500"].is_null());
        let all_lost = Figures::new().summary(10);
        assert_eq!(all_lost.inside.ms_500, Some(0.0), "ten offered, none inside");
        assert_eq!(all_lost.mean_ms, None);
    }

    #[test]
    fn two_halves_merged_have_the_figures_of_the_whole() {
        // MEA-8
        let values: Vec<u64> = (0..997).map(|i| (i * 7_919) % 600_000_000 + 3_000).collect();
        let mut merged = of(values[..300].iter().copied());
        merged.merge(&of(values[300..].iter().copied()));
        merged.merge(&Figures::new());
        let whole = of(values.iter().copied());
        assert_eq!(merged.n(), whole.n());
        assert!(close(merged.mean_ms(), whole.mean_ms().unwrap()));
        assert!(close(merged.sd_ms(), whole.sd_ms().unwrap()));
        assert_eq!(merged.worst_ms(), whole.worst_ms());
        assert_eq!(merged.best_ms(), whole.best_ms());
        assert_eq!(merged.percentile_ms(990), whole.percentile_ms(990));
        assert_eq!(merged.inside(997), whole.inside(997));
        assert_eq!(merged.distribution(), whole.distribution());
    }

    #[test]
    fn merging_into_an_empty_stream_keeps_the_best_value() {
        let mut figures = Figures::new();
        figures.merge(&of([5 * MS, 9 * MS]));
        assert_eq!(figures.best_ms(), Some(5.0));
    }

    #[test]
    fn a_long_stream_takes_its_percentiles_from_the_histogram_within_a_thousandth() {
        let n = RAW_LIMIT as u64 + 1;
        let figures = of((0..n).map(|i| MS + i * 1_000));
        assert!(!figures.is_exact());
        let exact_ms = (MS + (n * 99).div_ceil(100) * 1_000) as f64 / NANOS_PER_MS;
        let found_ms = figures.percentile_ms(990).unwrap();
        assert!((found_ms / exact_ms - 1.0).abs() < 0.001, "{found_ms} for {exact_ms}");
        assert!(close(figures.worst_ms(), (MS + (n - 1) * 1_000) as f64 / NANOS_PER_MS));
        assert!(figures.percentile_ms(1000) <= figures.worst_ms());
    }

    #[test]
    fn a_value_beyond_the_histogram_stays_exact_in_the_worst_case() {
        let figures = of([MS, 90_000 * MS]);
        assert_eq!(figures.worst_ms(), Some(90_000.0));
        let (top_ms, count) = *figures.distribution().last().unwrap();
        assert_eq!(count, 1);
        assert!((59_000.0..=61_000.0).contains(&top_ms), "{top_ms}");
    }

    #[test]
    fn the_distribution_counts_every_sample_once() {
        let figures = of([0, 500, MS, MS, 3 * MS]);
        assert_eq!(figures.distribution().iter().map(|(_, count)| count).sum::<u64>(), 5);
    }

    #[test]
    fn a_sample_that_did_not_come_is_later_than_all_that_did() {
        let mut figures = Figures::new();
        (1..=990).for_each(|ms| figures.record(ms * 1_000_000));
        let all_came = figures.summary(990);
        assert_eq!((all_came.p50_ms, all_came.p99_ms), (Some(495.0), Some(981.0)));
        // The 990 that came are the first 99 of 100 of a thousand.
        let ten_lost = figures.summary(1_000);
        assert_eq!((ten_lost.p50_ms, ten_lost.p99_ms, ten_lost.p999_ms), (Some(500.0), Some(990.0), None));
        let more_lost = figures.summary(1_001);
        assert_eq!((more_lost.p95_ms, more_lost.p99_ms), (Some(951.0), None));
        assert_eq!(figures.summary(1_981).p50_ms, None);
    }

    #[test]
    fn a_percentile_is_told_where_there_are_samples_enough_for_it() {
        let of = |n: u64| {
            let mut figures = Figures::new();
            (0..n).for_each(|_| figures.record(7_000_000));
            let Summary { p50_ms, p95_ms, p99_ms, p999_ms, .. } = figures.summary(n);
            [p50_ms, p95_ms, p99_ms, p999_ms].map(|value| value.is_some())
        };
        assert_eq!(of(1), [false; 4]);
        assert_eq!(of(2), [true, false, false, false]);
        assert_eq!(of(20), [true, true, false, false]);
        assert_eq!(of(99), [true, true, false, false]);
        assert_eq!(of(100), [true, true, true, false]);
        assert_eq!(of(1_000), [true; 4]);
    }
}
