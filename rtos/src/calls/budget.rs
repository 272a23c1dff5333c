//! Budgets of processors: what their tasks may take of them in each period, and what is done when it is used up.
//!
//! No call of ITRON's. Who enforces it is `Processor::next`, which leads to no task while a budget is over. Rules: SPEC.md RTK-66 to RTK-68.

use super::{Error, Kernel, Port, Processor, Result, of_number};
use crate::kernel::RELATIVE_TIME_MAX_US;
use crate::port::Handler;

impl<P: Port> Kernel<P> {
    /// The tasks of a processor have so much of it in each period from now on, in microseconds.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: the system has none; `E_PAR`: nothing, more than a period, or a period that is longer than
    /// [`RELATIVE_TIME_MAX_US`].
    pub fn start_budget(&self, processor_id: i32, budget_us: u32, period_us: u32) -> Result {
        let processor = self.enter()?;
        let at = self.found(processor, self.budget_of(processor_id, budget_us, period_us))?;
        self.lock(&at.lock);
        let is_used = at.current.get().is_some();
        at.budget.start((budget_us, period_us), self.port.now_us(), is_used);
        self.end_budget_call(processor, at)
    }

    /// They have all of it again.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn stop_budget(&self, processor_id: i32) -> Result {
        let processor = self.enter()?;
        let at = self.found(processor, of_number(self.objects().processors, processor_id))?;
        self.lock(&at.lock);
        at.budget.stop();
        self.end_budget_call(processor, at)
    }

    /// As [`start_budget`](Kernel::start_budget), for who prepares the system: after [`prepare`](Kernel::prepare), before any processor calls
    /// [`start`](Kernel::start).
    ///
    /// # Errors
    /// `E_ID`, `E_OBJ`, `E_PAR`.
    pub fn start_budget_at_boot(&self, processor_id: i32, budget_us: u32, period_us: u32) -> Result {
        let at = self.budget_of(processor_id, budget_us, period_us)?;
        at.budget.start((budget_us, period_us), self.port.now_us(), false);
        Ok(())
    }

    fn budget_of(&self, processor_id: i32, budget_us: u32, period_us: u32) -> Result<&'static Processor> {
        let at = of_number(self.objects().processors, processor_id)?;
        let is_possible = (1..=period_us).contains(&budget_us) && period_us <= RELATIVE_TIME_MAX_US;
        match self.objects().budgets {
            true if is_possible => Ok(at),
            true => Err(Error::Parameter),
            false => Err(Error::State),
        }
    }

    /// Whatever was over is not any more. The lock of `at` is held.
    fn end_budget_call(&self, processor: &'static Processor, at: &'static Processor) -> Result {
        if at.look_again() {
            self.notice(at);
        }
        self.look_at_timer(at);
        self.answer(processor, at, Ok(()))
    }

    /// The processor goes to a task, or idles: what tasks use of it is counted, if it has a budget. Its lock is held.
    #[inline(always)]
    pub(crate) fn count_use(&self, processor: &'static Processor, is_used: bool) {
        let may = self.objects().budgets && processor.budget.is_set();
        if may && processor.current.get().is_some() != is_used {
            processor.budget.change(self.port.now_us(), is_used);
            self.look_at_timer(processor);
        }
    }

    /// In the timer's interrupt: a budget that is used up, or whose next period begins. Answers what is to be called. The processor's lock
    /// is held.
    #[inline(always)]
    pub(crate) fn budget_here(&self, processor: &'static Processor) -> Option<Handler> {
        let is_set = self.objects().budgets && processor.budget.is_set();
        if is_set { self.set_budget_here(processor) } else { None }
    }

    #[inline(never)]
    fn set_budget_here(&self, processor: &'static Processor) -> Option<Handler> {
        let now_us = self.port.now_us();
        if processor.budget.due_us() > now_us {
            return None;
        }
        let is_over = processor.budget.on_due(now_us);
        processor.look_again();
        is_over.then(|| Handler::BudgetOver(u16::from(processor.index.get()) + 1))
    }
}
