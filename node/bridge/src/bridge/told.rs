//! What was told, so that the same is not told all the time.
//!
//! Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use tokkyu_contract::MonoTime;

/// The same line is told again after so long.
const AGAIN: Duration = Duration::from_secs(10);
/// Lines remembered at most.
const LINES: usize = 1024;

/// Lines and when each was told last.
#[derive(Debug, Default)]
pub(super) struct Told(BTreeMap<String, MonoTime>);

impl Told {
    /// Whether `line` is to be told at `now`; it counts as told then.
    pub(super) fn is_due(&mut self, now: MonoTime, line: &str) -> bool {
        if self.0.get(line).is_some_and(|told| now.since(*told) < AGAIN) {
            return false;
        }
        if self.0.len() >= LINES {
            self.0.retain(|_, told| now.since(*told) < AGAIN);
        }
        if self.0.len() < LINES {
            self.0.insert(line.to_owned(), now);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line_is_told_once_in_ten_seconds_however_many_there_are() {
        let mut told = Told::default();
        let at = |second: u64| MonoTime::from_millis(1_000 * second);
        let heard =
            [(5, "a"), (6, "a"), (6, "b"), (14, "a"), (15, "a")].map(|(s, line)| told.is_due(at(s), line));
        assert_eq!(heard, [true, false, true, false, true]);
        assert!((0..2 * LINES).all(|n| told.is_due(at(16), &n.to_string())));
        assert_eq!(told.0.len(), LINES);
    }
}
