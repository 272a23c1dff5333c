//! The one place where [`MonoTime`] meets the clocks of the system and of the libraries.
//!
//! [`MonoTime`] is `CLOCK_MONOTONIC` in nanoseconds. QUIC wants [`Instant`], which shows no number: a pair of readings
//! taken together maps one to the other, exactly, since both count the same clock on Linux. The kernel stamps packets
//! with `CLOCK_REALTIME`; only the *age* of such a stamp is used, so that a stepped calendar cannot move our time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use tokkyu_contract::MonoTime;

/// A packet older than this when it is read has a stamp from before a step of the calendar clock, not a long wait.
const OLDEST_STAMP: Duration = Duration::from_secs(1);

/// Reads this machine's monotonic clock. About 30 ns, no system call.
pub fn now() -> MonoTime {
    let read = clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from);
    // CLOCK_MONOTONIC exists on every Linux: an error here is impossible short of a broken libc.
    MonoTime::ZERO + read.expect("CLOCK_MONOTONIC can be read")
}

/// Processor time of the calling thread so far.
pub fn thread_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// Maps [`MonoTime`] to [`Instant`] and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstantMap {
    mono: MonoTime,
    instant: Instant,
}

impl InstantMap {
    /// Takes the pair of readings. They lie some 50 ns apart; the error is constant and cancels on the way back.
    pub(super) fn new() -> Self {
        InstantMap { mono: now(), instant: Instant::now() }
    }

    /// The instant of `time`. A time before this map was made, or beyond what [`Instant`] holds, becomes the map's
    /// own instant.
    pub(super) fn instant(&self, time: MonoTime) -> Instant {
        let ahead = time.since(self.mono);
        let behind = self.mono.since(time);
        let moved = self.instant.checked_add(ahead).and_then(|at| at.checked_sub(behind));
        moved.unwrap_or(self.instant)
    }

    /// The time of `instant`, exact to the nanosecond.
    pub(super) fn mono(&self, instant: Instant) -> MonoTime {
        let ahead = instant.saturating_duration_since(self.instant);
        let behind = self.instant.saturating_duration_since(instant);
        (self.mono + ahead).saturating_sub(behind)
    }
}

/// Both clocks read together, to turn the kernel's receive stamps into [`MonoTime`].
///
/// Packets come in the order in which they are read, so none is dated before the one read before it: a calendar clock that
/// steps ahead for a moment must not make packets look older than those.
#[derive(Clone, Copy, Debug)]
pub(super) struct StampReader {
    mono: MonoTime,
    since_epoch: Duration,
    /// When the packet read last arrived.
    last: MonoTime,
}

impl StampReader {
    /// Reads both clocks.
    pub(super) fn new() -> Self {
        let mut reader =
            StampReader { mono: MonoTime::ZERO, since_epoch: Duration::ZERO, last: MonoTime::ZERO };
        reader.read_clocks();
        reader
    }

    /// Reads both clocks again. To be done right after packets were read.
    pub(super) fn read_clocks(&mut self) {
        self.since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.mono = now();
    }

    /// When the packet with kernel stamp `stamp` (time since 1970) arrived. Without a believable stamp: now.
    pub(super) fn arrival(&mut self, stamp: Option<Duration>) -> MonoTime {
        let age = stamp.and_then(|stamp| self.since_epoch.checked_sub(stamp));
        let arrival = match age {
            Some(age) if age <= OLDEST_STAMP => self.mono.saturating_sub(age),
            _ => self.mono,
        };
        self.last = self.last.max(arrival);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_survives_the_way_to_an_instant_and_back_to_the_nanosecond() {
        let map = InstantMap::new();
        for nanos in [0, 1, 999_999_999, 86_400_000_000_001] {
            let time = map.mono + Duration::from_nanos(nanos);
            assert_eq!(map.mono(map.instant(time)), time);
        }
        let before = map.mono.saturating_sub(Duration::from_millis(3));
        assert_eq!(map.mono(map.instant(before)), before);
    }

    #[test]
    fn endless_time_does_not_overflow_an_instant() {
        let map = InstantMap::new();
        assert!(map.instant(MonoTime::MAX) >= map.instant);
    }

    fn reader() -> StampReader {
        let (mono, since_epoch) = (MonoTime::from_millis(5_000), Duration::from_secs(1_000));
        StampReader { mono, since_epoch, last: MonoTime::from_millis(4_990) }
    }

    #[test]
    fn a_stamp_is_used_by_its_age_alone() {
        let two_ms_ago = Duration::from_secs(1_000) - Duration::from_millis(2);
        assert_eq!(reader().arrival(Some(two_ms_ago)), MonoTime::from_millis(4_998));
    }

    #[test]
    fn a_stamp_from_before_a_step_of_the_calendar_is_not_believed() {
        for stamp in [None, Some(Duration::from_secs(1_001)), Some(Duration::from_secs(998))] {
            assert_eq!(reader().arrival(stamp), MonoTime::from_millis(5_000), "{stamp:?}");
        }
    }

    #[test]
    fn no_packet_is_dated_before_the_one_read_before_it() {
        let (mut reader, ago) = (reader(), |ms| Some(Duration::from_secs(1_000) - Duration::from_millis(ms)));
        // The calendar clock is 0.6 s ahead now, and was not when these came.
        assert_eq!(reader.arrival(ago(600)), MonoTime::from_millis(4_990));
        assert_eq!(reader.arrival(ago(5)), MonoTime::from_millis(4_995));
        assert_eq!(reader.arrival(ago(7)), MonoTime::from_millis(4_995));
    }
}
