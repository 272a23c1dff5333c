//! A figure with the middle half of its rounds, as far as it can be drawn.

use crate::lbe::Quartiles;

/// Larger values are not drawn.
pub(super) const MOST_DRAWN: f64 = 1e12;

/// A median and the middle half of the rounds around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Middle {
    pub(super) middle: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Middle {
    /// `None` if the median cannot be drawn; quartiles that cannot are left out.
    pub(super) fn of(middle: f64, quartiles: Option<Quartiles>) -> Option<Middle> {
        let middle = drawable(middle)?;
        let end = |of: fn(Quartiles) -> f64| quartiles.map(of).and_then(drawable).unwrap_or(middle);
        let (low, high) = (end(|ends| ends.p25), end(|ends| ends.p75));
        Some(Middle { middle, low: low.min(middle), high: high.max(middle) })
    }

    /// Without quartiles.
    pub(super) fn alone(value: f64) -> Option<Middle> {
        Middle::of(value, None)
    }

    pub(super) fn map(self, to: impl Fn(f64) -> f64) -> Middle {
        Middle { middle: to(self.middle), low: to(self.low), high: to(self.high) }
    }

    pub(super) fn at_least(self, floor: f64) -> Middle {
        self.map(|value| value.max(floor))
    }
}

pub(super) fn drawable(value: f64) -> Option<f64> {
    (value.is_finite() && (0.0..=MOST_DRAWN).contains(&value)).then_some(value)
}
