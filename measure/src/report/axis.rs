//! An axis of a plot, linear or logarithmic, with marks at 1, 2 and 5 times powers of ten.
//!
//! Invariant: `low < high`, both finite, and above zero on a logarithmic axis, whatever it is made from. The plot
//! library's own logarithmic axis marks whole decades only; ages within one decade would have no mark at all.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Smallest value on a logarithmic axis.
const LOG_FLOOR: f64 = 1e-3;
/// Largest value on any axis.
const CEILING: f64 = 1e15;
/// Room above the places for names of marks, in places.
const HEAD: f64 = 1.3;
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Linear,
    Log,
    /// Whole numbers that stand for names.
    Places,
}

/// One axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// A linear axis from 0 to at least `high`.
    pub(super) fn linear(high: f64) -> Self {
        let high = if high.is_finite() && high > 0.0 { high.min(CEILING) } else { 1.0 };
        Axis { scale: Scale::Linear, low: 0.0, high }
    }

    /// A logarithmic axis that holds `low` and `high`, widened to the next marks.
    pub(super) fn log(low: f64, high: f64) -> Self {
        let low = mark_below(if low.is_finite() { low.clamp(LOG_FLOOR, CEILING) } else { LOG_FLOOR });
        let high = mark_above(if high.is_finite() { high.min(CEILING).max(low * 10.0) } else { low * 10.0 });
        Axis { scale: Scale::Log, low, high }
    }

    /// An axis of so many places, 0 the lowest, with room above them.
    pub(super) fn places(count: usize) -> Self {
        Axis { scale: Scale::Places, low: -0.5, high: count.max(1) as f64 - 0.5 + HEAD }
    }

    /// Where `value` lies, 0 at the low end to 1 at the high end; values beyond lie at the ends.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.scale {
            Scale::Linear | Scale::Places => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// The value at a fraction of the axis.
    pub(super) fn at(&self, fraction: f64) -> f64 {
        match self.scale {
            Scale::Linear | Scale::Places => self.low + fraction * (self.high - self.low),
            Scale::Log => self.low * (self.high / self.low).powf(fraction),
        }
    }

    fn linear_marks(&self, most: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / most.max(1) as f64;
        let step = mark_above(rough);
        (0..=most).map(|i| self.low + step * i as f64).filter(|mark| *mark <= self.high * 1.000_001).collect()
    }

    /// All of 1, 2, 5; only decades if those are too many; every second decade if those are.
    fn log_marks(&self, most: usize) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let marks_of = |steps: &'static [f64]| -> Vec<f64> {
            let all = decades.clone().flat_map(|e| steps.iter().map(move |step| step * power_of_ten(e)));
            all.filter(|mark| (self.low * 0.999_999..=self.high * 1.000_001).contains(mark)).collect()
        };
        let fine = marks_of(&STEPS);
        if fine.len() <= most {
            return fine;
        }
        let coarse = marks_of(&STEPS[..1]);
        let every = coarse.len().div_ceil(most.max(1)).max(1);
        coarse.into_iter().step_by(every).collect()
    }
}

fn power_of_ten(exponent: i32) -> f64 {
    if exponent < 0 { 1.0 / 10f64.powi(-exponent) } else { 10f64.powi(exponent) }
}

/// Largest of 1, 2, 5 times a power of ten that is not above `value`.
fn mark_below(value: f64) -> f64 {
    let decade = power_of_ten(value.log10().floor() as i32);
    STEPS
        .into_iter()
        .rev()
        .map(|step| step * decade)
        .find(|mark| *mark <= value * 1.000_001)
        .unwrap_or(decade)
}

/// Smallest of 1, 2, 5 times a power of ten that is not below `value`.
fn mark_above(value: f64) -> f64 {
    let decade = power_of_ten(value.log10().floor() as i32);
    let mark = STEPS.into_iter().map(|step| step * decade).find(|mark| *mark >= value * 0.999_999);
    mark.unwrap_or(decade * 10.0)
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.fraction(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self.scale {
            Scale::Linear => self.linear_marks(hint.max_num_points()),
            Scale::Log => self.log_marks(hint.max_num_points()),
            Scale::Places => (0..=(self.high - HEAD).floor() as u32).map(f64::from).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        format!("{}", (value * 1e6).round() / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_within_one_decade_still_has_marks() {
        let axis = Axis::log(23.0, 88.0);
        assert_eq!((axis.low, axis.high), (20.0, 200.0));
        assert_eq!(axis.log_marks(10), [20.0, 50.0, 100.0, 200.0]);
    }

    #[test]
    fn a_wide_logarithmic_axis_thins_its_marks_to_those_that_fit() {
        let axis = Axis::log(0.01, 42_000.0);
        for most in [1, 2, 3, 5, 8, 12, 40] {
            let marks = axis.log_marks(most);
            assert!(!marks.is_empty() && marks.len() <= most, "{most}: {marks:?}");
        }
    }

    #[test]
    fn linear_marks_are_round_and_fit() {
        assert_eq!(
            Axis::linear(100.0).linear_marks(10),
            [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
        );
        assert_eq!(Axis::linear(1.3).linear_marks(4), [0.0, 0.5, 1.0]);
        assert!(Axis::linear(997.0).linear_marks(7).len() <= 8);
    }

    #[test]
    fn value_and_fraction_undo_each_other_and_ends_hold() {
        for axis in [Axis::linear(60.0), Axis::log(2.0, 900.0)] {
            for fraction in [0.0, 0.25, 1.0] {
                assert!((axis.fraction(axis.at(fraction)) - fraction).abs() < 1e-9);
            }
            assert_eq!(axis.fraction(1e12), 1.0);
            assert_eq!(axis.fraction(-5.0), 0.0);
            assert_eq!(axis.map(&1e12, (0, 700)), 700);
        }
    }

    #[test]
    fn an_axis_made_of_nonsense_is_still_an_axis() {
        let nonsense = [(0.0, 0.0), (5.0, 5.0), (-1.0, f64::INFINITY), (1e9, 1.0), (f64::MAX, f64::MAX)];
        for (low, high) in nonsense.into_iter().chain([(f64::NAN, f64::NAN)]) {
            for axis in [Axis::log(low, high), Axis::linear(high)] {
                assert!(axis.low < axis.high && axis.high.is_finite(), "{axis:?}");
                assert!(axis.fraction(3.0).is_finite());
            }
        }
    }

    #[test]
    fn each_place_has_a_mark_and_room_above() {
        struct All;
        impl plotters::coord::ranged1d::KeyPointHint for All {
            fn max_num_points(&self) -> usize {
                1
            }
            fn weight(&self) -> plotters::coord::ranged1d::KeyPointWeight {
                plotters::coord::ranged1d::KeyPointWeight::Bold
            }
        }
        assert_eq!(Axis::places(3).key_points(All), [0.0, 1.0, 2.0]);
        assert_eq!(Axis::places(0).key_points(All), [0.0]);
        assert!(Axis::places(3).fraction(2.0) < 0.6 && Axis::places(3).fraction(0.0) > 0.1);
    }

    #[test]
    fn marks_are_written_without_the_noise_of_binary_fractions() {
        assert_eq!(Axis::format(&(0.1 + 0.2)), "0.3");
        assert_eq!(Axis::format(&500.0), "500");
        assert_eq!(Axis::format(&0.002), "0.002");
    }
}
