//! The peer's clock: its 32-bit stamps unwrapped, its offset to ours and that offset's error (LNK-4).
//!
//! Clocks drift, and jump against each other: a virtual machine that is paused stops its clock. Where the two ways
//! contradict each other that is proven, and what was learned before is void. A shorter jump only looks like a queue
//! that went on one way while one came on the other; no stamps tell it from that, so it widens the error instead.
//!
//! ```text
//!  way there, the least        │◄── offset ≤ there          our clock stood for X: there + X, back − X
//!  way back, the least  offset ≥ − back ──►│                the peer's did:        there − X, back + X
//! ```

mod moves;
mod way;

use crate::wire::unwrap_u32;
use moves::Moves;
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};
use way::{Way, drift};

/// The peer's stamps are cut to microseconds: a packet may have come there that much later.
const CUT_NANOS: i64 = 1_000;
/// The first stamp is taken for one of so much later, so that an older one does not fall below zero: one turn.
const TURN_US: u64 = 1 << 32;

/// Estimate of the peer's clock.
#[derive(Clone, Debug, Default)]
pub struct PeerClock {
    /// The newest stamp, and when it came.
    newest: Option<(MonoTime, u64)>,
    /// The one that came last.
    last: Option<(MonoTime, u64)>,
    /// What stamps are ahead of those told: they begin a turn late.
    turns_nanos: i64,
    /// Peer's stamp less ours, of packets that arrived there: the offset plus the way there.
    there: Way,
    /// Our stamp less the peer's, of packets that came: the way back less the offset.
    back: Way,
    /// What our clock may have stood for, by our time.
    stood: Moves<MonoTime>,
    /// What the peer's may have stood for, by its time.
    peer_stood: Moves<PeerTime>,
    /// When the two ways contradicted each other last: stamps of ours from before it are of another time.
    anew: MonoTime,
}

impl PeerClock {
    /// The full time of a 32-bit stamp of the peer that came now, near where its clock should be.
    pub fn unwrap(&mut self, now: MonoTime, stamp_us: u32) -> PeerTime {
        let expected = self.newest.map_or(now.as_micros() + TURN_US, |(at, newest_us)| {
            newest_us + now.since(at).as_micros() as u64
        });
        let full = unwrap_u32(stamp_us, expected);
        if self.newest.is_none() && full >= TURN_US {
            self.turns_nanos = TURN_US as i64 * 1_000;
        }
        self.last = Some((now, full));
        if self.newest.is_none_or(|(_, newest_us)| full > newest_us) {
            self.newest = self.last;
        }
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
        let there = received.as_nanos() as i64 - sent.as_nanos() as i64 + CUT_NANOS;
        let shorter = self.there.add(now, sent, there, self.stood.since(sent));
        if shorter > 0 {
            self.back.widen(shorter);
            self.peer_stood.add(stamp_of(self.newest), shorter);
        }
        self.check(now)
    }

    /// A packet the peer sent at `sent`, its clock, came now. True where that shows that a clock jumped.
    pub fn on_packet(&mut self, now: MonoTime, sent: PeerTime) -> bool {
        let back = now.as_nanos() as i64 - sent.as_nanos() as i64;
        // It is from before no jump: the peer sent it before it came, whatever its clock did in between.
        let shorter = self.back.add(now, now, back, Some(0));
        if shorter > 0 {
            self.there.widen(shorter);
            self.stood.add(now, shorter);
        }
        self.check(now)
    }

    /// Two ways that take less than no time together: a clock jumped. Both minima start anew.
    fn check(&mut self, now: MonoTime) -> bool {
        let ways = self.there.seen(now).zip(self.back.seen(now));
        let jumped = ways.is_some_and(|(there, back)| there.saturating_add(back) < 0);
        if jumped {
            self.begin_anew(now);
        }
        jumped
    }

    /// A clock jumped: until a packet that is still to be sent is answered, there is no offset.
    pub fn begin_anew(&mut self, now: MonoTime) {
        // What was newest may be of another turn.
        let Self { last, turns_nanos, .. } = *self;
        // One more than now: the answer to a packet of this very moment may be of before.
        let anew = now + Duration::from_nanos(1);
        let peer_stood = Moves::anew(stamp_of(last));
        *self = PeerClock { newest: last, last, turns_nanos, anew, peer_stood, ..PeerClock::default() };
    }

    /// `peer clock − own clock` in nanoseconds and the bound of its error, once known. Neither way takes less than no
    /// time, so the offset lies between the two minima; each way's own, for a queue on one often outlasts ten seconds.
    pub fn offset(&self, now: MonoTime) -> Option<(i64, Duration)> {
        let (there, back) = (self.there.safe(now)?, self.back.safe(now)?);
        let error = (there.saturating_add(back) / 2).saturating_add(1);
        Some((there.saturating_sub(back) / 2, Duration::from_nanos(error.max(0) as u64)))
    }

    /// The offset to tell people: stamps do not tell turns, so it is the one nearest to zero when they began.
    pub fn told_offset(&self, now: MonoTime) -> Option<(i64, Duration)> {
        self.offset(now).map(|(offset, error)| (offset - self.turns_nanos, error))
    }

    /// A stamp of the peer as people are told it, in line with the offset told.
    pub fn told(&self, stamp: PeerTime) -> PeerTime {
        stamp.offset(-self.turns_nanos)
    }

    /// Age of what the peer captured at `capture`, and the bound of its error, once known. A sample from before the
    /// peer's clock may have stood may be older by as much.
    pub fn age(&self, now: MonoTime, capture: PeerTime) -> Option<(Duration, Duration)> {
        let (offset, error) = self.offset(now)?;
        let age = now.since(capture.to_mono(offset));
        let drift = drift(age.as_nanos().try_into().unwrap_or(i64::MAX));
        let stood = self.peer_stood.since(capture)?;
        Some((age, error.saturating_add(Duration::from_nanos(drift.saturating_add(stood).max(0) as u64))))
    }
}

fn stamp_of(came: Option<(MonoTime, u64)>) -> PeerTime {
    PeerTime::from_micros(came.map_or(0, |(_, stamp_us)| stamp_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> MonoTime {
        MonoTime::from_millis(millis)
    }

    fn peer(millis: u64) -> PeerTime {
        PeerTime::from_millis(millis)
    }

    /// The offset and its error, as far as a few milliseconds of drift and of cut stamps.
    fn assert_about(known: Option<(i64, Duration)>, offset_ms: i64, error_ms: u64) {
        let (offset, error) = known.expect("known");
        let off = (offset - offset_ms * 1_000_000).unsigned_abs();
        assert!(off <= 2_000_000, "{known:?}");
        assert!(error.abs_diff(Duration::from_millis(error_ms)) <= Duration::from_millis(2), "{known:?}");
    }

    #[test]
    fn each_ways_quickest_packet_counts_and_what_both_take_bounds_the_error() {
        let mut clock = PeerClock::default();
        // The peer is 1 s ahead. The way there takes 900 ms, later 10; the way back 10, later 40 ms.
        clock.on_answer(at(5_910), at(5_000), peer(6_900));
        assert_eq!(clock.offset(at(5_910)), None);
        clock.on_packet(at(5_910), peer(6_900));
        assert_about(clock.offset(at(5_910)), 1_445, 455);
        clock.on_packet(at(7_050), peer(8_010));
        clock.on_answer(at(7_050), at(7_000), peer(8_010));
        // The peer's clock may have stood as well: then the way back was never as short as 10 ms.
        assert_about(clock.offset(at(7_050)), 555, 455);
        clock.on_packet(at(7_051), peer(8_011));
        assert_about(clock.offset(at(7_051)), 985, 25);
    }

    #[test]
    fn ways_that_contradict_each_other_start_anew_with_what_is_sent_from_then_on() {
        // Own clock and the peer's agree, 10 ms each way; then ours stands for 8 s.
        let mut clock = PeerClock::default();
        clock.on_answer(at(1_020), at(1_000), peer(1_010));
        clock.on_packet(at(1_020), peer(1_010));
        assert_about(clock.offset(at(1_020)), 0, 10);
        clock.on_packet(at(1_030), peer(9_020));
        assert_eq!(clock.offset(at(1_030)), None);
        clock.on_packet(at(1_030), peer(9_020));
        clock.on_answer(at(1_031), at(1_025), peer(1_035));
        assert_eq!(clock.offset(at(1_031)), None, "this packet was sent before our clock stood");
        clock.on_answer(at(1_060), at(1_040), peer(9_050));
        assert_about(clock.offset(at(1_060)), 8_000, 10);
        // Now the peer's stands for 2 s.
        clock.on_packet(at(3_060), peer(9_050));
        clock.on_answer(at(3_100), at(3_080), peer(9_090));
        assert_eq!(clock.offset(at(3_100)), None);
        clock.on_packet(at(3_120), peer(9_110));
        clock.on_answer(at(3_150), at(3_130), peer(9_140));
        assert_about(clock.offset(at(3_150)), 6_000, 10);
    }

    #[test]
    fn clocks_that_drift_apart_contradict_nothing_and_the_error_holds_it() {
        let mut clock = PeerClock::default();
        // 100 µs each way, the peer's clock 500 ppm fast: in ten seconds 5 ms.
        for ms in (0..60_000).step_by(20) {
            let peer = |ahead_us: u64| PeerTime::from_micros(ms * 1_000 + ahead_us + ms / 2 + 10_000_000);
            assert!(!clock.on_answer(at(ms), at(ms), peer(100)));
            assert!(!clock.on_packet(at(ms), peer(0).saturating_sub(Duration::from_micros(100))));
            let (offset, error) = clock.offset(at(ms)).expect("known");
            let off = offset.abs_diff(10_000_000_000 + ms as i64 * 500);
            assert!(Duration::from_nanos(off) <= error && error <= Duration::from_micros(120), "{ms}");
        }
        let later = clock.offset(at(100_000)).expect("known").1;
        assert!(later >= Duration::from_millis(40), "nothing came for 40 s: {later:?}");
    }

    #[test]
    fn a_jump_too_short_to_be_proven_widens_the_error_instead() {
        let mut clock = PeerClock::default();
        clock.on_answer(at(1_020), at(1_000), peer(1_010));
        clock.on_packet(at(1_020), peer(1_010));
        // Ours stands for 15 ms: more than a way, less than both.
        clock.on_packet(at(1_040), peer(1_045));
        assert_about(clock.offset(at(1_040)), 15, 10);
        clock.on_answer(at(1_041), at(1_010), peer(1_020));
        assert_about(clock.offset(at(1_041)), 15, 10);
    }

    #[test]
    fn a_sample_from_before_the_peers_clock_stood_may_be_older_by_as_much() {
        let mut clock = PeerClock::default();
        let stamped = |clock: &mut PeerClock, now, micros| clock.unwrap(at(now), micros);
        let sent = stamped(&mut clock, 1_020, 1_010_000);
        clock.on_packet(at(1_020), sent);
        clock.on_answer(at(1_020), at(1_000), sent);
        // The peer's stands for 15 ms, which an answer shows.
        let sent = stamped(&mut clock, 1_061, 1_035_000);
        clock.on_packet(at(1_061), sent);
        clock.on_answer(at(1_061), at(1_040), sent);
        let (before, after) =
            (sent.saturating_sub(Duration::from_millis(5)), sent + Duration::from_millis(1));
        let error = |captured| clock.age(at(1_061), captured).map(|(_, error)| error.as_millis());
        assert_eq!((error(before), error(after)), (Some(25), Some(10)));
    }

    #[test]
    fn stamps_go_on_over_a_wrap_and_may_step_back_a_little() {
        let mut clock = PeerClock::default();
        let first = clock.unwrap(at(5), u32::MAX - 10);
        assert_eq!(clock.unwrap(at(5), 5).as_micros(), first.as_micros() + 16);
        assert_eq!(clock.unwrap(at(5), u32::MAX - 20).as_micros(), first.as_micros() - 10);
    }

    #[test]
    fn the_offset_told_is_nearest_to_zero_but_for_a_peers_clock_below_it() {
        let turn_us = TURN_US as i64;
        for (own_us, peer_us, told_us) in
            [(9 * turn_us, 2 * turn_us + 5, 5), (9 * turn_us, turn_us - 5, -5), (3, turn_us - 5, turn_us - 8)]
        {
            let (mut clock, now) = (PeerClock::default(), MonoTime::from_micros(own_us as u64));
            let sent = clock.unwrap(now, peer_us as u32);
            clock.on_packet(now, sent);
            clock.on_answer(now, now, sent);
            let (offset, error) = clock.told_offset(now).expect("known");
            assert!(offset.abs_diff(told_us * 1_000) <= error.as_nanos() as u64, "{offset} {told_us}");
            assert_eq!(clock.told(sent).as_micros() as i64, own_us + told_us);
        }
    }

    #[test]
    fn a_stamp_after_an_hour_without_any_is_an_hour_later() {
        let (mut clock, hour_us) = (PeerClock::default(), 3_600_000_000);
        let first = clock.unwrap(at(5), 7);
        let late = clock.unwrap(at(5) + Duration::from_micros(hour_us), 7_u32.wrapping_add(hour_us as u32));
        assert_eq!(late.as_micros(), first.as_micros() + hour_us);
    }
}
