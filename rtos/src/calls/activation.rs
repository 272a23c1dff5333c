//! Activating tasks: `act_tsk`, `mact_tsk`, `can_act`.

use super::{Error, Kernel, Port, Processor, Result, Task};
use crate::call::Call;
use crate::task::ANYWHERE;

impl<P: Port> Kernel<P> {
    /// `act_tsk`: a dormant task begins where it is assigned; for another the activation is queued.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_QOVR`: one is queued already.
    #[inline]
    pub fn act_tsk(&self, task: i32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::ActTsk, task);
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let at = self.lock_processor_of(task);
        if task.is_dormant() {
            self.activate(at, task);
            self.leave_from(processor, at);
            return Ok(());
        }
        let queued = queue(task, ANYWHERE);
        self.answer(processor, at, queued)
    }

    /// `mact_tsk`: as [`act_tsk`](Self::act_tsk), on another processor (0: the one it was declared with).
    ///
    /// # Errors
    /// `E_CTX`, `E_ID` of task or processor; `E_PAR`: it may not be moved there; `E_QOVR`.
    pub fn mact_tsk(&self, task: i32, to: i32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::MactTsk, task);
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let to = self.found(processor, self.processor_or_initial(to, task.config().processor))?;
        self.require(processor, task.may_move_to(to.index()), Error::Parameter)?;
        let at = self.lock_processors_of(task, to);
        let answer = if task.is_dormant() {
            task.assign(to);
            self.activate(to, task);
            Ok(())
        } else {
            queue(task, to.index.get())
        };
        self.unlock_both(at, to);
        self.leave(processor);
        answer
    }

    /// `can_act`: forgets queued activations; answers how many there were.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn can_act(&self, task: i32) -> Result<u32> {
        let (processor, _) = self.enter_task()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let at = self.lock_processor_of(task);
        let queued = task.activation.queued.get();
        task.activation.queued.set(0);
        task.activation.processor.set(ANYWHERE);
        self.answer(processor, at, Ok(u32::from(queued)))
    }

    /// Locks the processor that a task is assigned to, and another.
    pub(super) fn lock_processors_of(
        &self,
        task: &'static Task,
        other: &'static Processor,
    ) -> &'static Processor {
        loop {
            let at = task.at();
            self.lock_both(at, other);
            if task.is_at(at) {
                return at;
            }
            self.unlock_both(at, other);
        }
    }
}

fn queue(task: &Task, processor: u8) -> Result {
    if task.activation.queued.get() != 0 {
        return Err(Error::Overflow);
    }
    task.activation.queued.set(1);
    task.activation.processor.set(processor);
    Ok(())
}
