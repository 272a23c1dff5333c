//! A processor: what runs on it, what is ready, what is due.

use crate::budget::Budget;
use crate::cell::{Byte, Link, Long, Word};
use crate::lock::{Lock, RANK_OF_CHAIN, RANK_OF_PROCESSORS};
use crate::ready::ReadyQueue;
use crate::spinlock::SpinLock;
use crate::task::{Saved, Task};
use crate::wheel::{NEVER, Wheel};

/// In [`Processor::context`]: `loc_cpu`.
pub(crate) const CPU_LOCKED: u32 = 1;
/// In [`Processor::context`]: `dis_dsp`, or `chg_ipm` that keeps something out.
pub(crate) const NO_SWITCH: u32 = 2;
/// In [`Processor::context`]: for each handler that runs.
pub(crate) const HANDLER: u32 = 4;

/// A processor.
///
/// What others change is guarded by its lock; its context is its own, and changed with interrupts masked.
#[derive(Debug)]
pub struct Processor {
    pub(crate) lock: Lock,
    /// The system's, of the first processor: for priorities that are handed on from mutex to mutex.
    pub(crate) chain: Lock,
    pub(crate) index: Byte,
    /// 0: a task runs, and nothing is locked. All that forbids anything is in this word, for every call looks.
    pub(crate) context: Word,
    pub(crate) dispatch_disabled: Byte,
    /// Priority mask, with its sign turned: 0 is `TIPM_ENAALL`.
    pub(crate) mask: Byte,
    /// The task whose context the processor has; none when it idles.
    pub(crate) current: Link<Task>,
    /// The task that it should have: the first ready one; none while its budget is over.
    pub(crate) next: Link<Task>,
    /// Held over a switch beside its own lock, by a task that moves itself: that processor.
    pub(crate) also_held: Link<Processor>,
    /// The program's spin lock that it has: one at most.
    pub(crate) spin_lock: Link<SpinLock>,
    pub(crate) ready: ReadyQueue,
    pub(crate) wheel: Wheel,
    /// What its timer was last set to; `u64::MAX` is never.
    pub(crate) timer_us: Long,
    /// When the running task's budget is over; [`NEVER`]: it has none.
    pub(crate) overrun_us: Long,
    /// What its tasks may take of it.
    pub(crate) budget: Budget,
    /// Somebody else has changed what is due first.
    pub(crate) timer_asked: Byte,
    /// What it does when no task runs.
    pub(crate) idle: Saved,
    /// Ranks of the locks that it holds, as bits; looked at in debug builds.
    pub(crate) held: Word,
}

impl Processor {
    /// Before the system starts.
    pub const fn new() -> Processor {
        Processor {
            lock: Lock::new(RANK_OF_PROCESSORS),
            chain: Lock::new(RANK_OF_CHAIN),
            index: Byte::new(0),
            context: Word::new(0),
            dispatch_disabled: Byte::new(0),
            mask: Byte::new(0),
            current: Link::none(),
            next: Link::none(),
            also_held: Link::none(),
            spin_lock: Link::none(),
            ready: ReadyQueue::new(),
            wheel: Wheel::new(),
            timer_us: Long::new(u64::MAX),
            overrun_us: Long::new(NEVER),
            budget: Budget::new(),
            timer_asked: Byte::new(0),
            idle: Saved::new(),
            held: Word::new(0),
        }
    }

    pub(crate) fn reset(&self, index: u8, now_us: u64) {
        self.lock.release();
        self.chain.release();
        self.lock.set_rank(RANK_OF_PROCESSORS + u32::from(index));
        self.index.set(index);
        self.context.set(0);
        self.dispatch_disabled.set(0);
        self.mask.set(0);
        for link in [&self.current, &self.next] {
            link.set(None);
        }
        self.also_held.set(None);
        self.spin_lock.set(None);
        self.ready.clear();
        self.wheel.clear(now_us);
        self.timer_us.set(u64::MAX);
        self.overrun_us.set(NEVER);
        self.budget.stop();
        self.timer_asked.set(0);
        self.held.set(0);
    }

    /// Its place among the processors, from 0.
    pub fn index(&self) -> usize {
        usize::from(self.index.get())
    }

    /// The program's spin lock, if it has one.
    pub(crate) fn let_spin_lock_go(&self) {
        if let Some(lock) = self.spin_lock.get() {
            self.spin_lock.set(None);
            lock.let_go();
        }
    }

    /// The task whose context it has, of a system that stands still; none while it idles.
    pub fn current(&self) -> Option<&'static Task> {
        self.current.get()
    }

    /// What the port keeps of the context that it has when no task runs.
    pub fn idle(&self) -> &Saved {
        &self.idle
    }

    /// Lets go of whatever the running task has locked, disabled or masked.
    pub(crate) fn let_all_go(&self) {
        self.let_spin_lock_go();
        self.context.set(0);
        self.dispatch_disabled.set(0);
        self.mask.set(0);
    }

    /// Whether a handler runs.
    pub(crate) fn in_handler(&self) -> bool {
        self.context.get() >= HANDLER
    }

    /// Whether a task runs, or the idle context, with the processor not locked.
    #[inline(always)]
    pub(crate) fn in_task(&self) -> bool {
        self.context.get() & !NO_SWITCH == 0
    }

    /// Whether `dis_dsp` and `chg_ipm` allow a switch.
    pub(crate) fn may_switch(&self) -> bool {
        self.context.get() & NO_SWITCH == 0
    }

    #[inline(always)]
    pub(crate) fn is_cpu_locked(&self) -> bool {
        self.context.get() & CPU_LOCKED != 0
    }

    /// Whether the running task could be switched from here and now (RTK-11).
    #[inline(always)]
    pub(crate) fn can_switch(&self) -> bool {
        self.context.get() == 0
    }

    pub(crate) fn update_may_switch(&self) {
        let others = self.context.get() & !NO_SWITCH;
        let may = self.dispatch_disabled.get() == 0 && self.mask.get() == 0;
        self.context.set(if may { others } else { others | NO_SWITCH });
    }

    /// Whether it has another task than it should.
    #[inline(always)]
    pub(crate) fn is_behind(&self) -> bool {
        !self.next.leads_as(&self.current)
    }

    /// A task joins the ready ones; answers whether it is the one to run now.
    #[inline]
    pub(crate) fn add(&self, task: &'static Task) -> bool {
        self.ready.push(task);
        let urgent = match self.next.get() {
            // Not over: then there is no next.
            Some(next) => task.priority.get() < next.priority.get(),
            None => !self.budget.is_over(),
        };
        if urgent {
            self.next.set(Some(task));
        }
        urgent
    }

    /// A task leaves them; answers whether it was the one to run.
    #[inline]
    pub(crate) fn take_away(&self, task: &'static Task) -> bool {
        self.ready.remove(task);
        let was_next = self.next.is(task);
        if was_next {
            self.next.set(self.ready.first());
        }
        was_next
    }

    /// The task that it should have now.
    pub(crate) fn first(&self) -> Option<&'static Task> {
        if self.budget.is_over() { None } else { self.ready.first() }
    }

    /// After the order changed, or a budget; answers whether another is to run now.
    pub(crate) fn look_again(&self) -> bool {
        let before = self.next.get();
        let first = self.first();
        self.next.set(first);
        match (before, first) {
            (Some(before), Some(first)) => !core::ptr::eq(before, first),
            (before, first) => before.is_some() != first.is_some(),
        }
    }
}

impl Default for Processor {
    fn default() -> Self {
        Self::new()
    }
}
