//! How fast the vehicle is and whether it stands, as far as its motors tell. SPEC.md DRV-93, DRV-107.
//!
//! Pure, constant time; a part of the gate. Motors that measure nothing leave it unknown.

use std::time::Duration;

use tokkyu_contract::MonoTime;

/// A vehicle below this speed stands: what most wheel encoders still tell from noise, m/s.
pub const STANDS_BELOW_MPS: f32 = 0.05;
/// It has to stand for so long: a vehicle that rocks passes through 0.
pub const STANDS_FOR: Duration = Duration::from_millis(300);
/// A speed that was told so long ago says nothing about now.
pub const SPEED_WORTH: Duration = Duration::from_millis(300);

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    /// When the motors told a speed last, and which.
    told: Option<(MonoTime, f32)>,
    still_since: Option<MonoTime>,
}

impl Motion {
    /// The motors measured `mps`, either way, at `now`. What is not a number says nothing.
    pub(super) fn on_speed(&mut self, now: MonoTime, mps: f32) {
        if mps.is_nan() {
            return;
        }
        self.told = Some((now, mps.abs()));
        self.still_since = match mps.abs() < STANDS_BELOW_MPS {
            true => self.still_since.or(Some(now)),
            false => None,
        };
    }

    /// How fast it is, m/s; `None` where nobody knows.
    pub(super) fn speed(&self, now: MonoTime) -> Option<f32> {
        self.told.filter(|(at, _)| now.since(*at) <= SPEED_WORTH).map(|(_, mps)| mps)
    }

    /// Whether it stands; `None` where nobody knows.
    pub(super) fn stands(&self, now: MonoTime) -> Option<bool> {
        self.speed(now)?;
        Some(self.still_since.is_some_and(|since| now.since(since) >= STANDS_FOR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_when_it_has_been_still_for_a_while_and_somebody_still_says_so() {
        let at = MonoTime::from_millis;
        let mut motion = Motion::default();
        assert_eq!(motion.stands(at(0)), None);
        motion.on_speed(at(100), 1.0);
        assert_eq!(motion.stands(at(100)), Some(false));
        motion.on_speed(at(200), -0.04);
        motion.on_speed(at(400), f32::NAN);
        assert_eq!(motion.stands(at(500)), Some(true));
        motion.on_speed(at(501), -0.06);
        assert_eq!(motion.stands(at(502)), Some(false), "it rocks");
        assert_eq!(motion.stands(at(802)), None, "the last word is old");
    }
}
