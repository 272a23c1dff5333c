//! What the receiver knows of the packets sent to it, and when it says so (LNK-22, LNK-23).

use super::rtt::WindowedMin;
use crate::wire::{Feedback, Header, MAX_FEEDBACK_WORDS, unwrap_u32};
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};

const WORDS: usize = 64;
/// Packet numbers remembered below the highest.
const REMEMBERED: u64 = (WORDS as u64 - 1) * 64;
/// Packets further apart than this are no stream.
const STREAM_GAP: Duration = Duration::from_millis(1);
/// Feedbacks that may be lost in a row before a reported packet falls out of the bitmap.
const REPEATED_REPORTS: usize = 10;

/// Receive state of one direction.
#[derive(Default)]
pub struct Received {
    seen: Seen,
    highest_at: MonoTime,
    bytes: u32,
    ce: u16,
    interval: Duration,
    unreported: u32,
    urgent: bool,
    asked: bool,
    last_feedback: MonoTime,
    last_packet: MonoTime,
    /// Nanoseconds between two packets while they stream, smoothed.
    spacing_ns: u64,
    reported: [u64; REPEATED_REPORTS],
    /// Numbers missing in a row, negative: the minimum is the longest gap.
    gaps: WindowedMin,
    /// Our stamps less the peer's: of the last packet, and the least.
    way_nanos: i64,
    least_way: WindowedMin,
}

/// Which packet numbers came: a ring of bits below the highest.
struct Seen {
    bits: [u64; WORDS],
    highest: Option<u64>,
}

impl Default for Seen {
    fn default() -> Self {
        Seen { bits: [0; WORDS], highest: None }
    }
}

/// How a packet number relates to those seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Next,
    AfterGap,
    Late,
    Duplicate,
}

impl Seen {
    fn slot(number: u64) -> (usize, u64) {
        ((number / 64) as usize % WORDS, 1 << (number % 64))
    }

    fn contains(&self, number: u64) -> bool {
        let Some(highest) = self.highest else { return false };
        let (word, bit) = Self::slot(number);
        number <= highest && highest - number <= REMEMBERED && self.bits[word] & bit != 0
    }

    /// Which of the 64 numbers from `number` down came, that one in the lowest bit. They are no older than is remembered.
    fn word_below(&self, number: u64) -> u64 {
        let word = |number: u64| self.bits[(number / 64) as usize % WORDS];
        let above = 63 - number % 64;
        let older = if above > 0 && number >= 64 { word(number - 64) >> (64 - above) } else { 0 };
        (word(number) << above | older).reverse_bits()
    }

    fn insert(&mut self, number: u64) -> News {
        let news = match self.highest {
            None => News::Next,
            Some(highest) if number > highest => {
                self.forget_between(highest, number);
                if number == highest + 1 { News::Next } else { News::AfterGap }
            }
            Some(highest) if highest - number > REMEMBERED || self.contains(number) => News::Duplicate,
            Some(_) => News::Late,
        };
        if news != News::Duplicate {
            let (word, bit) = Self::slot(number);
            self.bits[word] |= bit;
            self.highest = self.highest.max(Some(number));
        }
        news
    }

    /// Clears the slots of the numbers in (`highest`, `number`], which held older numbers.
    fn forget_between(&mut self, highest: u64, number: u64) {
        if number - highest >= REMEMBERED {
            self.bits = [0; WORDS];
            return;
        }
        for skipped in highest + 1..=number {
            let (word, bit) = Self::slot(skipped);
            self.bits[word] &= !bit;
        }
    }
}

impl Received {
    /// Notes a packet. `eliciting` is false when it holds only feedback. Returns false for a duplicate.
    pub fn on_packet(&mut self, now: MonoTime, header: &Header, arrival: Arrival) -> bool {
        let expected = self.seen.highest.map_or(u64::from(header.number), |highest| highest + 1);
        let number = unwrap_u32(header.number, expected);
        let was = self.seen.highest;
        let news = self.seen.insert(number);
        if news == News::Duplicate {
            return false;
        }
        self.bytes = self.bytes.wrapping_add(arrival.bytes as u32);
        self.ce = self.ce.wrapping_add(u16::from(arrival.ce));
        if was.is_none_or(|highest| number > highest) {
            self.highest_at = now;
            self.gaps.add(now, was.map_or(0, |highest| highest as i64 + 1 - number as i64));
        }
        self.interval = Duration::from_micros(u64::from(header.feedback_interval) * 50);
        self.learn_spacing(now);
        self.last_packet = now;
        if arrival.eliciting {
            self.unreported += 1;
            self.asked |= header.ask;
            self.urgent |= news == News::AfterGap || news == News::Late;
        }
        true
    }

    /// The packet that came now was sent at `sent`.
    pub fn on_stamp(&mut self, now: MonoTime, sent: PeerTime) {
        self.way_nanos = now.as_nanos() as i64 - sent.as_nanos() as i64;
        self.least_way.add(now, self.way_nanos);
    }

    /// A clock jumped: stamps from before it compare with none after it (LNK-4).
    pub fn on_clock_jump(&mut self) {
        self.least_way = WindowedMin::default();
    }

    /// How much longer the last packet was on its way to us than the quickest of the last ten seconds.
    pub fn queue(&self) -> Duration {
        let least = self.least_way.get().unwrap_or(self.way_nanos);
        Duration::from_nanos((self.way_nanos - least).max(0) as u64)
    }

    fn learn_spacing(&mut self, now: MonoTime) {
        let gap = now.since(self.last_packet);
        if gap < STREAM_GAP {
            self.spacing_ns = (self.spacing_ns * 15 + gap.as_nanos() as u64) / 16;
        }
    }

    /// A packet came just now.
    pub fn is_streaming(&self, now: MonoTime) -> bool {
        now.since(self.last_packet) < STREAM_GAP
    }

    /// Time between two packets of the peer while it streams; zero before any is known.
    pub fn spacing(&self) -> Duration {
        Duration::from_nanos(self.spacing_ns)
    }

    /// When the next feedback is due, `MAX` when there is nothing to report.
    pub fn deadline(&self) -> MonoTime {
        if self.unreported == 0 {
            return MonoTime::MAX;
        }
        if self.asked {
            return self.last_packet;
        }
        let soonest = self.last_feedback + self.interval;
        if self.urgent {
            return soonest;
        }
        let quiet = self.last_packet + self.interval.max(Duration::from_micros(250));
        soonest.max(quiet.min(self.last_feedback + self.interval * 2))
    }

    /// The feedback to send now, if it is due.
    pub fn take_feedback(&mut self, now: MonoTime) -> Option<Feedback> {
        let highest = self.seen.highest?;
        if now < self.deadline() {
            return None;
        }
        let feedback = self.feedback(now, highest);
        self.reported.rotate_left(1);
        self.reported[REPEATED_REPORTS - 1] = highest;
        (self.unreported, self.urgent, self.asked, self.last_feedback) = (0, false, false, now);
        Some(feedback)
    }

    fn feedback(&self, now: MonoTime, highest: u64) -> Feedback {
        let span = highest - self.reported[0].min(highest) + 64;
        let words = (span.div_ceil(64) as usize).clamp(2, MAX_FEEDBACK_WORDS);
        let mut bitmap = [0; MAX_FEEDBACK_WORDS];
        for (word, back) in bitmap[..words].iter_mut().zip((0..=highest).step_by(64)) {
            *word = self.seen.word_below(highest - back);
        }
        Feedback {
            highest: highest as u32,
            highest_rx_us: self.highest_at.as_micros() as u32,
            hold_us: now.since(self.highest_at).as_micros().min(u128::from(u32::MAX)) as u32,
            received_bytes: self.bytes,
            ce: self.ce,
            words: words as u8,
            bitmap,
        }
    }

    /// Most packets missing in a row in the last ten seconds, at most 32.
    pub fn longest_gap(&self) -> u32 {
        self.gaps.get().map_or(0, i64::unsigned_abs).min(32) as u32
    }

    /// When the last packet came.
    pub fn last_packet(&self) -> MonoTime {
        self.last_packet
    }
}

/// What is known of a datagram besides its header.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Size in bytes.
    pub bytes: usize,
    /// Marked Congestion Experienced.
    pub ce: bool,
    /// Calls for feedback.
    pub eliciting: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(number: u32) -> Header {
        Header {
            ask: false,
            long_lost: false,
            is_cut: false,
            feedback_interval: 20,
            number,
            sent_us: number * 10,
        }
    }

    fn arrival(eliciting: bool) -> Arrival {
        Arrival { bytes: 100, ce: false, eliciting }
    }

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn the_queue_is_what_the_last_packet_took_longer_than_the_quickest() {
        let mut received = Received::default();
        for (now, sent, queue) in [(110, 100, 0), (250, 200, 40), (305, 300, 0), (410, 400, 5)] {
            received.on_stamp(at(now), PeerTime::from_millis(sent));
            assert_eq!(received.queue(), Duration::from_millis(queue), "at {now}");
        }
        received.on_clock_jump();
        received.on_stamp(at(500), PeerTime::from_millis(100));
        assert_eq!(received.queue(), Duration::ZERO, "the clocks are others");
    }

    #[test]
    fn a_gap_is_reported_at_once_and_the_bitmap_shows_it() {
        let mut received = Received::default();
        for number in [0, 1, 2, 5] {
            assert!(received.on_packet(at(10), &header(number), arrival(true)));
        }
        let feedback = received.take_feedback(at(10)).expect("a gap is urgent");
        assert_eq!(feedback.highest, 5);
        let got: Vec<bool> = (0..6).map(|back| feedback.received(back)).collect();
        assert_eq!(got, [true, false, false, true, true, true]);
        assert_eq!(received.take_feedback(at(20)), None, "nothing new");
    }

    #[test]
    fn the_bitmap_shows_each_number_wherever_the_highest_stands_in_its_word() {
        let mut seen = Seen::default();
        for number in (0..700u64).filter(|number| number * number % 7 != 2 && number % 97 > 3) {
            seen.insert(number);
            for number in (0..=number).rev().step_by(64).take(5) {
                let word = (0..=number.min(63))
                    .fold(0, |word, back| word | u64::from(seen.contains(number - back)) << back);
                assert_eq!(seen.word_below(number), word, "{number}");
            }
        }
    }

    #[test]
    fn feedback_alone_calls_for_none() {
        let mut received = Received::default();
        received.on_packet(at(1), &header(0), arrival(false));
        assert_eq!(received.deadline(), MonoTime::MAX);
    }

    #[test]
    fn without_a_gap_feedback_comes_when_the_stream_pauses_or_after_two_intervals() {
        let mut received = Received::default();
        received.on_packet(at(100), &header(0), arrival(true));
        assert!(received.take_feedback(at(100)).is_some(), "the first is long overdue");
        received.on_packet(at(101), &header(1), arrival(true));
        assert_eq!(received.deadline(), at(102), "one interval of 1 ms after the last packet");
        received.on_packet(MonoTime::from_micros(101_900), &header(2), arrival(true));
        assert_eq!(received.deadline(), at(102), "two intervals after the last feedback");
    }

    #[test]
    fn the_spacing_is_that_of_a_stream_whatever_pauses_come_between() {
        let mut received = Received::default();
        assert_eq!(received.spacing(), Duration::ZERO);
        for number in 0..200u32 {
            let pause_ms = u64::from(number / 50) * 80;
            let now = at(1_000 + pause_ms) + Duration::from_micros(60) * number;
            received.on_packet(now, &header(number), arrival(true));
        }
        assert!((59_000..=60_000).contains(&received.spacing().as_nanos()), "{:?}", received.spacing());
    }

    #[test]
    fn a_duplicate_counts_once() {
        let mut received = Received::default();
        assert!(received.on_packet(at(1), &header(7), arrival(true)));
        assert!(!received.on_packet(at(1), &header(7), arrival(true)));
        assert!(received.on_packet(at(1), &header(6), arrival(true)), "late, not seen before");
        assert!(!received.on_packet(at(1), &header(6), arrival(true)));
        assert_eq!(received.take_feedback(at(9)).unwrap().received_bytes, 200);
    }

    #[test]
    fn a_jump_over_the_whole_window_forgets_everything_older() {
        let mut received = Received::default();
        received.on_packet(at(1), &header(3), arrival(true));
        received.on_packet(at(1), &header(3 + 100_000), arrival(true));
        let feedback = received.take_feedback(at(9)).unwrap();
        assert!(feedback.received(0));
        assert!((1..feedback.covered()).all(|back| !feedback.received(back)));
    }
}
