//! The peer's clock: its 32-bit stamps unwrapped, its offset to ours and that offset's error (LNK-4).

use crate::wire::unwrap_u32;
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};

/// Exchanges are compared over this many slots of one second.
const SLOTS: usize = 10;
const SLOT: Duration = Duration::from_secs(1);

/// One exchange: the offset it shows, and the round trip that bounds its error.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    offset_nanos: i64,
    rtt: Duration,
}

/// Estimate of the peer's clock.
#[derive(Clone, Debug, Default)]
pub struct PeerClock {
    last_stamp_us: Option<u64>,
    slots: [Option<Exchange>; SLOTS],
    at: usize,
    slot_since: MonoTime,
}

impl PeerClock {
    /// The full time of a 32-bit stamp of the peer, near the last one seen.
    pub fn unwrap(&mut self, stamp_us: u32) -> PeerTime {
        // One turn ahead, so that a stamp a little older than the first does not fall below zero.
        let expected = self.last_stamp_us.unwrap_or((1 << 32) + u64::from(stamp_us));
        let full = unwrap_u32(stamp_us, expected);
        self.last_stamp_us = Some(expected.max(full));
        PeerTime::from_micros(full)
    }

    /// An exchange: we sent at `sent`, the peer received at `received` (its clock), and `rtt` is the round trip
    /// without the time the peer held the answer.
    pub fn on_exchange(&mut self, now: MonoTime, sent: MonoTime, received: PeerTime, rtt: Duration) {
        if now.since(self.slot_since) >= SLOT {
            self.at = (self.at + 1) % SLOTS;
            self.slots[self.at] = None;
            self.slot_since = now;
        }
        let middle = sent + rtt / 2;
        let offset_nanos = received.as_nanos() as i64 - middle.as_nanos() as i64;
        let slot = &mut self.slots[self.at];
        if slot.is_none_or(|best| rtt < best.rtt) {
            *slot = Some(Exchange { offset_nanos, rtt });
        }
    }

    fn best(&self) -> Option<Exchange> {
        self.slots.iter().flatten().min_by_key(|exchange| exchange.rtt).copied()
    }

    /// `peer clock − own clock` in nanoseconds and the bound of its error, once known.
    pub fn offset(&self) -> Option<(i64, Duration)> {
        self.best().map(|best| (best.offset_nanos, best.rtt / 2))
    }

    /// A point on the peer's clock on ours, once the offset is known.
    pub fn to_mono(&self, peer: PeerTime) -> Option<MonoTime> {
        self.offset().map(|(offset_nanos, _)| peer.to_mono(offset_nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exchange_with_the_shortest_round_trip_wins_and_bounds_the_error() {
        let mut clock = PeerClock::default();
        let ms = Duration::from_millis;
        assert_eq!(clock.offset(), None);
        // Peer is 1 s ahead; the way there takes 10 ms, the way back 10, then 40 ms.
        let sent = MonoTime::from_millis(5_000);
        clock.on_exchange(MonoTime::from_millis(5_020), sent, PeerTime::from_millis(6_010), ms(20));
        clock.on_exchange(MonoTime::from_millis(5_050), sent, PeerTime::from_millis(6_010), ms(50));
        assert_eq!(clock.offset(), Some((1_000_000_000, ms(10))));
        assert_eq!(clock.to_mono(PeerTime::from_millis(7_000)), Some(MonoTime::from_millis(6_000)));
    }

    #[test]
    fn stamps_go_on_over_a_wrap_and_may_step_back_a_little() {
        let mut clock = PeerClock::default();
        let first = clock.unwrap(u32::MAX - 10);
        assert_eq!(clock.unwrap(5).as_micros(), first.as_micros() + 16);
        assert_eq!(clock.unwrap(u32::MAX - 20).as_micros(), first.as_micros() - 10);
    }
}
