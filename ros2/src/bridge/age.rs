//! How old a sample was when the bridge got it: ROS2-13.
//!
//! Pure.

use std::time::Duration;

use tokkyu_contract::{Durability, WallTime};

/// A writer's clock that is further behind ours than this is wrong, or the sample is kept history; either way its age
/// says nothing about the path.
const BELIEVABLE: Duration = Duration::from_secs(10);

/// A sample's age, and whether the two clocks agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Age {
    pub(super) age: Duration,
    pub(super) is_believed: bool,
    /// Its writer says that it wrote it later than now.
    is_of_the_future: bool,
}

impl Age {
    /// Whether the writer's clock is to be reported. What a transient local writer keeps may be as old as it likes.
    pub(super) fn is_odd(&self, durability: Durability) -> bool {
        !self.is_believed && (self.is_of_the_future || durability == Durability::Volatile)
    }
}

/// Age at `now` of a sample that its writer says it wrote at `source`. With a lifespan an older one is taken as it is: it
/// is history, and may be too old to be of use.
pub(super) fn of(now: WallTime, source: WallTime, lifespan: Option<Duration>) -> Age {
    let nanoseconds = now.signed_nanos_since(source);
    let age = Duration::from_nanos(nanoseconds.max(0).unsigned_abs());
    let limit = lifespan.map_or(BELIEVABLE, |lifespan| lifespan.max(BELIEVABLE));
    // Clocks of one machine, read one after the other, may be some microseconds apart.
    let is_of_the_future = nanoseconds <= -1_000_000;
    let is_believed = !is_of_the_future && age <= limit;
    Age { age: if is_believed { age } else { Duration::ZERO }, is_believed, is_of_the_future }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: WallTime = WallTime::from_millis(1_700_000_000_000);

    fn age(behind_ms: i64, lifespan: Option<u64>) -> (u64, bool) {
        let Age { age, is_believed, .. } =
            of(NOW, NOW.offset(-behind_ms * 1_000_000), lifespan.map(Duration::from_millis));
        (age.as_millis() as u64, is_believed)
    }

    #[test]
    fn an_age_is_believed_up_to_ten_seconds_or_the_lifespan() {
        assert_eq!(age(20, None), (20, true));
        assert_eq!(age(10_000, Some(500)), (10_000, true), "too old, and known to be");
        assert_eq!(age(10_001, None), (0, false));
        assert_eq!(age(30_000, Some(60_000)), (30_000, true));
    }

    #[test]
    fn kept_history_says_nothing_about_a_clock_and_a_sample_from_the_future_does() {
        for (behind_ms, odd_if_kept, odd_if_volatile) in
            [(20, false, false), (60_000, false, true), (-5, true, true)]
        {
            let age = of(NOW, NOW.offset(-behind_ms * 1_000_000), None);
            let odd = [Durability::TransientLocal, Durability::Volatile].map(|kind| age.is_odd(kind));
            assert_eq!(odd, [odd_if_kept, odd_if_volatile], "{behind_ms} ms");
        }
    }

    #[test]
    fn a_sample_from_the_future_has_no_age() {
        assert_eq!(age(0, None), (0, true));
        assert_eq!(age(-5, None), (0, false));
    }
}
