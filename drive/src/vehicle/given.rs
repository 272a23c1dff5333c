//! What the motors were given last, for the watchdog and for the operator. SPEC.md DRV-100, DRV-103.
//!
//! The thread of commands writes, others read; words alone, so that nobody waits for anybody.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::safety::State;

/// The longest time between two visits of the thread of commands to the motors: between two looks at session and flag.
pub(super) const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// The state's bits in a time: no clock tells 16 ns apart here.
const STATE: u64 = 0xf;
/// Stands for outside of the motors.
const OUTSIDE: u64 = 0;

/// See the module.
#[derive(Debug)]
pub(super) struct Given {
    /// When the motors were entered, nanoseconds.
    entered: AtomicU64,
    /// When they were left last, and in which state.
    left: AtomicU64,
    /// They have the brake, and nobody comes any more.
    is_over: AtomicBool,
}

impl Given {
    /// Nothing has been yet, which counts from `now` on.
    pub(super) fn new(now: MonoTime, state: State) -> Given {
        let left = AtomicU64::new(word(now, state));
        Given { entered: AtomicU64::new(OUTSIDE), left, is_over: AtomicBool::new(false) }
    }

    /// The motors are about to be called.
    pub(super) fn enter(&self, now: MonoTime) {
        self.entered.store(now.as_nanos().max(OUTSIDE + 1), Ordering::Relaxed);
    }

    /// They were left, and did not take it: since when they have what they have does not change.
    pub(super) fn refuse(&self) {
        self.entered.store(OUTSIDE, Ordering::Release);
    }

    /// They have what the gate gives in `state`.
    pub(super) fn leave(&self, now: MonoTime, state: State) {
        self.left.store(word(now, state), Ordering::Relaxed);
        self.entered.store(OUTSIDE, Ordering::Release);
    }

    /// The thread has given them the brake, and ends.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether it has.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// When they were given something last, and in which state.
    pub(super) fn last(&self) -> (MonoTime, State) {
        let left = self.left.load(Ordering::Relaxed);
        let state = State::ALL.get((left & STATE) as usize);
        (MonoTime::from_nanos(left & !STATE), *state.unwrap_or(&State::Locked))
    }

    /// Whether they hold the thread for longer than `deadline`, or it has not come for longer than that and its longest wait.
    pub(super) fn is_overdue(&self, now: MonoTime, deadline: Duration) -> bool {
        if self.is_over() {
            return false;
        }
        let entered = self.entered.load(Ordering::Acquire);
        let is_held = entered != OUTSIDE && now.since(MonoTime::from_nanos(entered)) > deadline;
        is_held || now.since(self.last().0) > deadline + LONGEST_WAIT
    }
}

fn word(now: MonoTime, state: State) -> u64 {
    let number = State::ALL.iter().position(|other| *other == state).unwrap_or_default();
    now.as_nanos() & !STATE | number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn what_was_given_is_told_with_its_time_and_state() {
        for state in State::ALL {
            let given = Given::new(at(0), State::Locked);
            given.leave(at(12_345), state);
            let (when, told) = given.last();
            assert_eq!((at(12_345).since(when) < Duration::from_nanos(16), told), (true, state));
        }
    }
}
