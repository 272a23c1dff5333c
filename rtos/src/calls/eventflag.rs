//! Calls about event flags: `set_flg`, `clr_flg`, `wai_flg`, `pol_flg`, `twai_flg`, `ini_flg`, `ref_flg`.

use crate::call::Call;
use crate::error::{Error, Result};
use crate::eventflag::{EventFlagStatus, FlagMode, mode_of};
use crate::kernel::{Kernel, Timeout};
use crate::objects::of_number;
use crate::port::Port;
use crate::task::Wait;

impl<P: Port> Kernel<P> {
    /// `set_flg`: sets bits and releases those whose wait is over by it, in their order.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn set_flg(&self, id: i32, bits: u32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::SetFlg, id);
        let flag = self.found(processor, of_number(self.objects().event_flags, id))?;
        self.locked(processor, &flag.lock, || {
            flag.pattern.set(flag.pattern.get() | bits);
            // All at once: the specification has nobody see a pattern of which some are released and others not yet.
            let mut at = flag.queue.first();
            while let Some(task) = at {
                at = flag.queue.after(task);
                if let Some(pattern) = flag.matches(task.waits.data.get() as u32, mode_of(task)) {
                    flag.queue.remove(task);
                    task.waits.data.set(pattern as usize);
                    self.wake(task, Ok(()));
                    if flag.config.clear {
                        break;
                    }
                }
            }
        });
        Ok(())
    }

    /// `clr_flg`: clears the bits that are not in `bits`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn clr_flg(&self, id: i32, bits: u32) -> Result {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::ClrFlg, id);
        let flag = self.found(processor, of_number(self.objects().event_flags, id))?;
        self.locked(processor, &flag.lock, || {
            flag.pattern.set(flag.pattern.get() & bits);
        });
        Ok(())
    }

    /// `wai_flg`: waits for bits; answers the pattern that they were in.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_PAR`: no bits; `E_ILUSE`: another waits, and one may; `E_RLWAI`, `E_DLT`.
    pub fn wai_flg(&self, id: i32, bits: u32, mode: FlagMode) -> Result<u32> {
        self.twai_flg(id, bits, mode, Timeout::Forever)
    }

    /// `twai_flg`: the same for a time.
    ///
    /// # Errors
    /// As [`wai_flg`](Self::wai_flg); `E_TMOUT`.
    pub fn twai_flg(&self, id: i32, bits: u32, mode: FlagMode, timeout: Timeout) -> Result<u32> {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TwaiFlg, id);
        let flag = self.found(processor, of_number(self.objects().event_flags, id))?;
        self.may_wait(processor, task, timeout)?;
        self.require(processor, bits != 0, Error::Parameter)?;
        self.lock(&flag.lock);
        let answer = flag.ask(bits, mode);
        if answer == Err(Error::Timeout) && timeout != Timeout::Poll {
            task.waits.data.set(bits as usize);
            task.waits.more.set(u32::from(mode == FlagMode::Any));
            self.wait((processor, task), Wait::EventFlag(id as u16), Some(flag.place()), timeout)?;
            return Ok(task.waits.data.get() as u32);
        }
        self.unlock(&flag.lock);
        self.leave(processor);
        answer
    }

    /// `pol_flg`: the same without waiting.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_PAR`, `E_ILUSE`, `E_TMOUT`.
    pub fn pol_flg(&self, id: i32, bits: u32, mode: FlagMode) -> Result<u32> {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::PolFlg, id);
        let flag = self.found(processor, of_number(self.objects().event_flags, id))?;
        self.require(processor, bits != 0, Error::Parameter)?;
        self.locked(processor, &flag.lock, || flag.ask(bits, mode))
    }

    /// `ini_flg`: as it was declared; who waits is told `E_DLT`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ini_flg(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let flag = self.found(processor, of_number(self.objects().event_flags, id))?;
        self.locked(processor, &flag.lock, || {
            self.wake_all(flag.place(), Err(Error::Deleted));
            flag.pattern.set(flag.config.initial);
        });
        Ok(())
    }

    /// `ref_flg`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_flg(&self, id: i32) -> Result<EventFlagStatus> {
        let (processor, _) = self.enter_task()?;
        let flag = self.found(processor, of_number(self.objects().event_flags, id))?;
        let status = self.locked(processor, &flag.lock, || flag.status());
        Ok(status)
    }
}
