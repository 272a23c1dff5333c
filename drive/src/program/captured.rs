//! The capture stamp of a sample on our own clock.

use std::time::Duration;

use tokkyu_contract::{MonoTime, PeerTime};
use tokkyu_link::core::Delivered;

/// When the sample was captured, on our clock: exactly where both ends share one, else by the link's estimate.
pub(crate) fn captured(delivered: &Delivered, same_clock: bool) -> MonoTime {
    if same_clock {
        on_shared_clock(delivered.capture, delivered.at)
    } else {
        delivered.at.saturating_sub(delivered.age)
    }
}

/// The link carries the low 32 bits of a stamp in microseconds; the stamp is the newest one not after `arrival` that has
/// them.
fn on_shared_clock(capture: PeerTime, arrival: MonoTime) -> MonoTime {
    let age_us = (arrival.as_micros() as u32).wrapping_sub(capture.as_micros() as u32);
    MonoTime::from_micros(arrival.as_micros()).saturating_sub(Duration::from_micros(u64::from(age_us)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_on_a_shared_clock_is_the_newest_before_the_arrival_with_its_low_bits() {
        let turn_us = 1_u64 << 32;
        let arrival = MonoTime::from_nanos((7 * turn_us + 50_000) * 1_000 + 999);
        for (age_us, ahead_turns) in [(0, 0), (45_000, 0), (49_999, 1), (50_001, 3)] {
            let expected = arrival.as_micros() - age_us;
            let carried = PeerTime::from_micros(expected % turn_us + ahead_turns * turn_us);
            assert_eq!(on_shared_clock(carried, arrival), MonoTime::from_micros(expected), "{age_us}");
        }
    }
}
