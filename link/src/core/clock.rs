//! The peer's clock: its 32-bit stamps unwrapped, its offset to ours and that offset's error (LNK-4).
//!
//! Clocks may jump against each other: a machine that is suspended, or a virtual one that is paused, stops its monotonic
//! clock. Then the two ways contradict each other, and what was learned before is void.

use super::rtt::WindowedMin;
use crate::wire::unwrap_u32;
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};

/// Neither way takes less than no time, so both together do not either, but for two clocks that drift apart while a
/// minimum is kept: NTP slews each by 500 ppm at most, for ten seconds.
const MOST_DRIFT_NANOS: i64 = 10_000_000;

/// Estimate of the peer's clock.
#[derive(Clone, Debug, Default)]
pub struct PeerClock {
    last_stamp_us: Option<u64>,
    /// Peer's stamp less ours, of packets that arrived there: the offset plus the way there.
    there: WindowedMin,
    /// Our stamp less the peer's, of packets that came: the way back less the offset.
    back: WindowedMin,
    back_now: i64,
    /// When the two ways contradicted each other last: stamps of ours from before it are of another time.
    anew: MonoTime,
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

    /// Whether a stamp of ours is of this time: from after the last jump.
    pub fn is_of_now(&self, sent: MonoTime) -> bool {
        sent >= self.anew
    }

    /// A packet we sent at `sent` reached the peer at `received`, its clock. True where that shows that a clock jumped.
    pub fn on_answer(&mut self, now: MonoTime, sent: MonoTime, received: PeerTime) -> bool {
        if !self.is_of_now(sent) {
            return false;
        }
        self.there.add(now, received.as_nanos() as i64 - sent.as_nanos() as i64);
        self.check(now)
    }

    /// A packet the peer sent at `sent`, its clock, came now. True where that shows that a clock jumped.
    pub fn on_packet(&mut self, now: MonoTime, sent: PeerTime) -> bool {
        self.back_now = now.as_nanos() as i64 - sent.as_nanos() as i64;
        self.back.add(now, self.back_now);
        self.check(now)
    }

    /// Two ways that take less than no time together: a clock jumped. Both minima start anew, from packets that are
    /// still to be sent, and until both are known again so is no offset.
    fn check(&mut self, now: MonoTime) -> bool {
        let sum = self.there.get().zip(self.back.get()).map(|(there, back)| there.saturating_add(back));
        let jumped = sum.is_some_and(|sum| sum < -MOST_DRIFT_NANOS);
        if jumped {
            let Self { last_stamp_us, back_now, .. } = *self;
            // One more than now: the answer to a packet of this very moment may be of before.
            let anew = now + Duration::from_nanos(1);
            *self = PeerClock { last_stamp_us, back_now, anew, ..PeerClock::default() };
        }
        jumped
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
        Some(((there - back) / 2, Duration::from_nanos(((there + back) / 2).unsigned_abs())))
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
    fn ways_that_contradict_each_other_start_anew_with_what_is_sent_from_then_on() {
        let (at, peer) = (MonoTime::from_millis, PeerTime::from_millis);
        // Own clock and the peer's agree, 10 ms each way; then ours stands for 8 s.
        let mut clock = PeerClock::default();
        clock.on_answer(at(1_020), at(1_000), peer(1_010));
        clock.on_packet(at(1_020), peer(1_010));
        assert_eq!(clock.offset(), Some((0, Duration::from_millis(10))));
        clock.on_packet(at(1_030), peer(9_020));
        assert_eq!(clock.offset(), None);
        clock.on_packet(at(1_030), peer(9_020));
        clock.on_answer(at(1_031), at(1_025), peer(1_035));
        assert_eq!(clock.offset(), None, "this packet was sent before our clock stood");
        clock.on_answer(at(1_060), at(1_040), peer(9_050));
        assert_eq!(clock.offset(), Some((8_000_000_000, Duration::from_millis(10))));
        // Now the peer's stands for 2 s.
        clock.on_packet(at(3_060), peer(9_050));
        clock.on_answer(at(3_100), at(3_080), peer(9_090));
        assert_eq!(clock.offset(), None);
        clock.on_packet(at(3_120), peer(9_110));
        clock.on_answer(at(3_150), at(3_130), peer(9_140));
        assert_eq!(clock.offset(), Some((6_000_000_000, Duration::from_millis(10))));
    }

    #[test]
    fn clocks_that_drift_apart_contradict_nothing() {
        let mut clock = PeerClock::default();
        // 100 µs each way, the peer's clock 500 ppm fast: in ten seconds 5 ms.
        for ms in (0..60_000).step_by(20) {
            let peer = |ahead_us: u64| PeerTime::from_micros(ms * 1_000 + ahead_us + ms / 2 + 10_000_000);
            clock.on_answer(MonoTime::from_millis(ms), MonoTime::from_millis(ms), peer(100));
            clock.on_packet(MonoTime::from_millis(ms), peer(0).saturating_sub(Duration::from_micros(100)));
            let (offset, error) = clock.offset().expect("known");
            let true_offset = 10_000_000_000 + ms as i64 * 500;
            assert!(
                (offset - true_offset).unsigned_abs() <= 5_000_000 && error <= Duration::from_millis(5),
                "{ms}"
            );
        }
    }

    #[test]
    fn stamps_go_on_over_a_wrap_and_may_step_back_a_little() {
        let mut clock = PeerClock::default();
        let first = clock.unwrap(u32::MAX - 10);
        assert_eq!(clock.unwrap(5).as_micros(), first.as_micros() + 16);
        assert_eq!(clock.unwrap(u32::MAX - 20).as_micros(), first.as_micros() - 10);
    }
}
