//! A figure that a goal is judged by, and what it is made of.

use serde::Serialize;

use super::pairs::Middle;

/// A value, between which ends it may be, and how much of it there was.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// What it is of where a goal has several: a size of message, a peer. Empty where it has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// The value; infinite (null in JSON) where what is asked for never came.
    pub value: f64,
    /// With 95 chances of 100 it is not below; of fewer than six rounds the least of them; the value where there are no rounds.
    pub low: f64,
    /// The same on the other side.
    pub high: f64,
    /// Samples.
    pub n: u64,
    /// Rounds, or runs.
    pub rounds: usize,
    /// Samples that did not come. They are infinitely late in every percentile.
    pub missed: u64,
}

impl Figure {
    /// Of one value, which nothing is known around.
    pub fn of_value(value: f64, n: u64, rounds: usize) -> Figure {
        Figure { value, low: value, high: value, n, rounds, ..Figure::default() }
    }

    /// Of the middle of rounds.
    pub fn of_rounds(middle: Middle, n: u64) -> Figure {
        let Middle { value, low, high, rounds } = middle;
        Figure { value, low, high, n, rounds, ..Figure::default() }
    }

    /// The same, told apart from others of a goal.
    #[must_use]
    pub fn named(self, of: impl Into<String>) -> Figure {
        Figure { of: of.into(), ..self }
    }

    /// The same, with samples that did not come.
    #[must_use]
    pub fn missing(self, missed: u64) -> Figure {
        Figure { missed, ..self }
    }

    /// Name and value, with its ends where they are others.
    pub fn told(&self) -> String {
        let name = if self.of.is_empty() { String::new() } else { format!("{} ", self.of) };
        let value = number(self.value);
        let (low, high) = (number(self.low), number(self.high));
        if low == high { format!("{name}{value}") } else { format!("{name}{value} ({low}–{high})") }
    }
}

/// Four digits of a value, whatever its size, and no more than four behind the point.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return if value > 0.0 { "∞".to_owned() } else { "–".to_owned() };
    }
    let before = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = usize::try_from(3 - before).unwrap_or(0).min(4);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_told() {
        let cases =
            [(1.029, "1.029"), (0.98765, "0.9877"), (12.3456, "12.35"), (1464.0, "1464"), (0.0, "0.000")];
        for (value, told) in cases {
            assert_eq!(number(value), told);
        }
        assert_eq!(number(f64::INFINITY), "∞");
        assert_eq!(number(f64::NAN), "–");
    }

    #[test]
    fn ends_are_told_where_they_differ() {
        let figure = Figure { low: 0.8, high: 1.1, ..Figure::of_value(0.95, 900, 24) };
        assert_eq!(figure.clone().named("64 B").told(), "64 B 0.9500 (0.8000–1.100)");
        assert_eq!(Figure::of_value(0.95, 9, 1).told(), "0.9500");
    }
}
