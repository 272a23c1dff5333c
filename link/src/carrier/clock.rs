//! The one place where [`MonoTime`] meets the clocks of the system and of the libraries.
//!
//! [`MonoTime`] is `CLOCK_MONOTONIC` in nanoseconds. QUIC wants [`Instant`], which shows no number: a pair of readings
//! taken together maps one to the other, exactly, since both count the same clock on Linux. The kernel stamps packets
//! with `CLOCK_REALTIME`; only the *age* of such a stamp is used, so that a stepped calendar cannot move our time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use tokkyu_contract::MonoTime;

/// Reads this machine's monotonic clock. About 30 ns, no system call.
pub fn now() -> MonoTime {
    let read = clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from);
    // CLOCK_MONOTONIC exists on every Linux: an error here is impossible short of a broken libc.
    MonoTime::ZERO + read.expect("CLOCK_MONOTONIC can be read")
}

/// How long this machine was suspended since it was started: [`MonoTime`] stood meanwhile, `CLOCK_BOOTTIME` did not.
#[derive(Clone, Copy, Debug)]
pub struct Suspends {
    so_far: Duration,
}

impl Suspends {
    /// As of now.
    pub fn new() -> Self {
        // Where something else ran in between, again; 100 readings apart are a machine without the clock.
        Suspends { so_far: (0..100).find_map(|_| Self::read()).unwrap_or(Duration::MAX) }
    }

    /// For how long it was suspended since this was asked last, if it was.
    pub fn look(&mut self) -> Option<Duration> {
        self.on_reading(Self::read()?)
    }

    fn on_reading(&mut self, so_far: Duration) -> Option<Duration> {
        let span = so_far.saturating_sub(self.so_far);
        self.so_far = if span > STEP { so_far } else { self.so_far };
        (span > STEP).then_some(span)
    }

    /// The clocks' distance. None where the two could not be read together, or the system has but one.
    fn read() -> Option<Duration> {
        let (before, boot) = (now(), clock_gettime(ClockId::CLOCK_BOOTTIME).ok()?);
        let is_together = now().since(before) <= TOGETHER;
        is_together.then(|| Duration::from(boot).saturating_sub(Duration::from_nanos(before.as_nanos())))
    }
}

impl Default for Suspends {
    fn default() -> Self {
        Self::new()
    }
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

/// The distance of the two clocks moves by less between two reads, unless the calendar is stepped.
const STEP: Duration = Duration::from_millis(1);
/// Two readings that lie further apart than this, because something else ran in between, are taken again.
const TOGETHER: Duration = Duration::from_micros(100);

/// Both clocks, read together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    mono: MonoTime,
    since_epoch: Duration,
}

impl Clocks {
    /// Reads both.
    fn read() -> Clocks {
        let mut tries = 0;
        loop {
            let before = now();
            let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let mono = now();
            tries += 1;
            if mono.since(before) <= TOGETHER || tries == 3 {
                return Clocks { mono, since_epoch };
            }
        }
    }

    /// Calendar less monotonic clock, in nanoseconds: it stands still but for steps of the calendar.
    fn distance(&self) -> i128 {
        self.since_epoch.as_nanos() as i128 - i128::from(self.mono.as_nanos())
    }
}

/// Turns the kernel's receive stamps into [`MonoTime`]. Whatever the calendar does, no packet is dated after now, before
/// the socket was last found empty, or before the packet that was read before it. Within that a stamp is used by its age,
/// if the calendar was not stepped since.
#[derive(Clone, Copy, Debug)]
pub(super) struct StampReader {
    now: Clocks,
    /// When the read began that found the socket empty, before this one, and the clocks' distance then.
    empty: (MonoTime, i128),
    /// This read, if it left nothing behind.
    drained: Option<(MonoTime, i128)>,
    /// When the packet read last arrived.
    last: MonoTime,
}

impl StampReader {
    /// For a socket into which nothing came before now.
    pub(super) fn new() -> Self {
        Self::since(Clocks::read())
    }

    fn since(now: Clocks) -> Self {
        StampReader { now, empty: (now.mono, now.distance()), drained: None, last: MonoTime::ZERO }
    }

    /// Packets were just read, by a call that began at `began` and left nothing in the socket if `is_drained`.
    pub(super) fn on_read(&mut self, began: MonoTime, is_drained: bool) {
        self.on_clocks(began, is_drained, Clocks::read());
    }

    fn on_clocks(&mut self, began: MonoTime, is_drained: bool, now: Clocks) {
        self.empty = self.drained.take().unwrap_or(self.empty);
        self.now = now;
        self.drained = is_drained.then(|| (began, now.distance()));
    }

    /// When the packet with kernel stamp `stamp` (time since 1970) arrived. Without a believable stamp: now.
    pub(super) fn arrival(&mut self, stamp: Option<Duration>) -> MonoTime {
        let (empty, distance) = self.empty;
        let was_stepped = self.now.distance().abs_diff(distance) > STEP.as_nanos();
        let age = stamp.and_then(|stamp| self.now.since_epoch.checked_sub(stamp)).filter(|_| !was_stepped);
        let arrival = self.now.mono.saturating_sub(age.unwrap_or_default());
        self.last = self.last.max(arrival).max(empty.min(self.now.mono));
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

    #[test]
    fn a_suspend_is_told_once_and_readings_a_little_apart_are_none() {
        let mut suspends = Suspends { so_far: Duration::from_secs(5) };
        let apart = Duration::from_secs(5) + TOGETHER;
        assert_eq!(suspends.on_reading(apart), None);
        assert_eq!(
            suspends.on_reading(apart + Duration::from_secs(8)),
            Some(Duration::from_secs(8) + TOGETHER)
        );
        assert_eq!(suspends.on_reading(apart + Duration::from_secs(8)), None);
        assert_eq!(suspends.on_reading(Duration::ZERO), None);
    }

    const EPOCH: Duration = Duration::from_secs(1_000);

    /// Nothing was there 100 ms ago; it is 5 s by our clock, and the calendar was stepped by `step_ms` since.
    fn reader(step_ms: i64) -> StampReader {
        let (empty, now) = (MonoTime::from_millis(4_900), MonoTime::from_millis(5_000));
        let calendar = |mono: MonoTime, step_ms: i64| {
            let since_epoch = EPOCH.as_nanos() as i64 + mono.as_nanos() as i64 + step_ms * 1_000_000;
            Clocks { mono, since_epoch: Duration::from_nanos(since_epoch as u64) }
        };
        let mut reader = StampReader::since(calendar(empty, 0));
        reader.on_clocks(now, true, calendar(now, step_ms));
        reader
    }

    fn stamp(ms: u64) -> Option<Duration> {
        Some(EPOCH + Duration::from_millis(ms))
    }

    #[test]
    fn a_stamp_is_used_by_its_age_alone() {
        assert_eq!(reader(0).arrival(stamp(4_998)), MonoTime::from_millis(4_998));
    }

    #[test]
    fn no_stamp_is_believed_when_the_calendar_was_stepped_or_lies_ahead() {
        for (step_ms, stamp) in [(0, None), (0, stamp(5_001)), (600, stamp(4_990)), (-50, stamp(4_910))] {
            assert_eq!(reader(step_ms).arrival(stamp), MonoTime::from_millis(5_000), "{stamp:?}");
        }
    }

    #[test]
    fn no_packet_is_dated_before_the_socket_was_empty_or_before_the_one_read_before_it() {
        let mut reader = reader(0);
        // The calendar was 0.6 s behind for a moment, when this one came.
        assert_eq!(reader.arrival(stamp(4_350)), MonoTime::from_millis(4_900));
        assert_eq!(reader.arrival(stamp(4_995)), MonoTime::from_millis(4_995));
        assert_eq!(reader.arrival(stamp(4_993)), MonoTime::from_millis(4_995));
    }

    /// A calendar that is stepped at any time, and a socket that is read now and then.
    struct Machine {
        rng: rand_pcg::Pcg64Mcg,
        now: MonoTime,
        step_ms: i64,
        /// Until the calendar is put right.
        until: MonoTime,
        last_step: MonoTime,
        /// What lies in the socket: when it came, and its stamp.
        waiting: std::collections::VecDeque<(MonoTime, Duration)>,
    }

    impl Machine {
        fn below(&mut self, bound: u64) -> u64 {
            rand_core::Rng::next_u64(&mut self.rng) % bound
        }

        fn clocks(&self) -> Clocks {
            let since_epoch = 1_000_000_000_000 + self.now.as_nanos() as i64 / 1_000_000 + self.step_ms;
            Clocks { mono: self.now, since_epoch: Duration::from_millis(since_epoch as u64) }
        }

        /// A millisecond passes.
        fn pass(&mut self) {
            self.now += Duration::from_millis(1);
            let is_over = self.step_ms != 0 && self.now >= self.until;
            if is_over || self.below(400) == 0 {
                let sizes = [600, -600, 3_000, -3_000, 3_600_000, -3_600_000];
                self.step_ms = if is_over { 0 } else { sizes[self.below(6) as usize] };
                let lasts = [30, 30, 2_000][self.below(3) as usize];
                (self.last_step, self.until) = (self.now, self.now + Duration::from_millis(lasts));
            }
            for _ in 0..self.below(3) {
                self.waiting.push_back((self.now, self.clocks().since_epoch));
            }
        }
    }

    #[test]
    fn whatever_the_calendar_does_a_packet_is_dated_within_the_time_since_the_socket_was_empty() {
        for seed in 0..50 {
            let rng = rand_core::SeedableRng::seed_from_u64(seed);
            let (now, waiting) = (MonoTime::from_millis(10_000), std::collections::VecDeque::new());
            let mut machine =
                Machine { rng, now, step_ms: 0, until: now, last_step: MonoTime::ZERO, waiting };
            let mut reader = StampReader::since(machine.clocks());
            let mut empty = machine.now;
            for _ in 0..10_000 {
                machine.pass();
                if machine.below(5) > 0 {
                    continue;
                }
                let count = machine.waiting.len().min(6);
                let is_drained = count < 6;
                reader.on_clocks(machine.now, is_drained, machine.clocks());
                for (came, stamp) in machine.waiting.drain(..count).collect::<Vec<_>>() {
                    let off = reader.arrival(Some(stamp)).signed_nanos_since(came).unsigned_abs();
                    let within = machine.now.since(empty).as_nanos() as u64;
                    assert!(off <= within, "seed {seed} at {}: off by {off} ns of {within}", machine.now);
                    assert!(off == 0 || machine.last_step >= empty, "seed {seed} at {}: {off}", machine.now);
                }
                empty = if is_drained { machine.now } else { empty };
            }
        }
    }
}
