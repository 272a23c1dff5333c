//! Suspending tasks: `sus_tsk`, `rsm_tsk`.

use super::{Error, Kernel, Port, Result, of_number};
use crate::call::Call;
use crate::task::state;

impl<P: Port> Kernel<P> {
    /// `sus_tsk`: a task runs no more until it is resumed, whatever it waits for.
    ///
    /// # Errors
    /// `E_CTX`, also for itself while dispatching is disabled; `E_ID`; `E_OBJ`: it is dormant; `E_QOVR`: it is suspended already.
    pub fn sus_tsk(&self, task: i32) -> Result {
        let (processor, own) = self.enter_task()?;
        self.port.called(Call::SusTsk, task);
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let is_own = core::ptr::eq(task, own);
        self.require(processor, !is_own || processor.may_switch(), Error::Context)?;
        let at = self.lock_processor_of(task);
        let was = task.state.get();
        let answer = match was {
            state::DORMANT => Err(Error::State),
            was if was & state::SUSPENDED != 0 => Err(Error::Overflow),
            _ => Ok(()),
        };
        if answer.is_ok() {
            task.state.set(was | state::SUSPENDED);
            if was == state::ALIVE && at.take_away(task) {
                self.notice(at);
            }
        }
        self.answer(processor, at, answer)
    }

    /// `rsm_tsk`: goes on with a suspended task.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: it is not suspended.
    pub fn rsm_tsk(&self, task: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::RsmTsk, task);
        let task = self.found(processor, of_number(self.objects().tasks, task))?;
        let at = self.lock_processor_of(task);
        let was = task.state.get();
        if was & state::SUSPENDED == 0 {
            return self.answer(processor, at, Err(Error::State));
        }
        task.state.set(was & !state::SUSPENDED);
        if task.is_ready() {
            self.make_ready(at, task);
        }
        self.answer(processor, at, Ok(()))
    }
}
