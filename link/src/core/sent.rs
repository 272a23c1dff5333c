//! What was sent and what became of it: one packet number space for all flows (SPEC §3, LNK-40).
//!
//! The log is a ring indexed by packet number, so recording, acknowledging and losing a packet are O(1); one feedback
//! costs at most the packets its bitmap covers. It alone decides that a packet is lost.

use super::sample::Sending;
use crate::wire::{Feedback, unwrap_u32};
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::{MonoTime, TraceId};

/// Packets the log remembers: 0.8 s at 1 Gbit/s. What is older and unanswered then is lost.
const CAPACITY: usize = 1 << 16;
/// Lost packets watched for a late acknowledgement.
const WATCHED: usize = 512;
/// Small samples one packet carries, the fresh one included (LNK-44).
pub const USUAL_REPEATS: usize = 3;
/// As many on a silent path, where only the newest is sent again.
pub const MAX_REPEATS: usize = 4;

/// What a packet carried that must be made good when it is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Feedback or probe: nothing.
    #[default]
    Nothing,
    /// Nothing, in a packet longer than others may be (LNK-88).
    Feeler,
    /// One shard of a sample.
    Shard {
        /// The sample.
        id: TraceId,
        /// The shard.
        index: u16,
        /// Its bytes: a sample that was cut anew has others (LNK-87).
        bytes: u16,
        /// Whether it was sent before.
        sending: Sending,
        /// Which stay of the sample on this path it belongs to; None for a copy.
        stay: Option<u8>,
    },
    /// Up to four whole samples.
    Samples([Option<Carried>; MAX_REPEATS]),
    /// The lowest sequence number of a flow that may still come.
    Floor(TraceId),
}

/// A whole sample in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The sample.
    pub id: TraceId,
    /// Which stay of the sample on this path it belongs to; None for a copy.
    pub stay: Option<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    /// Not watched: never sent, or calls for no feedback.
    #[default]
    Unwatched,
    UnderWay,
    Acked,
    Lost,
}

/// One packet of the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// Packet number.
    pub number: u64,
    /// When it was handed to the carrier.
    pub at: MonoTime,
    /// Burst it belongs to.
    pub burst: u32,
    /// Datagram bytes of all packets up to and including this one.
    pub bytes_up_to: u64,
    /// Those of this one.
    pub bytes: u32,
    /// The same of those that call for an answer.
    watched_up_to: u64,
    /// What it carried.
    pub content: Content,
    /// Position in its burst, from 0.
    pub in_burst: u32,
    fate: Fate,
    missing_since: MonoTime,
}

/// The fate of one packet.
#[derive(Clone, Copy, Debug)]
pub struct Resolved {
    /// The packet.
    pub sent: Sent,
    /// Given up; it arrived otherwise.
    pub lost: bool,
}

/// What one feedback or timeout settled, in order of packet number.
#[derive(Debug, Default)]
pub struct Settled {
    /// Packets that arrived or were given up.
    pub resolved: Vec<Resolved>,
    /// Packets that were given up before and arrived after all.
    pub spurious: Vec<Sent>,
}

impl Sent {
    /// A feedback showed a gap where it should have been; otherwise nothing was heard at all.
    pub fn was_missed(&self) -> bool {
        self.missing_since != MonoTime::MAX
    }
}

impl Settled {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.resolved.clear();
        self.spurious.clear();
    }
}

/// The log of sent packets.
pub struct SentLog {
    ring: Box<[Sent]>,
    next: u64,
    /// No packet below this number is under way.
    lowest_open: u64,
    highest_acked: Option<u64>,
    recently_lost: VecDeque<u64>,
    reorder_window: Duration,
    earliest_missing: Option<MonoTime>,
    bytes: u64,
    watched_bytes: u64,
    under_way: usize,
}

impl Default for SentLog {
    fn default() -> Self {
        SentLog {
            ring: vec![Sent::default(); CAPACITY].into_boxed_slice(),
            next: 0,
            lowest_open: 0,
            highest_acked: None,
            recently_lost: VecDeque::with_capacity(WATCHED),
            reorder_window: Duration::ZERO,
            earliest_missing: None,
            bytes: 0,
            watched_bytes: 0,
            under_way: 0,
        }
    }
}

impl SentLog {
    /// Number the next packet will have.
    pub fn next_number(&self) -> u64 {
        self.next
    }

    /// Watched packets neither acknowledged nor lost.
    pub fn under_way(&self) -> usize {
        self.under_way
    }

    /// How long a missing packet is waited for before it counts as lost.
    pub fn reorder_window(&self) -> Duration {
        self.reorder_window
    }

    /// The packet numbered `number`, if it is still remembered.
    pub fn get(&self, number: u64) -> Option<&Sent> {
        let sent = &self.ring[number as usize % CAPACITY];
        (number < self.next && sent.number == number).then_some(sent)
    }

    /// Records a packet; `watched` unless it calls for no feedback. What it overwrites is settled into `settled`.
    pub fn record(&mut self, packet: NewPacket, settled: &mut Settled) -> u64 {
        let number = self.next;
        self.next += 1;
        self.bytes += packet.bytes as u64;
        let old = self.ring[number as usize % CAPACITY];
        if old.fate == Fate::UnderWay {
            self.lose(old.number, settled);
        }
        self.under_way += usize::from(packet.watched);
        self.watched_bytes += if packet.watched { packet.bytes as u64 } else { 0 };
        self.ring[number as usize % CAPACITY] = Sent {
            number,
            at: packet.at,
            burst: packet.burst,
            bytes_up_to: self.bytes,
            bytes: packet.bytes as u32,
            watched_up_to: self.watched_bytes,
            content: packet.content,
            in_burst: packet.in_burst,
            fate: if packet.watched { Fate::UnderWay } else { Fate::Unwatched },
            missing_since: MonoTime::MAX,
        };
        number
    }

    /// The full number of the highest packet a feedback names, unless it names one that was never sent.
    pub fn highest_of(&self, feedback: &Feedback) -> Option<u64> {
        let number = unwrap_u32(feedback.highest, self.next);
        (number < self.next && self.next - number < CAPACITY as u64).then_some(number)
    }

    /// Settles what a feedback shows. `srtt` bounds the reordering window.
    pub fn on_feedback(&mut self, now: MonoTime, feedback: &Feedback, srtt: Duration, settled: &mut Settled) {
        let Some(highest) = self.highest_of(feedback) else { return };
        self.notice_spurious(now, highest, feedback, srtt, settled);
        let outdated = self.highest_acked.is_some_and(|acked| highest < acked);
        self.highest_acked = self.highest_acked.max(Some(highest));
        self.earliest_missing = None;
        for number in self.lowest_open..=highest {
            let slot = number as usize % CAPACITY;
            if self.ring[slot].fate != Fate::UnderWay {
                continue;
            }
            let back = highest - number;
            if feedback.received(back) {
                self.ring[slot].fate = Fate::Acked;
                self.under_way -= 1;
                settled.resolved.push(Resolved { sent: self.ring[slot], lost: false });
            } else if outdated || back < feedback.covered() {
                self.miss(now, number, settled);
            } else {
                self.lose(number, settled);
            }
        }
        self.close_below();
    }

    /// Settles missing packets whose reordering window is over, and those unanswered for `timeout`.
    pub fn on_timer(&mut self, now: MonoTime, timeout: Duration, settled: &mut Settled) {
        self.earliest_missing = None;
        for number in self.lowest_open..self.next {
            let sent = self.ring[number as usize % CAPACITY];
            if sent.fate != Fate::UnderWay {
                continue;
            }
            if sent.at + timeout <= now {
                self.lose(number, settled);
            } else if sent.missing_since != MonoTime::MAX {
                self.miss(now, number, settled);
            } else {
                break; // later ones were sent later; missing ones all lie below the highest acknowledged
            }
        }
        self.close_below();
    }

    /// When [`SentLog::on_timer`] has something to do.
    pub fn deadline(&self, timeout: Duration) -> MonoTime {
        let window = self.earliest_missing.map_or(MonoTime::MAX, |since| since + self.reorder_window);
        let unanswered = self.get(self.lowest_open).filter(|sent| sent.fate == Fate::UnderWay);
        window.min(unanswered.map_or(MonoTime::MAX, |sent| sent.at + timeout))
    }

    /// Datagram bytes sent after the packet known to have arrived last, of packets that call for an answer: under way
    /// still, or lost with nothing behind them that showed it.
    pub fn unanswered_bytes(&self) -> u64 {
        let answered = self.highest_acked.and_then(|number| self.get(number));
        self.watched_bytes - answered.map_or(0, |sent| sent.watched_up_to)
    }

    fn miss(&mut self, now: MonoTime, number: u64, settled: &mut Settled) {
        let sent = &mut self.ring[number as usize % CAPACITY];
        sent.missing_since = sent.missing_since.min(now);
        if now >= sent.missing_since + self.reorder_window {
            self.lose(number, settled);
        } else {
            let since = sent.missing_since;
            self.earliest_missing = Some(self.earliest_missing.map_or(since, |e| e.min(since)));
        }
    }

    fn lose(&mut self, number: u64, settled: &mut Settled) {
        let sent = &mut self.ring[number as usize % CAPACITY];
        sent.fate = Fate::Lost;
        self.under_way -= 1;
        settled.resolved.push(Resolved { sent: *sent, lost: true });
        if self.recently_lost.len() == WATCHED {
            self.recently_lost.pop_front();
        }
        self.recently_lost.push_back(number);
    }

    /// A packet given up too early shows how much the path reorders: wait that long in future (RACK).
    fn notice_spurious(
        &mut self,
        now: MonoTime,
        highest: u64,
        feedback: &Feedback,
        srtt: Duration,
        settled: &mut Settled,
    ) {
        let (ring, window) = (&mut self.ring, &mut self.reorder_window);
        self.recently_lost.retain(|&number| {
            if number > highest || !feedback.received(highest - number) {
                return number > highest || highest - number < feedback.covered();
            }
            let sent = &mut ring[number as usize % CAPACITY];
            if sent.number == number && sent.fate == Fate::Lost {
                sent.fate = Fate::Acked;
                if sent.missing_since != MonoTime::MAX {
                    let waited = now.since(sent.missing_since);
                    *window = (*window).max(waited + waited / 8).min(srtt / 4);
                }
                settled.spurious.push(*sent);
            }
            false
        });
    }

    fn close_below(&mut self) {
        while self.lowest_open < self.next
            && self.ring[self.lowest_open as usize % CAPACITY].fate != Fate::UnderWay
        {
            self.lowest_open += 1;
        }
    }
}

/// What the log is told of a packet.
#[derive(Clone, Copy, Debug)]
pub struct NewPacket {
    /// When it is handed to the carrier.
    pub at: MonoTime,
    /// Size of the datagram.
    pub bytes: usize,
    /// Burst it belongs to.
    pub burst: u32,
    /// Position in its burst.
    pub in_burst: u32,
    /// What it carries.
    pub content: Content,
    /// Whether its loss matters.
    pub watched: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(log: &mut SentLog, watched: bool) {
        let packet = NewPacket {
            at: MonoTime::from_millis(1),
            bytes: 100,
            burst: 0,
            in_burst: 0,
            content: Content::Nothing,
            watched,
        };
        log.record(packet, &mut Settled::default());
    }

    #[test]
    fn feedback_waits_for_no_answer() {
        let mut log = SentLog::default();
        send(&mut log, true);
        (0..1_000).for_each(|_| send(&mut log, false));
        assert_eq!(log.unanswered_bytes(), 100);
    }
}
