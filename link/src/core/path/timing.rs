//! When things are due on a path, by its round trip and its gaps (LNK-17, LNK-22, LNK-40, LNK-69).

use super::{Path, PathState};
use crate::core::scheduler::Reach;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// More packets of the peer missing in a row are not chance.
const BURSTY_GAP: u32 = 4;
/// More feedback than this costs both ends more than it gains: each is a packet made, sent, read and taken in, and a wake-up.
const LEAST_FEEDBACK_INTERVAL: Duration = Duration::from_micros(200);
/// Packets are left in the socket for a 32nd of the round trip, within these bounds: control that comes among pictures
/// waits with them.
const LEAST_LULL: Duration = Duration::from_micros(400);
const MOST_LULL: Duration = Duration::from_millis(1);

impl Path {
    /// How often we want feedback: an eighth of a round trip.
    pub fn feedback_interval(&self) -> Duration {
        // Bursts of loss take packets, not time: where they take feedback, twice as much of it halves the silence.
        let longest = if self.received.longest_gap() > BURSTY_GAP { 2 } else { 4 };
        (self.rtt.smoothed() / 8).clamp(LEAST_FEEDBACK_INTERVAL, Duration::from_millis(longest))
    }

    /// Unanswered for this long is lost (LNK-40).
    pub fn probe_timeout(&self) -> Duration {
        let srtt = self.rtt.smoothed();
        // Feedback is lost too, on a bursty path several in a row.
        let silence = self.feedback_interval() * (5 + 2 * self.received.longest_gap());
        srtt * 9 / 8 + silence + self.log.reorder_window() + Duration::from_micros(300)
    }

    /// When a packet sent now arrives at the earliest. By the shortest round trip: a queue may be gone by then, and a
    /// sample held back for it would never show that it is. It may as well stand on the way back.
    fn earliest_arrival(&self, now: MonoTime) -> MonoTime {
        now + self.rtt.min().min(self.rtt.smoothed()).min(self.rtt.shortest()) / 2
    }

    /// What a packet sent now comes in time for.
    pub fn reach(&self, now: MonoTime) -> Reach {
        Reach { earliest: self.earliest_arrival(now), most_bps: f64::INFINITY, path: self.id }
    }

    /// A peer that hears nothing takes us for gone (LNK-17), and round trips are learned only from what is sent.
    pub fn keepalive_at(&self, lease: Duration) -> MonoTime {
        match self.monitor.state() {
            PathState::Silent => MonoTime::MAX, // probed already
            PathState::Fresh | PathState::Alive => self.monitor.last_sent() + lease / 3,
        }
    }

    /// When the path wants to be looked at, its flows' deadlines left out.
    pub fn deadline(&self, lease: Duration) -> MonoTime {
        let is_held_back = self.burst.is_held_back();
        self.received
            .deadline()
            .min(self.log.deadline(self.probe_timeout()))
            .min(self.monitor.deadline(self.rtt.smoothed()))
            .min(self.hole.deadline(self.monitor.state()))
            .min(self.feeler_at())
            .min(self.burst.probe_at())
            .min(if is_held_back { self.pacer.wake_at() } else { self.keepalive_at(lease) })
    }

    /// When a feeler is due that may go.
    fn feeler_at(&self) -> MonoTime {
        let is_possible = !self.is_silent() && !self.hole.is_hole() && !self.is_window_full();
        if is_possible { self.size.deadline().max(self.pacer.wake_at()) } else { MonoTime::MAX }
    }

    /// How long packets may be left in the socket while samples need `missing` more of them (LNK-69). None where nothing
    /// streams: a wait that no packet ends would only be repeated.
    pub fn lull(&self, now: MonoTime, missing: usize) -> Option<Duration> {
        if !self.received.is_streaming(now) {
            return None;
        }
        // Not all of it: the rate may grow.
        let soonest = self.received.spacing() * (missing * 3 / 4) as u32;
        let longest = (self.rtt.min() / 32).clamp(LEAST_LULL, MOST_LULL);
        Some(soonest.min(longest))
    }
}
