//! What is done again, and when: a line that is told, a topic that is opened, a look that is due.
//!
//! Pure. Memory is bounded by `LINES_MAX` lines, and by the topics there are.

use std::collections::BTreeMap;
use std::time::Duration;

use tokkyu_contract::MonoTime;

/// The same line is told again after so long.
const TOLD_AGAIN: Duration = Duration::from_secs(10);
/// Lines remembered at most.
const LINES_MAX: usize = 1024;
/// Until what could not be opened is tried again.
pub const OPENED_AGAIN: Duration = Duration::from_secs(5);

/// Lines and when each was told last: the same is not told all the time (ROS2-40, NODE-99).
#[derive(Debug, Default)]
pub struct Told(BTreeMap<String, MonoTime>);

impl Told {
    /// Whether `line` is to be told at `now`; it counts as told then.
    pub fn is_due(&mut self, now: MonoTime, line: &str) -> bool {
        if self.0.get(line).is_some_and(|told| now.since(*told) < TOLD_AGAIN) {
            return false;
        }
        if self.0.len() >= LINES_MAX {
            self.0.retain(|_, told| now.since(*told) < TOLD_AGAIN);
        }
        if self.0.len() < LINES_MAX {
            self.0.insert(line.to_owned(), now);
        }
        true
    }
}

/// Topics that could not be opened, and until when they are left alone (ROS2-25, NODE-95).
#[derive(Debug, Default)]
pub struct Paused(Vec<(MonoTime, String)>);

impl Paused {
    /// At `now` the topic could not be opened.
    pub fn on_not_opened(&mut self, now: MonoTime, topic: &str) {
        self.0.push((now + OPENED_AGAIN, topic.to_owned()));
    }

    /// Topics that may be tried again, in the order they failed in.
    pub fn on_time(&mut self, now: MonoTime) -> Vec<String> {
        self.0.extract_if(.., |(until, _)| now >= *until).map(|(_, topic)| topic).collect()
    }
}

/// Something that is done every so often, by whoever asks whether it is due.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    every: Duration,
    last: MonoTime,
}

impl Pace {
    /// It was done at `last`.
    pub fn new(every: Duration, last: MonoTime) -> Pace {
        Pace { every, last }
    }

    /// Whether it is due at `now`; it counts as done then.
    pub fn is_due(&mut self, now: MonoTime) -> bool {
        let is_due = now.since(self.last) >= self.every;
        if is_due {
            self.last = now;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn the_same_line_is_told_once_in_ten_seconds() {
        let mut told = Told::default();
        let heard = [(5_000, "a"), (6_000, "a"), (6_000, "b"), (14_000, "a"), (15_000, "a")]
            .map(|(ms, line)| told.is_due(at(ms), line));
        assert_eq!(heard, [true, false, true, false, true]);
    }

    #[test]
    fn many_lines_are_told_and_not_all_remembered() {
        let mut told = Told::default();
        assert!((0..2 * LINES_MAX).all(|n| told.is_due(at(1), &n.to_string())));
        assert_eq!(told.0.len(), LINES_MAX);
        assert!(told.is_due(at(10_001), "new") && !told.is_due(at(10_002), "new"), "old ones make room");
    }

    #[test]
    fn a_topic_that_could_not_be_opened_is_tried_again_once_after_five_seconds() {
        let mut paused = Paused::default();
        paused.on_not_opened(at(100), "map");
        paused.on_not_opened(at(200), "camera");
        assert_eq!(paused.on_time(at(5_099)), [""; 0]);
        assert_eq!(paused.on_time(at(5_100)), ["map"]);
        assert_eq!(paused.on_time(at(9_000)), ["camera"]);
        assert_eq!(paused.on_time(at(99_000)), [""; 0]);
    }

    #[test]
    fn what_has_a_pace_is_due_once_in_each_span() {
        let mut pace = Pace::new(Duration::from_millis(20), at(100));
        let due = [100, 119, 120, 121, 145, 164, 165].map(|ms| pace.is_due(at(ms)));
        assert_eq!(due, [false, false, true, false, true, false, true]);
    }
}
