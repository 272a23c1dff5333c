//! What a path carries, and what is worth sending on it (LNK-42, LNK-52, LNK-66, LNK-67).

use super::Path;
use crate::core::mark::Mark;
use crate::core::parity::Prices;
use crate::core::rate::{Rtt, TRAIN};
use crate::core::sent::Sent;
use crate::core::window::{Delays, most_unanswered};
use crate::wire::Feedback;
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};

/// Time coding a sample takes at the sender and the receiver together (measured: 0.1 and 0.5 ms for 266 shards).
const CODING: Duration = Duration::from_micros(600);
/// The path may be better than we think by this: a capacity that changes all the time is never known well.
const HOPE: f64 = 2.0;

impl Path {
    /// As much is unanswered as may be (LNK-67).
    pub fn is_window_full(&self) -> bool {
        let packet = self.size.in_force();
        let most = match self.rate.is_unseen() {
            true => u64::from(TRAIN) * packet as u64,
            false => most_unanswered(self.rate.known_bps(), self.delays(), packet),
        };
        self.log.unanswered_bytes() >= most
    }

    fn delays(&self) -> Delays {
        // Feedback is lost too, on a bursty path several in a row.
        let unheard = self.feedback_interval() * self.received.longest_gap();
        Delays {
            min_rtt: self.rtt.min(),
            extra: self.rate.jitter() * 4 + self.rate.foreign_queue() + self.received.queue() + unheard,
        }
    }

    /// Feedback on a packet of a burst, which came at `received`, tells the rate.
    pub fn on_mark(&mut self, now: MonoTime, sent: &Sent, feedback: &Feedback, received: PeerTime) {
        // In a black hole feelers and short packets go, at no rate.
        if sent.burst == 0 || self.hole.is_hole() {
            return;
        }
        let mark = Mark {
            number: sent.number,
            burst: sent.burst,
            in_burst: sent.in_burst,
            sent_at: sent.at,
            bytes_sent: sent.bytes_up_to,
            received_us: feedback.highest_rx_us,
            bytes_received: feedback.received_bytes,
            one_way_nanos: received.as_nanos() as i64 - sent.at.as_nanos() as i64,
        };
        let rtt = Rtt { min: self.rtt.min(), smoothed: self.rtt.smoothed() };
        self.rate.on_feedback(now, mark, rtt, self.loss.own(), self.burst.gap);
    }

    /// What parity costs and saves here (LNK-42).
    pub fn prices(&self) -> Prices {
        // Without the queue of our own burst: it makes everything late alike, a repair no more than the rest.
        // A loss is told half an interval later, on average.
        let repair = self.rtt.min() + self.feedback_interval() / 2;
        let packet_bits = 8.0 * self.size.wire_bytes(self.size.in_force()) as f64;
        Prices {
            repair_s: repair.as_secs_f64(),
            coding_s: CODING.as_secs_f64(),
            packet_s: packet_bits / self.rate.rate_bps(),
        }
    }

    /// Samples that wait behind whatever is sent: where flows lack rate there is always one, here already or not.
    pub fn least_behind(&self, now: MonoTime) -> usize {
        usize::from(self.rate.is_hungry(now))
    }

    /// The rate that it will not exceed (LNK-52).
    pub fn most_hoped_for(&self) -> f64 {
        self.rate.rate_bps() * HOPE
    }

    /// What of its rate is left for first transmissions: parity and repairs take about the loss, its chance included,
    /// once more.
    pub fn carried_bps(&self) -> f64 {
        self.rate.known_bps() * (1.0 - 2.0 * self.loss.share()).max(0.2)
    }

    /// The same in bytes of payload that fill their packets.
    pub fn payload_bps(&self) -> f64 {
        let datagram = self.size.in_force();
        self.carried_bps() * datagram as f64 / self.size.wire_bytes(datagram) as f64
    }
}
