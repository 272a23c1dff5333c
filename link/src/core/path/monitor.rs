//! Whether the path answers (LNK-65).
//!
//! ```text
//!            feedback              unanswered for max(3 srtt, 100 ms), 2 srtt where there is another path
//!   Fresh ─────────────► Alive ◄───────────────────────────────┐
//!     │                    │      on_feedback                  │
//!     └────────────────────┴──────────────────────────────► Silent
//! ```

use std::time::Duration;
use tokkyu_contract::MonoTime;

const SHORTEST_SILENCE: Duration = Duration::from_millis(100);
/// Round trips without an answer, for a path that is alone and one of several.
const ALONE: u32 = 3;
const ONE_OF_SEVERAL: u32 = 2;
/// Longer than the period of commands, each of which is a probe too: more would stand in front of them on a thin path.
const PROBE_INTERVAL: Duration = Duration::from_millis(25);

/// State of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathState {
    /// Nothing was answered yet.
    Fresh,
    /// Answers come.
    Alive,
    /// Packets go unanswered: only probes and control are sent.
    Silent,
}

/// Watches for silence.
#[derive(Clone, Copy, Debug)]
pub struct PathMonitor {
    state: PathState,
    unanswered_since: Option<MonoTime>,
    next_probe: MonoTime,
    last_sent: MonoTime,
    /// Round trips without an answer that are silence.
    patience: u32,
    silences: u32,
}

impl Default for PathMonitor {
    fn default() -> Self {
        PathMonitor {
            state: PathState::Fresh,
            unanswered_since: None,
            next_probe: MonoTime::MAX,
            last_sent: MonoTime::ZERO,
            patience: ALONE,
            silences: 0,
        }
    }
}

impl PathMonitor {
    /// The state now.
    pub fn state(&self) -> PathState {
        self.state
    }

    /// How often the path fell silent.
    pub fn silences(&self) -> u32 {
        self.silences
    }

    /// The path is there: nothing was sent so far.
    pub fn begin(&mut self, now: MonoTime) {
        self.last_sent = now;
    }

    /// Whether another path may take over: then waiting costs more than a false alarm.
    pub fn set_alone(&mut self, is_alone: bool) {
        self.patience = if is_alone { ALONE } else { ONE_OF_SEVERAL };
    }

    /// When a packet was sent last that calls for an answer.
    pub fn last_sent(&self) -> MonoTime {
        self.last_sent
    }

    /// A packet that calls for an answer was sent.
    pub fn on_sent(&mut self, now: MonoTime) {
        self.last_sent = now;
        self.unanswered_since.get_or_insert(now);
        if self.state == PathState::Silent {
            self.next_probe = now + PROBE_INTERVAL;
        }
    }

    /// An answer came; `still_open` packets wait for another. True when the path had been silent.
    pub fn on_feedback(&mut self, now: MonoTime, still_open: bool) -> bool {
        self.unanswered_since = still_open.then_some(now);
        self.next_probe = MonoTime::MAX;
        std::mem::replace(&mut self.state, PathState::Alive) == PathState::Silent
    }

    /// Time passed. True when the path fell silent just now.
    pub fn on_tick(&mut self, now: MonoTime, srtt: Duration) -> bool {
        let falls = self.state != PathState::Silent && now >= self.silent_at(srtt);
        if falls {
            self.state = PathState::Silent;
            self.silences += 1;
            self.next_probe = now;
        }
        falls
    }

    fn silent_at(&self, srtt: Duration) -> MonoTime {
        self.unanswered_since
            .map_or(MonoTime::MAX, |since| since + (srtt * self.patience).max(SHORTEST_SILENCE))
    }

    /// Whether a probe is due.
    pub fn wants_probe(&self, now: MonoTime) -> bool {
        self.state == PathState::Silent && now >= self.next_probe
    }

    /// When to look again.
    pub fn deadline(&self, srtt: Duration) -> MonoTime {
        match self.state {
            PathState::Silent => self.next_probe,
            PathState::Fresh | PathState::Alive => self.silent_at(srtt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRTT: Duration = Duration::from_millis(50);

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn in_state(state: PathState) -> PathMonitor {
        let mut path = PathMonitor::default();
        if state != PathState::Fresh {
            path.on_feedback(at(0), false);
        }
        path.on_sent(at(10));
        if state == PathState::Silent {
            path.on_tick(at(500), SRTT);
        }
        assert_eq!(path.state(), state);
        path
    }

    #[test]
    fn every_event_in_every_state_leads_where_the_drawing_says() {
        use PathState::{Alive, Fresh, Silent};
        let table = [
            // state, after feedback, after a tick in time, after a tick too late
            (Fresh, Alive, Fresh, Silent),
            (Alive, Alive, Alive, Silent),
            (Silent, Alive, Silent, Silent),
        ];
        for (state, answered, in_time, too_late) in table {
            let mut path = in_state(state);
            assert_eq!(path.on_feedback(at(600), false), state == Silent);
            assert_eq!(path.state(), answered);
            let mut path = in_state(state);
            assert!(!path.on_tick(at(159), SRTT));
            assert_eq!(path.state(), in_time);
            let mut path = in_state(state);
            assert_eq!(path.on_tick(at(160), SRTT), state != Silent);
            assert_eq!(path.state(), too_late);
        }
    }

    #[test]
    fn nothing_sent_is_nothing_unanswered() {
        let mut path = PathMonitor::default();
        assert!(!path.on_tick(at(1_000_000), SRTT));
        assert_eq!(path.deadline(SRTT), MonoTime::MAX);
    }

    #[test]
    fn a_silent_path_is_probed_every_25_milliseconds() {
        let mut path = in_state(PathState::Silent);
        assert!(path.wants_probe(at(500)));
        path.on_sent(at(500));
        assert!(!path.wants_probe(at(524)));
        assert!(path.wants_probe(at(525)));
    }
}
