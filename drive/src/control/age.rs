//! How old something is, by an estimate of another machine's clock.

use std::time::Duration;

/// How old something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Since it was meant, or seen.
    pub estimate: Duration,
    /// Bound of the estimate's error; `Duration::MAX` before the other clock is known.
    pub error: Duration,
}

/// Stands for an age that is not known, or takes longer.
const UNKNOWN: u16 = u16::MAX;

impl Age {
    /// No age at all.
    pub const ZERO: Age = Age { estimate: Duration::ZERO, error: Duration::ZERO };

    /// It is no older.
    pub const fn at_most(&self) -> Duration {
        self.estimate.saturating_add(self.error)
    }

    /// As it stands in a command: estimate and error in milliseconds, rounded up, for nothing is younger than it is told to be.
    pub(super) fn wire(age: Option<Age>) -> [u16; 2] {
        let ms = |span: Duration| u16::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(UNKNOWN);
        let known = age.map(|age| [ms(age.estimate), ms(age.error)]);
        known.filter(|words| !words.contains(&UNKNOWN)).unwrap_or([UNKNOWN; 2])
    }

    /// The same from its two words; `None` where one of them alone is not known.
    pub(super) fn from_wire(words: [u16; 2]) -> Option<Option<Age>> {
        let ms = |ms: u16| Duration::from_millis(ms.into());
        match words {
            [UNKNOWN, UNKNOWN] => Some(None),
            [estimate, error] if estimate != UNKNOWN && error != UNKNOWN => {
                Some(Some(Age { estimate: ms(estimate), error: ms(error) }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_younger_than_it_is_and_a_minute_is_not_known() {
        let age = |us, error| Some(Age { estimate: Duration::from_micros(us), error });
        assert_eq!(Age::wire(age(45_001, Duration::from_nanos(1))), [46, 1]);
        assert_eq!(Age::wire(age(65_534_000, Duration::ZERO)), [65_534, 0]);
        assert_eq!(Age::wire(age(65_534_001, Duration::ZERO)), [UNKNOWN; 2]);
        assert_eq!(Age::wire(age(45_000, Duration::MAX)), [UNKNOWN; 2]);
        assert_eq!(Age::from_wire([UNKNOWN, 0]), None);
    }
}
