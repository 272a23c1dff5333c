//! The speed that a base tells, between the thread that hears it and the one that asks. SPEC.md DRV-117.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::safety::SPEED_WORTH;

/// Stands for none yet: the bits of no speed, which is a number.
const NONE: u64 = u32::MAX as u64;

/// The newest speed. One word: who asks runs at a real-time priority, and waits for nobody.
#[derive(Debug)]
pub struct ToldSpeed(AtomicU64);

impl Default for ToldSpeed {
    fn default() -> ToldSpeed {
        ToldSpeed(AtomicU64::new(NONE))
    }
}

impl ToldSpeed {
    /// `mps` came at `now`. What is not a number is none.
    pub fn on_speed(&self, now: MonoTime, mps: f32) {
        if mps.is_finite() {
            // Milliseconds go round after 49 days.
            self.0.store(u64::from(millis(now)) << 32 | u64::from(mps.to_bits()), Ordering::Relaxed);
        }
    }

    fn newest(&self) -> Option<(u32, f32)> {
        let word = self.0.load(Ordering::Relaxed);
        (word != NONE).then(|| ((word >> 32) as u32, f32::from_bits(word as u32)))
    }

    /// The newest at `now`; `None`: none, or none for as long as one is worth something.
    pub(super) fn at(&self, now: MonoTime) -> Option<f32> {
        let (at, mps) = self.newest()?;
        // What came while this was asked may be of a millisecond to come.
        let age = millis(now).wrapping_sub(at) as i32;
        (Duration::from_millis(u64::try_from(age).unwrap_or(0)) <= SPEED_WORTH).then_some(mps)
    }
}

fn millis(now: MonoTime) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}

/// Gives each speed once: the gate counts the time since the last one it was told.
#[derive(Clone, Debug, Default)]
pub(super) struct Once {
    last: Option<u32>,
}

impl Once {
    pub(super) fn take(&mut self, told: &ToldSpeed, now: MonoTime) -> Option<f32> {
        let (at, _) = told.newest().filter(|(at, _)| self.last != Some(*at))?;
        let mps = told.at(now);
        self.last = Some(at);
        mps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn each_speed_is_given_once_and_an_old_one_never() {
        let (told, mut once) = (ToldSpeed::default(), Once::default());
        assert_eq!((once.take(&told, at(0)), told.at(at(0))), (None, None), "none came");
        told.on_speed(at(1_000), -1.5);
        assert_eq!((once.take(&told, at(1_000)), once.take(&told, at(1_050))), (Some(-1.5), None));
        assert_eq!((told.at(at(1_300)), told.at(at(1_301))), (Some(-1.5), None));
        told.on_speed(at(2_000), 0.0);
        assert_eq!(once.take(&told, at(2_301)), None, "it waited for too long");
        told.on_speed(at(3_000), f32::NAN);
        assert_eq!(once.take(&told, at(3_000)), None);
    }

    #[test]
    fn the_age_is_right_when_milliseconds_go_round_and_when_it_came_after_the_clock_was_read() {
        let told = ToldSpeed::default();
        let round = u64::from(u32::MAX) + 1;
        told.on_speed(at(round - 10), 2.0);
        assert_eq!((told.at(at(round + 200)), told.at(at(round + 291))), (Some(2.0), None));
        told.on_speed(at(5_001), 3.0);
        assert_eq!(told.at(at(5_000)), Some(3.0));
    }
}
