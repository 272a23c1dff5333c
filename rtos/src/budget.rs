//! What tasks may take of a processor in each period: how it is counted (SPEC.md RTK-66 to RTK-68).
//!
//! Pure counting over times that are given, guarded by the processor's lock. Nothing is done when a period begins: whoever looks next brings
//! the count up to then.
//!
//! ```text
//!                a task has the processor
//!   idle  ─────────────────────────────────► used ──── nothing is left ────► over
//!    ▲ ▲  ◄─────────────────────────────────                                  │
//!    │ │              it idles                                                │
//!    │ └──────────────────────────────────────────────────────────────────────┘
//!    start                       the period ends
//! ```

use crate::cell::{Byte, Long, Word};
use crate::wheel::NEVER;

#[derive(Debug)]
pub(crate) struct Budget {
    budget_us: Word,
    /// 0: there is no budget.
    period_us: Word,
    /// When the period ends that `left_us` is of.
    ends_us: Long,
    /// What was left at `since_us`, or when the processor last went idle.
    left_us: Long,
    /// Up to when it is counted, while a task has the processor; [`NEVER`]: none has.
    since_us: Long,
    is_over: Byte,
}

impl Budget {
    pub(crate) const fn new() -> Budget {
        Budget {
            budget_us: Word::new(0),
            period_us: Word::new(0),
            ends_us: Long::new(0),
            left_us: Long::new(0),
            since_us: Long::new(NEVER),
            is_over: Byte::new(0),
        }
    }

    /// The first period begins; a task has the processor, or none.
    pub(crate) fn start(&self, (budget_us, period_us): (u32, u32), now_us: u64, is_used: bool) {
        self.budget_us.set(budget_us);
        self.period_us.set(period_us);
        self.ends_us.set(now_us + u64::from(period_us));
        self.left_us.set(budget_us.into());
        self.since_us.set(if is_used { now_us } else { NEVER });
        self.is_over.set(0);
    }

    pub(crate) fn stop(&self) {
        self.period_us.set(0);
        self.is_over.set(0);
    }

    #[inline(always)]
    pub(crate) fn is_set(&self) -> bool {
        self.period_us.get() != 0
    }

    /// Whether no task is to have the processor.
    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.get() != 0
    }

    /// The processor goes to a task from its idle context, or back.
    pub(crate) fn change(&self, now_us: u64, is_used: bool) {
        self.settle(now_us);
        self.since_us.set(if is_used { now_us } else { NEVER });
    }

    /// When something is to be done: it is used up, or, if it is, the period ends.
    #[inline(always)]
    pub(crate) fn due_us(&self) -> u64 {
        if self.is_set() { self.set_due_us() } else { NEVER }
    }

    #[inline(never)]
    fn set_due_us(&self) -> u64 {
        if self.is_over() { self.ends_us.get() } else { self.used_up_us() }
    }

    /// What is due is done. Answers whether it is used up.
    pub(crate) fn on_due(&self, now_us: u64) -> bool {
        self.settle(now_us);
        let is_over = self.left_us.get() == 0;
        self.is_over.set(u8::from(is_over));
        is_over
    }

    /// When it will be, if the task goes on having the processor: in this period, or in the next.
    fn used_up_us(&self) -> u64 {
        let (since_us, ends_us, budget_us) = (self.since_us.get(), self.ends_us.get(), self.budget_us.get());
        if since_us == NEVER {
            return NEVER;
        }
        match since_us + self.left_us.get() {
            in_this if in_this < ends_us => in_this,
            // All of each period: that is no bound.
            _ if budget_us >= self.period_us.get() => NEVER,
            _ => ends_us + u64::from(budget_us),
        }
    }

    /// Brings the count up to now. Of a period that is over nothing is kept.
    fn settle(&self, now_us: u64) {
        let (mut since_us, ends_us) = (self.since_us.get(), self.ends_us.get());
        if now_us >= ends_us {
            let period_us = u64::from(self.period_us.get());
            let begin_us = now_us - (now_us - ends_us) % period_us;
            self.ends_us.set(begin_us + period_us);
            self.left_us.set(self.budget_us.get().into());
            since_us = if since_us == NEVER { NEVER } else { begin_us };
        }
        if since_us != NEVER {
            self.left_us.set(self.left_us.get().saturating_sub(now_us.saturating_sub(since_us)));
            self.since_us.set(now_us);
        }
    }

    /// Whether it is counted for a task that has the processor, and for none else; of a system that stands still.
    #[cfg(feature = "check")]
    pub(crate) fn is_used(&self) -> bool {
        self.since_us.get() != NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(budget_us: u32, period_us: u32) -> Budget {
        let budget = Budget::new();
        budget.start((budget_us, period_us), 100, false);
        budget
    }

    #[test]
    fn a_stint_across_a_periods_end_has_used_what_lies_behind_it() {
        let budget = budget(4, 10);
        budget.change(108, true);
        assert_eq!(budget.due_us(), 114, "two of this period, all four of the next");
        budget.change(111, false);
        budget.change(112, true);
        assert_eq!(budget.due_us(), 115);
        assert!(budget.on_due(115) && budget.is_over());
        assert_eq!(budget.due_us(), 120);
        budget.change(115, false);
        assert!(!budget.on_due(120) && budget.due_us() == NEVER);
    }

    #[test]
    fn periods_stay_on_their_grid_however_late_somebody_looks() {
        let budget = budget(4, 10);
        budget.change(137, true);
        assert_eq!(budget.due_us(), 144);
        assert!(budget.on_due(199), "a task that could not be interrupted");
        assert_eq!(budget.due_us(), 200);
    }

    #[test]
    fn what_was_used_up_to_the_last_is_no_more_until_the_period_ends() {
        let budget = budget(4, 10);
        budget.change(102, true);
        budget.change(106, false);
        assert_eq!(budget.due_us(), NEVER, "nobody wants it");
        budget.change(107, true);
        assert_eq!(budget.due_us(), 107);
    }

    #[test]
    fn all_of_each_period_is_never_used_up() {
        let budget = budget(10, 10);
        budget.change(100, true);
        assert_eq!(budget.due_us(), NEVER);
        budget.change(1_000_000, false);
        budget.change(1_000_005, true);
        assert_eq!(budget.due_us(), NEVER);
    }
}
