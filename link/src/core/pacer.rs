//! Pacing (LNK-60): a token bucket so shallow that no burst of ours fills a queue.

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Least depth of the bucket: one batch of packets at 1 Gbit/s.
const LEAST_DEPTH: Duration = Duration::from_micros(250);
/// Most depth of the bucket.
const MOST_DEPTH: Duration = Duration::from_millis(1);
/// The depth is at most this part of the round trip, or [`SHORT_DEPTH`] where that is more.
const PART_OF_ROUND_TRIP: u32 = 64;
/// On a LAN: a small part of a switch's buffer, and at 1 Gbit/s nearly what goes out with one system call.
const SHORT_DEPTH: Duration = Duration::from_micros(350);
/// Rate up to which the least depth does. What is faster wakes us for every few packets, and on a long path a deeper bucket
/// costs nobody anything.
const SLOW_BPS: f64 = 100e6;

/// How long packets that did not wait may hold up those that do.
const MOST_DEBT: Duration = Duration::from_millis(1);
/// The same in bytes, where that takes longer: on a thin path a single answer takes more than a millisecond.
const MOST_DEBT_BYTES: f64 = 3_000.0;
/// And however slow the rate that is granted.
const LONGEST_DEBT: Duration = Duration::from_millis(100);

/// When the next paced packet may go.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    next: MonoTime,
    depth: Duration,
}

impl Default for Pacer {
    fn default() -> Self {
        Pacer { next: MonoTime::ZERO, depth: LEAST_DEPTH }
    }
}

impl Pacer {
    /// The path has this shortest round trip, and carries so much.
    pub fn on_path(&mut self, min_rtt: Duration, rate_bps: f64) {
        let most = (min_rtt / PART_OF_ROUND_TRIP).clamp(SHORT_DEPTH, MOST_DEPTH);
        let times = (rate_bps / SLOW_BPS).clamp(1.0, MOST_DEPTH.div_duration_f64(LEAST_DEPTH));
        self.depth = LEAST_DEPTH.mul_f64(times).min(most);
    }

    /// Whether a packet may go now.
    pub fn is_ready(&self, now: MonoTime) -> bool {
        now >= self.next
    }

    /// A packet of `wire_bytes` goes now at `rate_bps`.
    pub fn on_sent(&mut self, now: MonoTime, wire_bytes: usize, rate_bps: f64) {
        let gap = Duration::from_nanos((wire_bytes as f64 * 8e9 / rate_bps) as u64);
        self.next = self.next.max(now.saturating_sub(self.depth)) + gap;
    }

    /// A packet that did not wait goes now: it takes its place on the path, but more of such packets than the path
    /// carries must not hold the others back for longer than they are there.
    pub fn on_unpaced(&mut self, now: MonoTime, wire_bytes: usize, rate_bps: f64) {
        let before = self.next;
        self.on_sent(now, wire_bytes, rate_bps);
        let two_packets = Duration::from_nanos((MOST_DEBT_BYTES * 8e9 / rate_bps) as u64);
        let most = two_packets.clamp(MOST_DEBT, LONGEST_DEBT);
        self.next = self.next.min(before.max(now + most));
    }

    /// When to come back: late enough that a wake-up sends most of a bucket, early enough that the line never idles.
    pub fn wake_at(&self) -> MonoTime {
        self.next + self.depth * 3 / 4
    }

    /// A full bucket, as after a pause. What packets that waited still owe stays owed: on a slow rate that is longer
    /// than any pause, and a path that comes and goes would carry more than is granted (LNK-75).
    pub fn refill(&mut self, now: MonoTime) {
        if self.next <= now + MOST_DEBT {
            self.next = MonoTime::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_that_do_not_wait_take_their_place_and_no_more_than_a_millisecond_or_two_packets() {
        let (mut pacer, now) = (Pacer::default(), MonoTime::from_millis(1_000));
        pacer.on_sent(now, 1_250, 10e6);
        pacer.on_unpaced(now, 125, 10e6);
        assert_eq!(pacer.next, now + Duration::from_micros(850), "1 ms and 100 µs from a full bucket on");
        (0..1_000).for_each(|_| pacer.on_unpaced(now, 125, 10e6));
        assert_eq!(pacer.next, now + Duration::from_micros(2_400), "two packets");
        let mut pacer = Pacer::default();
        (0..10_000).for_each(|_| pacer.on_unpaced(now, 125, 1e9));
        assert_eq!(pacer.next, now + MOST_DEBT);
    }

    #[test]
    fn a_wake_up_late_by_less_than_the_bucket_loses_no_rate() {
        let (mut pacer, mut now, mut sent) = (Pacer::default(), MonoTime::from_millis(1_000), 0u64);
        let end = now + Duration::from_secs(1);
        while now < end {
            while pacer.is_ready(now) {
                pacer.on_sent(now, 1_250, 100e6);
                sent += 1;
            }
            now = pacer.wake_at();
        }
        assert!((9_990..=10_010).contains(&sent), "10 000 packets of 10 kbit at 100 Mbit/s, got {sent}");
    }

    #[test]
    fn on_a_long_path_a_wake_up_sends_more_and_the_rate_stays() {
        let (mut pacer, now) = (Pacer::default(), MonoTime::from_millis(1_000));
        pacer.on_path(Duration::from_millis(50), 200e6);
        let at_once = (0..).take_while(|_| {
            let ready = pacer.is_ready(now);
            pacer.on_sent(now, 1_250, 200e6);
            ready
        });
        assert_eq!(
            at_once.count(),
            11,
            "500 µs at 50 µs a packet, and the one that finds the bucket just empty"
        );
        let mut depth = |min_rtt, rate_bps| {
            pacer.on_path(min_rtt, rate_bps);
            pacer.depth
        };
        let ms = Duration::from_millis;
        let depths =
            [(ms(1_000), 1e9), (ms(50), 100e6), (ms(1), 1e9), (ms(1_000), 200e6)].map(|(r, b)| depth(r, b));
        assert_eq!(depths, [MOST_DEPTH, LEAST_DEPTH, SHORT_DEPTH, LEAST_DEPTH * 2]);
    }

    #[test]
    fn after_a_pause_only_one_bucket_goes_at_once() {
        let (mut pacer, now) = (Pacer::default(), MonoTime::from_millis(1_000));
        let mut sent = 0;
        while pacer.is_ready(now) {
            pacer.on_sent(now, 1_250, 1e9);
            sent += 1;
        }
        assert_eq!(sent, 26, "250 µs at 10 µs a packet, and the one that finds the bucket just empty");
    }
}
