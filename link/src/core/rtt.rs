//! Round trip and queue of the path (RFC 6298 smoothing, windowed minima).

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Slots of the windowed minimum, one second each.
const SLOTS: usize = 10;
const SLOT: Duration = Duration::from_secs(1);

/// Minimum over the last ten seconds, in slots of one, so that a changed route is learned.
#[derive(Clone, Debug)]
pub struct WindowedMin {
    slots: [i64; SLOTS],
    at: usize,
    slot_since: MonoTime,
    /// Of all slots: it is asked for several times for each packet.
    min: i64,
}

impl Default for WindowedMin {
    fn default() -> Self {
        WindowedMin { slots: [i64::MAX; SLOTS], at: 0, slot_since: MonoTime::ZERO, min: i64::MAX }
    }
}

impl WindowedMin {
    /// Takes a value in.
    pub fn add(&mut self, now: MonoTime, value: i64) {
        let passed = now.since(self.slot_since);
        if passed >= SLOT {
            // Seconds without a value are slots too.
            for _ in 0..(passed.div_duration_f64(SLOT) as usize).min(SLOTS) {
                self.at = (self.at + 1) % SLOTS;
                self.slots[self.at] = i64::MAX;
            }
            self.slot_since = now;
            self.min = self.slots.into_iter().min().unwrap_or(i64::MAX);
        }
        self.slots[self.at] = self.slots[self.at].min(value);
        self.min = self.min.min(value);
    }

    /// Makes all values taken in so far larger by `by`.
    pub fn raise(&mut self, by: i64) {
        // None stays none: it is the largest.
        self.slots.iter_mut().for_each(|slot| *slot = slot.saturating_add(by));
        self.min = self.min.saturating_add(by);
    }

    /// The minimum, if any value was taken in.
    pub fn get(&self) -> Option<i64> {
        Some(self.min).filter(|min| *min != i64::MAX)
    }
}

/// Round trip statistics.
#[derive(Clone, Debug, Default)]
pub struct RoundTrip {
    smoothed: Option<Duration>,
    min: WindowedMin,
    /// The carrier's, until measured ones have filled the window: a first packet may find a queue.
    assumed: Option<Duration>,
    first_sample: Option<MonoTime>,
    /// Since the path is there or a clock jumped: a queue may stand for longer than any window.
    shortest: Option<Duration>,
}

impl RoundTrip {
    /// A first idea of the round trip, from the carrier's handshake.
    pub fn assume(&mut self, rtt: Duration) {
        self.smoothed.get_or_insert(rtt);
        self.assumed = Some(rtt);
        self.shortest = Some(rtt);
    }

    /// A measured round trip, the peer's holding time taken off.
    pub fn on_sample(&mut self, now: MonoTime, rtt: Duration) {
        let first = self.min.get().is_none();
        self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        self.min.add(now, rtt.as_nanos() as i64);
        if now.since(*self.first_sample.get_or_insert(now)) >= SLOT * SLOTS as u32 {
            self.assumed = None;
        }
        match self.smoothed {
            Some(smoothed) if !first => self.smoothed = Some((smoothed * 7 + rtt) / 8),
            _ => self.smoothed = Some(rtt),
        }
    }

    /// A clock jumped, so that round trips may have looked shorter than any is: the shortest is learned anew.
    pub fn on_clock_jump(&mut self) {
        *self = RoundTrip { smoothed: self.smoothed, ..RoundTrip::default() };
    }

    /// Smoothed round trip; a tenth of a second while nothing is known.
    pub fn smoothed(&self) -> Duration {
        self.smoothed.unwrap_or(Duration::from_millis(100))
    }

    /// Smallest round trip of the last ten seconds, the handshake's included; the smoothed one before the first.
    pub fn min(&self) -> Duration {
        let measured = self.min.get().map_or(self.smoothed(), |ns| Duration::from_nanos(ns.max(0) as u64));
        self.assumed.map_or(measured, |assumed| measured.min(assumed))
    }

    /// The shortest round trip since the path is there or a clock jumped.
    pub fn shortest(&self) -> Duration {
        self.shortest.unwrap_or(Duration::MAX)
    }

    /// True once a round trip was measured.
    pub fn is_measured(&self) -> bool {
        self.min.get().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_forgets_what_is_older_than_ten_seconds() {
        let mut min = WindowedMin::default();
        assert_eq!(min.get(), None);
        for second in 0..30 {
            min.add(MonoTime::from_millis(1000 * second), if second == 5 { 1 } else { 7 });
            let expected = if (5..15).contains(&second) { 1 } else { 7 };
            assert_eq!(min.get(), Some(expected), "at {second} s");
        }
    }

    #[test]
    fn a_minimum_is_forgotten_after_ten_seconds_without_a_value_too() {
        let mut min = WindowedMin::default();
        min.add(MonoTime::from_millis(1_000), 1);
        min.add(MonoTime::from_millis(7_000), 7);
        assert_eq!(min.get(), Some(1));
        min.add(MonoTime::from_millis(13_000), 7);
        assert_eq!(min.get(), Some(7));
    }

    #[test]
    fn the_first_measured_round_trip_replaces_the_assumed_one() {
        let mut rtt = RoundTrip::default();
        rtt.assume(Duration::from_millis(300));
        rtt.on_sample(MonoTime::from_millis(1), Duration::from_millis(50));
        assert_eq!(rtt.smoothed(), Duration::from_millis(50));
    }

    #[test]
    fn the_handshake_is_the_smallest_round_trip_for_ten_seconds_if_all_others_met_a_queue() {
        let mut rtt = RoundTrip::default();
        rtt.assume(Duration::from_millis(40));
        for second in 0..20 {
            rtt.on_sample(MonoTime::from_millis(1_000 * second), Duration::from_millis(900));
            let expected = if second < 10 { 40 } else { 900 };
            assert_eq!(rtt.min(), Duration::from_millis(expected), "at {second} s");
        }
    }
}
