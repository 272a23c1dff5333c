//! Processor time that is used up: `sta_ovr`, `stp_ovr`, `ref_ovr`; and how it is counted.
//!
//! A task's budget is counted where it runs: while it does, its processor knows when it will be over; otherwise the task keeps what is left.
//! Both are written with the processor's lock held. Rules: SPEC.md RTK-60 to RTK-63.

use super::{Error, Kernel, Port, Processor, Result, Task};
use crate::wheel::NEVER;

/// Longest processor time (`TMAX_OVRTIM`), in microseconds.
pub const OVERRUN_TIME_MAX_US: u32 = 4_000_000_000;

/// What `ref_ovr` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverrunStatus {
    /// `leftotm`: microseconds of processor time; none if it is not counted (`TOVR_STP`).
    pub left_us: Option<u64>,
}

impl<P: Port> Kernel<P> {
    /// `sta_ovr`: the overrun handler is called, once, when the task has used so much processor time, in microseconds, from now on.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_PAR`: nothing, or too much; `E_OBJ`: no overrun handler is declared.
    pub fn sta_ovr(&self, task: i32, budget_us: u32) -> Result {
        let processor = self.enter()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let in_range = (1..=OVERRUN_TIME_MAX_US).contains(&budget_us);
        self.require(processor, in_range, Error::Parameter)?;
        self.set_budget(processor, task, Some(u64::from(budget_us)))
    }

    /// `stp_ovr`: what a task uses is not counted any more.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: no overrun handler is declared.
    pub fn stp_ovr(&self, task: i32) -> Result {
        let processor = self.enter()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        self.set_budget(processor, task, None)
    }

    /// `ref_ovr`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: no overrun handler is declared.
    pub fn ref_ovr(&self, task: i32) -> Result<OverrunStatus> {
        let (processor, _) = self.enter_task()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        self.require(processor, self.objects().overrun, Error::State)?;
        let at = self.lock_processor_of(task);
        let left_us = if at.current.is(task) {
            at.overrun_us.get().saturating_sub(self.port.now_us())
        } else {
            task.budget.left_us.get()
        };
        let status = OverrunStatus { left_us: (task.budget.started.get() != 0).then_some(left_us) };
        self.answer(processor, at, Ok(status))
    }

    fn set_budget(
        &self,
        processor: &'static Processor,
        task: &'static Task,
        budget_us: Option<u64>,
    ) -> Result {
        self.require(processor, self.objects().overrun, Error::State)?;
        let at = self.lock_processor_of(task);
        task.budget.started.set(u8::from(budget_us.is_some()));
        task.budget.left_us.set(budget_us.unwrap_or(0));
        if at.current.is(task) {
            at.overrun_us.set(budget_us.map_or(NEVER, |budget_us| self.port.now_us() + budget_us));
            self.look_at_timer(at);
        }
        self.answer(processor, at, Ok(()))
    }

    /// The processor goes from one task to another: what one has used is counted, and when the other's budget will be over.
    /// The processor's lock is held.
    pub(crate) fn count_budgets(
        &self,
        processor: &'static Processor,
        from: Option<&'static Task>,
        to: Option<&'static Task>,
    ) {
        let over_us = processor.overrun_us.get();
        let starts = to.filter(|to| to.budget.started.get() != 0);
        if over_us == NEVER && starts.is_none() {
            return;
        }
        let now_us = self.port.now_us();
        if let Some(from) = from.filter(|_| over_us != NEVER) {
            from.budget.left_us.set(over_us.saturating_sub(now_us));
        }
        processor.overrun_us.set(starts.map_or(NEVER, |to| now_us + to.budget.left_us.get()));
        self.look_at_timer(processor);
    }

    /// In the timer's interrupt: the number of the running task if it has used up its budget, which is not counted any more then. The
    /// processor's lock is held.
    pub(crate) fn overrun_here(&self, processor: &'static Processor) -> Option<u16> {
        if !self.objects().overrun || processor.overrun_us.get() > self.port.now_us() {
            return None;
        }
        processor.overrun_us.set(NEVER);
        let task = processor.current.get()?;
        task.budget.started.set(0);
        Some(task.number.get())
    }
}
