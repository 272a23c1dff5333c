//! The state of the system and of the processor: `get_tid`, `loc_cpu`, `dis_dsp`, `chg_ipm`, `sns_…`, `get_tim`.

use super::{Error, Kernel, Port, Result};
use crate::processor::CPU_LOCKED;

/// Lowest number of an interrupt priority (`TMIN_INTPRI`); 0 is `TIPM_ENAALL`.
pub const INTERRUPT_PRIORITY_MIN: i32 = -31;

impl<P: Port> Kernel<P> {
    /// `get_tid`: the running task; in a handler the one that it interrupts, 0 if there is none.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn get_tid(&self) -> Result<i32> {
        let processor = self.enter()?;
        let id = processor.current.get().map_or(0, crate::Task::id);
        self.leave(processor);
        Ok(id)
    }

    /// `get_inf`: what was declared for the running task.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn get_inf(&self) -> Result<usize> {
        let (processor, own) = self.enter_task()?;
        let exinf = own.config().exinf;
        self.leave(processor);
        Ok(exinf)
    }

    /// `get_pid`: this processor, from 1.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn get_pid(&self) -> Result<i32> {
        let processor = self.enter()?;
        self.leave(processor);
        Ok(processor.index() as i32 + 1)
    }

    /// `loc_cpu`: keeps the kernel's interrupts and all switches off this processor.
    ///
    /// # Errors
    /// None.
    pub fn loc_cpu(&self) -> Result {
        self.port.mask();
        let context = &self.here().context;
        context.set(context.get() | CPU_LOCKED);
        Ok(())
    }

    /// `unl_cpu`: lets them in again; not while a spin lock is held, which is let go with `unl_spn`.
    ///
    /// # Errors
    /// None.
    pub fn unl_cpu(&self) -> Result {
        self.port.mask();
        let processor = self.here();
        if processor.spin_lock.get().is_some() {
            return Ok(());
        }
        processor.context.set(processor.context.get() & !CPU_LOCKED);
        self.leave(processor);
        Ok(())
    }

    /// `dis_dsp`: no other task runs on this processor until `ena_dsp`.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn dis_dsp(&self) -> Result {
        let (processor, _) = self.enter_task()?;
        processor.dispatch_disabled.set(1);
        processor.update_may_switch();
        self.port.unmask();
        Ok(())
    }

    /// `ena_dsp`
    ///
    /// # Errors
    /// `E_CTX`
    pub fn ena_dsp(&self) -> Result {
        let (processor, _) = self.enter_task()?;
        processor.dispatch_disabled.set(0);
        processor.update_may_switch();
        self.leave(processor);
        Ok(())
    }

    /// `chg_ipm`: keeps out interrupts of this priority and below, from [`INTERRUPT_PRIORITY_MIN`], the most urgent; 0: none.
    ///
    /// # Errors
    /// `E_CTX`, `E_PAR`.
    pub fn chg_ipm(&self, priority: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let in_range = (INTERRUPT_PRIORITY_MIN..=0).contains(&priority);
        self.require(processor, in_range, Error::Parameter)?;
        processor.mask.set(priority.unsigned_abs() as u8);
        processor.update_may_switch();
        self.port.set_priority_mask(priority);
        self.leave(processor);
        Ok(())
    }

    /// `get_ipm`
    ///
    /// # Errors
    /// `E_CTX`
    pub fn get_ipm(&self) -> Result<i32> {
        let (processor, _) = self.enter_task()?;
        let mask = processor.mask.get();
        self.port.unmask();
        Ok(-i32::from(mask))
    }

    /// `dis_int`: disables an interrupt line.
    ///
    /// # Errors
    /// `E_PAR`: this processor has no such line.
    pub fn dis_int(&self, number: u32) -> Result {
        self.switch_line(number, false)
    }

    /// `ena_int`: enables an interrupt line.
    ///
    /// # Errors
    /// `E_PAR`: this processor has no such line.
    pub fn ena_int(&self, number: u32) -> Result {
        self.switch_line(number, true)
    }

    /// `ras_int`: asks for an interrupt of a line.
    ///
    /// # Errors
    /// `E_PAR`: this processor has no such line.
    pub fn ras_int(&self, number: u32) -> Result {
        self.with_line(|port| port.pend_interrupt(number, true).then_some(()))
    }

    /// `clr_int`: takes back what was asked for of a line, and not yet taken.
    ///
    /// # Errors
    /// `E_PAR`: this processor has no such line.
    pub fn clr_int(&self, number: u32) -> Result {
        self.with_line(|port| port.pend_interrupt(number, false).then_some(()))
    }

    /// `prb_int`: whether an interrupt of a line is asked for and not yet taken.
    ///
    /// # Errors
    /// `E_PAR`: this processor has no such line.
    pub fn prb_int(&self, number: u32) -> Result<bool> {
        self.with_line(|port| port.is_interrupt_pending(number))
    }

    fn switch_line(&self, number: u32, enabled: bool) -> Result {
        self.with_line(|port| port.enable_interrupt(number, enabled).then_some(()))
    }

    fn with_line<T>(&self, what: impl Fn(&P) -> Option<T>) -> Result<T> {
        // Also with the processor locked, which it is left.
        self.port.mask();
        let processor = self.here();
        let answer = what(&self.port);
        if !processor.is_cpu_locked() {
            self.leave(processor);
        }
        answer.ok_or(Error::Parameter)
    }

    /// `get_tim`: microseconds since the system started.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn get_tim(&self) -> Result<u64> {
        let (processor, _) = self.enter_task()?;
        let now_us = self.port.now_us();
        self.leave(processor);
        Ok(now_us)
    }

    /// `sns_ctx`: whether a handler runs.
    pub fn sns_ctx(&self) -> bool {
        self.sense(|processor| processor.in_handler())
    }

    /// `sns_loc`: whether the processor is locked.
    pub fn sns_loc(&self) -> bool {
        self.sense(|processor| processor.is_cpu_locked())
    }

    /// `sns_dsp`: whether dispatching is disabled.
    pub fn sns_dsp(&self) -> bool {
        self.sense(|processor| processor.dispatch_disabled.get() != 0)
    }

    /// `sns_dpn`: whether a switch would have to wait.
    pub fn sns_dpn(&self) -> bool {
        self.sense(|processor| !processor.can_switch())
    }

    /// `sns_ker`: whether the kernel does not run: before tasks do, and after.
    pub fn sns_ker(&self) -> bool {
        !self.is_running()
    }

    pub(super) fn sense(&self, what: impl Fn(&crate::Processor) -> bool) -> bool {
        // In one go: the task could be moved between finding its processor and looking at it.
        self.port.mask();
        let processor = self.here();
        let answer = what(processor);
        if !processor.is_cpu_locked() {
            self.leave(processor);
        }
        answer
    }
}
