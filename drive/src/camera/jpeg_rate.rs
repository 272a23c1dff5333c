//! The JPEG quality that fits a bit rate.
//!
//! Pure; runs once for each picture, constant time, no clock. SPEC.md DRV-37.
//!
//! The size of a JPEG falls about as a power of its quantiser scale (the number by which the tables of ITU-T T.81
//! annex K are multiplied), so the controller moves the logarithm of that scale in proportion to the logarithm of
//! "size over target". Quality 1 to 100 is the Independent JPEG Group's name for the same scale.
//!
//! ```text
//!   bytes / budget   0        0.70       0.85       1.00
//!                    ├──────────┼──────────┼──────────┼──────────▶
//!                     raise,      hold      hold       lower,
//!                     slowly           (target)        at once
//! ```
//! Invariant: the quality stays within [`LOWEST_QUALITY`] to [`HIGHEST_QUALITY`]. Down is fast because a picture too
//! long is a picture too late; up is slow because a scene that just became quiet often becomes busy again. The band
//! between keeps the quality from swinging.

/// Below this a street scene cannot be read; a link that cannot carry it needs fewer or smaller pictures.
pub const LOWEST_QUALITY: u8 = 10;
/// Above this bytes grow fast and nothing is seen of it.
pub const HIGHEST_QUALITY: u8 = 95;

const RAISE_BELOW: f64 = 0.70;
const TARGET: f64 = 0.85;
/// Steps of the scale's logarithm for one of the size's: the measured exponent lies near 1/1.5, so 1 never overshoots.
const GAIN_DOWN: f64 = 1.0;
const GAIN_UP: f64 = 0.25;
const COARSEST_SCALE: f64 = 500.0;
const FINEST_SCALE: f64 = 10.0;
/// Where to start before anything is known: quality 75.
const FIRST_SCALE: f64 = 50.0;

/// Chooses the quality of the next picture; see the module.
#[derive(Clone, Debug)]
pub struct JpegRate {
    scale: f64,
    budget_bytes: f64,
    rate_hz: f64,
    fits: bool,
}

impl JpegRate {
    /// A controller for `rate_hz` pictures in a second (finite, above 0) and `granted_bps` bits in a second for all
    /// of them together.
    pub fn new(rate_hz: f64, granted_bps: u64) -> JpegRate {
        let mut rate = JpegRate { scale: FIRST_SCALE, budget_bytes: 0.0, rate_hz, fits: true };
        rate.set_granted(granted_bps);
        rate
    }

    /// The link grants another rate, in bits in a second.
    pub fn set_granted(&mut self, granted_bps: u64) {
        let budget = granted_bps as f64 / 8.0 / self.rate_hz;
        // At least one byte, so that the logarithm below exists when nothing is granted.
        self.budget_bytes = if budget.is_finite() { budget.max(1.0) } else { 1.0 };
    }

    /// Bytes one picture may have.
    pub fn budget_bytes(&self) -> u64 {
        self.budget_bytes as u64
    }

    /// The quality for the next picture.
    pub fn quality(&self) -> u8 {
        let quality = if self.scale >= 100.0 { 5_000.0 / self.scale } else { (200.0 - self.scale) / 2.0 };
        // Rounded down: the smaller picture of the two.
        (quality as u8).clamp(LOWEST_QUALITY, HIGHEST_QUALITY)
    }

    /// A picture compressed at [`JpegRate::quality`] has `bytes`.
    pub fn on_encoded(&mut self, bytes: usize) {
        let bytes = (bytes as f64).max(1.0);
        self.fits = bytes <= self.budget_bytes;
        let gain = if !self.fits {
            GAIN_DOWN
        } else if bytes < RAISE_BELOW * self.budget_bytes {
            GAIN_UP
        } else {
            return;
        };
        let error = (bytes / (TARGET * self.budget_bytes)).ln();
        self.scale = (self.scale * (gain * error).exp()).clamp(FINEST_SCALE, COARSEST_SCALE);
    }

    /// True when the last picture fitted. False at [`LOWEST_QUALITY`] for picture after picture means that the
    /// granted rate is too low for this size and rate of pictures.
    pub fn fits(&self) -> bool {
        self.fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes of a picture as real encoders give them: a floor for headers, then a power of the quantiser scale.
    fn bytes_at(quality: u8, busy: f64) -> usize {
        let q = f64::from(quality);
        let scale = if q < 50.0 { 5_000.0 / q } else { 200.0 - 2.0 * q };
        (600.0 + busy * scale.powf(-0.66)) as usize
    }

    fn run(rate: &mut JpegRate, pictures: u32, busy: f64) -> Vec<(u8, usize)> {
        let mut seen = Vec::new();
        for _ in 0..pictures {
            let (quality, bytes) = (rate.quality(), bytes_at(rate.quality(), busy));
            rate.on_encoded(bytes);
            seen.push((quality, bytes));
        }
        seen
    }

    const STREET: f64 = 800_000.0;

    #[test]
    fn pictures_that_are_too_long_fit_within_a_few_frames() {
        let mut rate = JpegRate::new(10.0, 2_000_000);
        assert_eq!(rate.budget_bytes(), 25_000);
        let seen = run(&mut rate, 6, STREET);
        assert!(
            seen[0].1 > 25_000,
            "the first picture must be too long for this test to mean something: {seen:?}"
        );
        assert!(seen[5].1 <= 25_000 && rate.fits(), "{seen:?}");
    }

    #[test]
    fn a_settled_controller_holds_its_quality_while_sizes_wander() {
        let mut rate = JpegRate::new(10.0, 4_000_000);
        run(&mut rate, 100, STREET);
        let before = rate.quality();
        let used = bytes_at(before, STREET) as f64 / 50_000.0;
        assert!((0.7..=1.0).contains(&used), "settled at {used} of the budget");
        for wander in [0.99, 1.01, 0.98, 1.02, 1.0] {
            run(&mut rate, 1, STREET * wander);
            assert_eq!(rate.quality(), before);
        }
    }

    #[test]
    fn down_is_faster_than_up() {
        let mut rate = JpegRate::new(10.0, 8_000_000);
        run(&mut rate, 100, STREET);
        let high = rate.quality();
        rate.set_granted(1_600_000);
        let down = run(&mut rate, 100, STREET).iter().position(|(_, bytes)| *bytes <= 20_000).unwrap();
        rate.set_granted(8_000_000);
        let up = run(&mut rate, 100, STREET).iter().position(|(_, bytes)| *bytes >= 70_000).unwrap();
        assert!(down < up, "down in {down}, up in {up} pictures");
        assert!(rate.quality().abs_diff(high) <= 3, "comes back near {high}, not {}", rate.quality());
    }

    #[test]
    fn a_rate_too_low_for_any_quality_is_said_and_does_not_wind_up() {
        let mut rate = JpegRate::new(10.0, 0);
        run(&mut rate, 50, STREET);
        assert_eq!((rate.quality(), rate.fits()), (LOWEST_QUALITY, false));
        rate.set_granted(40_000_000);
        let seen = run(&mut rate, 20, STREET);
        assert!(seen[19].0 > 60, "{seen:?}");
    }

    #[test]
    fn plenty_ends_at_the_highest_quality() {
        let mut rate = JpegRate::new(10.0, u64::MAX);
        run(&mut rate, 100, STREET);
        assert_eq!(rate.quality(), HIGHEST_QUALITY);
    }

    proptest! {
        #[test]
        fn any_sizes_and_grants_leave_a_quality_in_range(
            steps in proptest::collection::vec((any::<u64>(), any::<usize>()), 1..50), rate_hz in 0.1f64..240.0,
        ) {
            let mut rate = JpegRate::new(rate_hz, 1_000_000);
            for (granted_bps, bytes) in steps {
                rate.set_granted(granted_bps);
                rate.on_encoded(bytes);
                prop_assert!((LOWEST_QUALITY..=HIGHEST_QUALITY).contains(&rate.quality()));
            }
        }
    }
}
