//! What the RTOS may take of a processor that Linux has too (MON-80).

use core::fmt;
use core::ops::RangeInclusive;

/// So much of each period, for a processor; or no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Budget {
    budget_us: u32,
    period_us: u32,
}

impl Budget {
    /// No bound.
    pub const NONE: Budget = Budget { budget_us: 0, period_us: 0 };
    /// How long a period may be, in microseconds.
    pub const PERIODS_US: RangeInclusive<u32> = 1_000..=1_000_000;
    /// The least budget, in microseconds; the most is the period.
    pub const LEAST_US: u32 = 100;

    /// `None`: out of range.
    pub fn new(budget_us: u32, period_us: u32) -> Option<Budget> {
        let is_possible =
            Self::PERIODS_US.contains(&period_us) && (Self::LEAST_US..=period_us).contains(&budget_us);
        is_possible.then_some(Budget { budget_us, period_us })
    }

    /// What the RTOS is answered (MON-82).
    pub fn word(self) -> u64 {
        u64::from(self.period_us) << 32 | u64::from(self.budget_us)
    }
}

/// As a budget is written on QEMU's command line (MON-81).
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.budget_us, self.period_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_none() {
        for (budget_us, period_us) in [(99, 1_000), (1_001, 1_000), (500, 999), (100, 1_000_001), (0, 0)] {
            assert_eq!(Budget::new(budget_us, period_us), None, "{budget_us} in {period_us}");
        }
        assert!(Budget::new(100, 1_000).is_some() && Budget::new(1_000_000, 1_000_000).is_some());
    }

    #[test]
    fn the_rtos_is_answered_both_in_one_word_that_is_no_error() {
        let most = Budget::new(1_000_000, 1_000_000).expect("the most");
        assert_eq!(most.word(), 0x000f_4240_000f_4240);
        assert!(most.word() as i64 > 0 && Budget::NONE.word() == 0);
    }
}
