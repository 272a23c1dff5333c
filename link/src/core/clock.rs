//! The peer's clock: its 32-bit stamps unwrapped, its offset to ours and that offset's error (LNK-4).

use super::rtt::WindowedMin;
use crate::wire::unwrap_u32;
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};

/// Estimate of the peer's clock.
#[derive(Clone, Debug, Default)]
pub struct PeerClock {
    last_stamp_us: Option<u64>,
    /// Peer's stamp less ours, of packets that arrived there: the offset plus the way there.
    there: WindowedMin,
    /// Our stamp less the peer's, of packets that came: the way back less the offset.
    back: WindowedMin,
    back_now: i64,
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

    /// A packet we sent at `sent` reached the peer at `received`, its clock.
    pub fn on_answer(&mut self, now: MonoTime, sent: MonoTime, received: PeerTime) {
        self.there.add(now, received.as_nanos() as i64 - sent.as_nanos() as i64);
    }

    /// A packet the peer sent at `sent`, its clock, came now.
    pub fn on_packet(&mut self, now: MonoTime, sent: PeerTime) {
        self.back_now = now.as_nanos() as i64 - sent.as_nanos() as i64;
        self.back.add(now, self.back_now);
    }

    /// How much longer the last packet was on its way to us than the quickest of the last ten seconds.
    pub fn queue_back(&self) -> Duration {
        let least = self.back.get().unwrap_or(self.back_now);
        Duration::from_nanos((self.back_now - least).max(0) as u64)
    }

    /// `peer clock − own clock` in nanoseconds and the bound of its error, once known. Neither way takes less than no
    /// time, so the offset lies between the two minima; each way's own, for a queue on one often outlasts ten seconds.
    pub fn offset(&self) -> Option<(i64, Duration)> {
        let (there, back) = (self.there.get()?, self.back.get()?);
        Some(((there - back) / 2, Duration::from_nanos(((there + back) / 2).max(0) as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ways_quickest_packet_counts_and_what_both_take_bounds_the_error() {
        let mut clock = PeerClock::default();
        let (at, peer) = (MonoTime::from_millis, PeerTime::from_millis);
        // The peer is 1 s ahead. The way there takes 900 ms, later 10; the way back 10, later 40 ms.
        clock.on_answer(at(5_910), at(5_000), peer(6_900));
        assert_eq!(clock.offset(), None);
        clock.on_packet(at(5_910), peer(6_900));
        assert_eq!(clock.offset(), Some((1_445_000_000, Duration::from_millis(455))));
        clock.on_answer(at(7_050), at(7_000), peer(8_010));
        clock.on_packet(at(7_050), peer(8_010));
        assert_eq!(clock.offset(), Some((1_000_000_000, Duration::from_millis(10))));
        assert_eq!(clock.queue_back(), Duration::from_millis(30));
    }

    #[test]
    fn stamps_go_on_over_a_wrap_and_may_step_back_a_little() {
        let mut clock = PeerClock::default();
        let first = clock.unwrap(u32::MAX - 10);
        assert_eq!(clock.unwrap(5).as_micros(), first.as_micros() + 16);
        assert_eq!(clock.unwrap(u32::MAX - 20).as_micros(), first.as_micros() - 10);
    }
}
