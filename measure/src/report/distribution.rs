//! Plots of how ages are distributed: cumulative curves of the cases of one network, and a histogram of one camera.
//!
//! Both have a logarithmic age axis that always holds the requirement. A cumulative curve is a share of the samples
//! *offered*: where it stays below 100 %, the rest never arrived.

use plotters::prelude::*;

use super::axis::Axis;
use super::plot::{self, Named, PALETTE};
use crate::figures::Figures;
use crate::study::ReportError;
use crate::table::ms;
use crate::verdict::REQUIREMENT_MS;

const BARS: usize = 64;
const CURVE_COLUMNS: f64 = 1_000.0;
pub(super) const AGE_AXIS: &str = "age at arrival, ms (log scale)";

pub(super) const SHARE_AXIS: &str = "share of samples offered, %";

/// One curve: ages of the delivered samples among so many offered.
pub(super) struct Curve {
    /// Ages.
    pub(super) figures: Figures,
    /// Samples offered.
    pub(super) offered: u64,
}

/// What is written beside a curve.
pub(super) fn curve_words(figures: &Figures, offered: u64) -> String {
    format!(
        "p50 {} ms, p99 {} ms, n = {} delivered of {offered} offered",
        ms(figures.percentile_ms(500)),
        ms(figures.percentile_ms(990)),
        figures.n()
    )
}

/// Age axis for everything in `figures` and the requirement.
pub(super) fn age_axis<'a>(figures: impl Iterator<Item = &'a Figures> + Clone) -> Axis {
    let limit_ms = REQUIREMENT_MS as f64;
    let best = figures.clone().filter_map(Figures::best_ms).fold(limit_ms / 10.0, f64::min);
    let worst = figures.filter_map(Figures::worst_ms).fold(limit_ms * 1.9, f64::max);
    Axis::log(best, worst)
}

/// Cumulative curves, at most as many as the palette has colours, with p50 (filled) and p99 (ring) on each.
pub(super) fn cumulative(name: &str, curves: &[Curve]) -> Result<String, ReportError> {
    let x = age_axis(curves.iter().map(|curve| &curve.figures));
    let y = Axis::linear(100.0);
    plot::svg(name, plot::WIDE, Named(x, AGE_AXIS), Named(y, SHARE_AXIS), |chart| {
        plot::mark_requirement(chart, 11)?;
        for (curve, colour) in curves.iter().zip(PALETTE) {
            let points = curve_points(curve, &x);
            chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(4)))?;
            let mark = |per_mille| mark_on(curve, per_mille);
            chart.draw_series(mark(500).map(|at| Circle::new(at, 10, colour.filled())))?;
            chart.draw_series(mark(990).map(|at| Circle::new(at, 10, colour.stroke_width(4))))?;
        }
        Ok(())
    })
}

/// Corners of the staircase, one at most for each column of the plot: the drawing stays small for any run.
pub(super) fn curve_points(curve: &Curve, x: &Axis) -> Vec<(f64, f64)> {
    let share = |count: u64| 100.0 * count as f64 / curve.offered.max(1) as f64;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let (mut so_far, mut last_column) = (0, f64::NAN);
    for (age_ms, count) in curve.figures.distribution() {
        let column = (x.fraction(age_ms) * CURVE_COLUMNS).floor();
        if column == last_column {
            points.pop();
        } else {
            points.push((age_ms, share(so_far)));
        }
        last_column = column;
        so_far += count;
        points.push((age_ms, share(so_far)));
    }
    // The curve goes on to the edge: those that are not there yet never come.
    points.extend((so_far > 0).then(|| (x.at(1.0), share(so_far))));
    points
}

fn mark_on(curve: &Curve, per_mille: u32) -> Option<(f64, f64)> {
    let age_ms = curve.figures.percentile_ms(per_mille)?;
    let delivered = curve.figures.n() as f64 / curve.offered.max(1) as f64;
    Some((age_ms, delivered * f64::from(per_mille) / 10.0))
}

/// Histogram of one camera on the age axis `x`; counts on a logarithmic scale, so that single outliers show.
pub(super) fn histogram(
    name: &str,
    figures: &Figures,
    x: Axis,
    colour: RGBColor,
) -> Result<String, ReportError> {
    let counts = bars(figures, &x);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    // Lowest bar is one sample: it must have a height. Room on top for three lines of names.
    let y = Axis::log(0.5, most as f64 * 10.0);
    let names = (Named(x, AGE_AXIS), Named(y, "samples (log scale)"));
    plot::svg(name, plot::HALF, names.0, names.1, |chart| {
        let rectangles = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bar, count)| {
            let (left, right) = (bar as f64 / BARS as f64, (bar as f64 + 0.92) / BARS as f64);
            Rectangle::new([(x.at(left), *count as f64), (x.at(right), y.at(0.0))], colour.filled())
        });
        chart.draw_series(rectangles)?;
        for (row, (per_mille, label)) in [(500, "p50"), (990, "p99")].into_iter().enumerate() {
            if let Some(age_ms) = figures.percentile_ms(per_mille) {
                plot::mark_age(chart, age_ms, &format!("{label} {age_ms:.1}"), row as u32)?;
            }
        }
        plot::mark_requirement(chart, 2)
    })
}

fn bars(figures: &Figures, x: &Axis) -> [u64; BARS] {
    let mut counts = [0; BARS];
    for (age_ms, count) in figures.distribution() {
        let bar = (x.fraction(age_ms) * BARS as f64) as usize;
        counts[bar.min(BARS - 1)] += count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(ages_ms: impl IntoIterator<Item = u64>, offered: u64) -> Curve {
        let mut figures = Figures::new();
        ages_ms.into_iter().for_each(|ms| figures.record(ms * 1_000_000));
        Curve { figures, offered }
    }

    #[test]
    fn a_curve_ends_at_the_share_that_arrived() {
        let half = curve([10, 20, 30, 40], 8);
        let points = curve_points(&half, &age_axis([&half.figures].into_iter()));
        assert_eq!(points.first().map(|point| point.1), Some(0.0));
        assert_eq!(points.last().map(|point| point.1), Some(50.0));
        assert!(points.windows(2).all(|pair| pair[0].1 <= pair[1].1), "shares never fall: {points:?}");
    }

    #[test]
    fn marks_sit_on_the_curve_also_when_samples_are_missing() {
        let half = curve([10, 20, 30, 40], 8);
        assert_eq!(mark_on(&half, 500), Some((20.0, 25.0)));
    }

    #[test]
    fn a_long_run_does_not_make_a_large_curve() {
        let long = curve((0..50_000).map(|i| 1 + i % 20_000), 50_000);
        let points = curve_points(&long, &age_axis([&long.figures].into_iter()));
        assert!(points.len() <= 2 * CURVE_COLUMNS as usize + 3, "{}", points.len());
        assert_eq!(points.last().map(|point| point.1), Some(100.0));
    }

    #[test]
    fn every_sample_is_in_one_bar() {
        let samples = curve([1, 2, 3, 400, 42_000, 90_000], 6);
        let x = age_axis([&samples.figures].into_iter());
        assert_eq!(bars(&samples.figures, &x).iter().sum::<u64>(), 6);
    }

    #[test]
    fn the_age_axis_holds_the_requirement_and_all_ages() {
        for samples in [curve([3, 4], 2), curve([42_000], 1), curve([], 5)] {
            let x = age_axis([&samples.figures].into_iter());
            assert!(x.fraction(500.0) > 0.0 && x.fraction(500.0) < 1.0);
            assert!(samples.figures.worst_ms().is_none_or(|worst| x.at(1.0) >= worst * 0.999));
        }
    }
}
