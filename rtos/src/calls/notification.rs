//! Calls about cyclic and alarm notifications: `sta_cyc`, `msta_cyc`, `stp_cyc`, `ref_cyc`, `sta_alm`, `msta_alm`, `stp_alm`, `ref_alm`;
//! and the timer's interrupt, in which everything that is due is done.

use crate::error::{Error, Result};
use crate::kernel::{Kernel, RELATIVE_TIME_MAX_US};
use crate::notification::{Cyclic, NotificationStatus, Timed};
use crate::objects::of_number;
use crate::port::{Handler, Port};
use crate::processor::Processor;
use crate::task::{Task, Wait};
use crate::wheel::{Event, Owner, Step};

impl<P: Port> Kernel<P> {
    /// `sta_cyc`: its first call comes after its phase.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn sta_cyc(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let cyclic = self.found(processor, of_number(self.objects().cyclics, id))?;
        self.set_off(processor, &cyclic.timed, None, cyclic.config.phase_us);
        Ok(())
    }

    /// `msta_cyc`: the same on another processor (0: the one it was declared with).
    ///
    /// # Errors
    /// `E_CTX`, `E_ID` of notification or processor; `E_PAR`: it may not run there.
    pub fn msta_cyc(&self, id: i32, on: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let cyclic = self.found(processor, of_number(self.objects().cyclics, id))?;
        let on = self.found(processor, self.processor_or_initial(on, cyclic.config.assignment.processor))?;
        self.require(processor, cyclic.config.assignment.allows(on.index()), Error::Parameter)?;
        self.set_off(processor, &cyclic.timed, Some(on), cyclic.config.phase_us);
        Ok(())
    }

    /// `stp_cyc`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn stp_cyc(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let cyclic = self.found(processor, of_number(self.objects().cyclics, id))?;
        self.stop(processor, &cyclic.timed);
        Ok(())
    }

    /// `ref_cyc`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_cyc(&self, id: i32) -> Result<NotificationStatus> {
        let (processor, _) = self.enter_task()?;
        let cyclic = self.found(processor, of_number(self.objects().cyclics, id))?;
        Ok(self.look_at(processor, &cyclic.timed))
    }

    /// `sta_alm`: it is called once, after microseconds.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_PAR`.
    pub fn sta_alm(&self, id: i32, after_us: u32) -> Result {
        let processor = self.enter()?;
        let alarm = self.found(processor, of_number(self.objects().alarms, id))?;
        self.require(processor, after_us <= RELATIVE_TIME_MAX_US, Error::Parameter)?;
        self.set_off(processor, &alarm.timed, None, after_us);
        Ok(())
    }

    /// `msta_alm`: the same on another processor (0: the one it was declared with).
    ///
    /// # Errors
    /// `E_CTX`, `E_ID` of notification or processor; `E_PAR`: too long, or it may not run there.
    pub fn msta_alm(&self, id: i32, after_us: u32, on: i32) -> Result {
        let processor = self.enter()?;
        let alarm = self.found(processor, of_number(self.objects().alarms, id))?;
        let on = self.found(processor, self.processor_or_initial(on, alarm.assignment.processor))?;
        self.require(processor, after_us <= RELATIVE_TIME_MAX_US, Error::Parameter)?;
        self.require(processor, alarm.assignment.allows(on.index()), Error::Parameter)?;
        self.set_off(processor, &alarm.timed, Some(on), after_us);
        Ok(())
    }

    /// `stp_alm`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn stp_alm(&self, id: i32) -> Result {
        let processor = self.enter()?;
        let alarm = self.found(processor, of_number(self.objects().alarms, id))?;
        self.stop(processor, &alarm.timed);
        Ok(())
    }

    /// `ref_alm`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_alm(&self, id: i32) -> Result<NotificationStatus> {
        let (processor, _) = self.enter_task()?;
        let alarm = self.found(processor, of_number(self.objects().alarms, id))?;
        Ok(self.look_at(processor, &alarm.timed))
    }

    /// Ends a call by setting it off, anew if it is already, where it is or on `on`.
    fn set_off(
        &self,
        processor: &'static Processor,
        timed: &'static Timed,
        on: Option<&'static Processor>,
        after_us: u32,
    ) {
        let (from, to) = self.lock_timed(timed, on);
        from.wheel.remove(&timed.event);
        timed.processor.set(to.index.get());
        to.wheel.insert(&timed.event, self.due_after(after_us));
        self.look_at_timer(to);
        self.unlock_both(from, to);
        self.leave(processor);
    }

    fn stop(&self, processor: &'static Processor, timed: &'static Timed) {
        let (at, _) = self.lock_timed(timed, None);
        at.wheel.remove(&timed.event);
        self.unlock(&at.lock);
        self.leave(processor);
    }

    fn look_at(&self, processor: &'static Processor, timed: &'static Timed) -> NotificationStatus {
        let (at, _) = self.lock_timed(timed, None);
        let status = timed.status(self.port.now_us());
        self.unlock(&at.lock);
        self.leave(processor);
        status
    }

    /// Locks where it is assigned, and where it is to be.
    fn lock_timed(
        &self,
        timed: &'static Timed,
        on: Option<&'static Processor>,
    ) -> (&'static Processor, &'static Processor) {
        let processors = self.objects().processors;
        loop {
            let index = timed.processor.get();
            let from = &processors[usize::from(index)];
            let to = on.unwrap_or(from);
            self.lock_both(from, to);
            if timed.processor.get() == index {
                return (from, to);
            }
            self.unlock_both(from, to);
        }
    }

    pub(crate) fn start_cyclic_at_boot(&self, cyclic: &'static Cyclic) {
        let processors = self.objects().processors;
        let at = &processors[usize::from(cyclic.timed.processor.get())];
        at.wheel.insert(&cyclic.timed.event, self.due_after(cyclic.config.phase_us));
    }

    /// In the timer's interrupt of this processor: does what is due, and sets the timer for what is next.
    pub fn on_timer(&self) {
        let processor = self.here();
        loop {
            self.lock(&processor.lock);
            match processor.wheel.step(self.port.now_us()) {
                // Let go in between: as much may come down as there are tasks.
                Step::Moved => self.unlock(&processor.lock),
                Step::Due(event) => self.on_due(processor, event),
                Step::Rest => {
                    let overrun = self.overrun_here(processor).map(Handler::Overrun);
                    if let Some(handler) = overrun.or_else(|| self.budget_here(processor)) {
                        self.unlock(&processor.lock);
                        self.port.handle(handler);
                        continue;
                    }
                    // It has gone off: whatever it was set to is over.
                    processor.timer_us.set(u64::MAX - 1);
                    self.look_at_timer(processor);
                    self.unlock(&processor.lock);
                    return;
                }
            }
        }
    }

    /// The processor's lock is held, and let go.
    fn on_due(&self, processor: &'static Processor, event: &'static Event) {
        let handler = match event.owner() {
            Owner::Task(number) => {
                self.unlock(&processor.lock);
                if let Ok(task) = of_number(self.objects().tasks, i32::from(number)) {
                    self.time_out(task);
                }
                return;
            }
            Owner::Cyclic(number) => {
                processor.wheel.remove(event);
                if let Ok(cyclic) = of_number(self.objects().cyclics, i32::from(number)) {
                    // From when it was due, so that being late does not add up.
                    let next_us = event.at_us() + u64::from(cyclic.config.period_us.max(1));
                    processor.wheel.insert(event, next_us);
                }
                Handler::Cyclic(number)
            }
            Owner::Alarm(number) => {
                processor.wheel.remove(event);
                Handler::Alarm(number)
            }
        };
        self.unlock(&processor.lock);
        self.port.handle(handler);
    }

    /// The time of a task's wait is over, unless somebody was quicker: the locks are taken in their order first.
    fn time_out(&self, task: &'static Task) {
        let (at, place) = self.lock_with_place(task);
        let due = task.event.is_set() && task.event.at_us() <= self.port.now_us();
        if due && task.is_waiting() {
            if let Some(place) = place {
                place.queue.remove(task);
            }
            let outcome = if task.wait() == Some(Wait::Delay) { Ok(()) } else { Err(Error::Timeout) };
            self.end_wait(at, task, outcome);
        }
        self.unlock(&at.lock);
        self.unlock_place(place);
    }
}
