//! Sleeping and waking: `slp_tsk`, `tslp_tsk`, `wup_tsk`, `can_wup`, `rel_wai`, `dly_tsk`.

use super::{Error, Kernel, Port, Result};
use crate::call::Call;
use crate::kernel::Timeout;
use crate::task::Wait;

impl<P: Port> Kernel<P> {
    /// `slp_tsk`: waits for a wake-up; one that is queued is taken at once.
    ///
    /// # Errors
    /// `E_CTX`, `E_RLWAI`.
    pub fn slp_tsk(&self) -> Result {
        self.tslp_tsk(Timeout::Forever)
    }

    /// `tslp_tsk`: the same for a time.
    ///
    /// # Errors
    /// `E_CTX`, `E_PAR`, `E_RLWAI`, `E_TMOUT`.
    #[inline]
    pub fn tslp_tsk(&self, timeout: Timeout) -> Result {
        let (processor, own) = self.enter_waiting()?;
        self.port.called(Call::TslpTsk, 0);
        self.may_wait(processor, own, timeout)?;
        self.lock(&processor.lock);
        if own.wakeups.get() == 0 && timeout != Timeout::Poll {
            self.begin_wait(processor, own, Wait::Sleep, timeout);
            self.dispatch(processor);
            self.port.unmask();
            return own.outcome();
        }
        let answer = if own.wakeups.get() == 0 { Err(Error::Timeout) } else { Ok(()) };
        own.wakeups.set(0);
        self.dispatch_or_leave(processor);
        answer
    }

    /// `wup_tsk`: wakes a sleeping task; for one that does not sleep it is queued.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: it is dormant; `E_QOVR`.
    #[inline]
    pub fn wup_tsk(&self, task: i32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::WupTsk, task);
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let at = self.lock_processor_of(task);
        if task.wait() == Some(Wait::Sleep) {
            self.end_wait(at, task, Ok(()));
            self.leave_from(processor, at);
            return Ok(());
        }
        let answer = match (task.is_dormant(), task.wakeups.get()) {
            (true, _) => Err(Error::State),
            (false, 0) => {
                task.wakeups.set(1);
                Ok(())
            }
            (false, _) => Err(Error::Overflow),
        };
        self.answer(processor, at, answer)
    }

    /// `can_wup`: forgets queued wake-ups; answers how many there were.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: it is dormant.
    pub fn can_wup(&self, task: i32) -> Result<u32> {
        let (processor, _) = self.enter_task()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let at = self.lock_processor_of(task);
        let answer = if task.is_dormant() { Err(Error::State) } else { Ok(u32::from(task.wakeups.get())) };
        task.wakeups.set(0);
        self.answer(processor, at, answer)
    }

    /// `rel_wai`: ends the wait of a task, which is told `E_RLWAI`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: it does not wait.
    pub fn rel_wai(&self, task: i32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::RelWai, task);
        let task = self.found(processor, crate::objects::of_number(self.objects().tasks, task))?;
        let (at, place) = self.lock_with_place(task);
        let waits = task.is_waiting();
        if waits {
            if let Some(place) = place {
                place.queue.remove(task);
            }
            self.end_wait(at, task, Err(Error::Released));
        }
        self.unlock(&at.lock);
        self.unlock_place(place);
        if !waits {
            return self.refuse(processor, Error::State);
        }
        self.leave(processor);
        Ok(())
    }

    /// `dly_tsk`: waits for microseconds.
    ///
    /// # Errors
    /// `E_CTX`, `E_PAR`, `E_RLWAI`.
    pub fn dly_tsk(&self, us: u32) -> Result {
        let (processor, own) = self.enter_waiting()?;
        self.port.called(Call::DlyTsk, 0);
        self.may_wait(processor, own, Timeout::After(us))?;
        self.wait((processor, own), Wait::Delay, None, Timeout::After(us))
    }
}
