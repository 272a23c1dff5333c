//! What a figure of a goal may be.

use std::fmt;

use serde::Serialize;

/// Between what a goal holds and what it does not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The figure is this or less.
    AtMost(f64),
    /// The figure is less.
    Below(f64),
    /// The figure is this or more.
    AtLeast(f64),
}

impl Bound {
    /// Whether a value is as wanted. What is no number never is.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Bound::AtMost(most) => value <= most,
            Bound::Below(limit) => value < limit,
            Bound::AtLeast(least) => value >= least,
        }
    }

    /// The better and the worse of the two ends that a figure may have.
    pub(super) fn best_and_worst(self, low: f64, high: f64) -> (f64, f64) {
        match self {
            Bound::AtMost(_) | Bound::Below(_) => (low, high),
            Bound::AtLeast(_) => (high, low),
        }
    }

    /// Whether one value is farther from what is wanted than another.
    pub(super) fn is_worse(self, one: f64, other: f64) -> bool {
        match self {
            Bound::AtMost(_) | Bound::Below(_) => one > other,
            Bound::AtLeast(_) => one < other,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::AtMost(most) => write!(f, "at most {most}"),
            Bound::Below(limit) => write!(f, "below {limit}"),
            Bound::AtLeast(least) => write!(f, "at least {least}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_within_at_most_and_at_least_and_not_below() {
        assert!(Bound::AtMost(1.0).holds(1.0) && Bound::AtLeast(1.0).holds(1.0));
        assert!(!Bound::Below(1.0).holds(1.0));
        for bound in [Bound::AtMost(1.0), Bound::AtLeast(1.0), Bound::Below(1.0)] {
            assert!(!bound.holds(f64::NAN), "{bound}");
        }
        assert!(!Bound::AtMost(1e9).holds(f64::INFINITY), "what never came is not within any time");
    }
}
