//! The burst being sent: everything between two moments with nothing to send.

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// The burst being sent: everything between two moments with nothing to send.
#[derive(Clone, Copy, Debug, Default)]
pub struct Burst {
    pub number: u32,
    pub packets: u32,
    pub is_open: bool,
    pub owes_probe: bool,
    /// Another probe goes then, unless everything is answered.
    pub probe_at: Option<MonoTime>,
    pub held_back: bool,
    pub last_sent: MonoTime,
    /// Pause before the burst.
    pub gap: Duration,
    /// A sample that cannot arrive whole is begun then (LNK-52).
    pub next_try: MonoTime,
}

impl Burst {
    /// Something waits for the pacer.
    pub fn is_held_back(&self) -> bool {
        self.held_back
    }

    pub fn on_paced(&mut self, now: MonoTime, has_fragments: bool) {
        if !self.is_open {
            self.is_open = true;
            self.number += 1;
            self.packets = 0;
            self.gap = now.since(self.last_sent);
        }
        self.owes_probe |= has_fragments;
        self.last_sent = now;
    }

    pub fn on_idle(&mut self) {
        self.is_open = false;
    }

    /// Packets went unanswered: ask at once.
    pub fn on_timeout(&mut self, now: MonoTime) {
        self.probe_at = Some(now);
    }

    /// When a probe is due.
    pub fn probe_at(&self) -> MonoTime {
        // What waits for the pacer goes first, and shows losses as well as a probe does.
        if self.held_back { MonoTime::MAX } else { self.probe_at.unwrap_or(MonoTime::MAX) }
    }

    /// No probe is needed any more.
    pub fn on_answered(&mut self) {
        self.probe_at = None;
    }
}
