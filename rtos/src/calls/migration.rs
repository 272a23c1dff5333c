//! Moving tasks to another processor: `mig_tsk`.

use super::{Error, Kernel, Port, Processor, Result, Task};
use crate::call::Call;

impl<P: Port> Kernel<P> {
    /// `mig_tsk`: moves a task of this processor to another (0: the one it was declared with), in whatever state it is.
    ///
    /// # Errors
    /// `E_CTX`, also while dispatching is disabled; `E_ID` of task or processor; `E_OBJ`: another processor's; `E_PAR`: it may not be
    /// moved there.
    pub fn mig_tsk(&self, task: i32, to: i32) -> Result {
        let (processor, own) = self.enter_waiting()?;
        self.port.called(Call::MigTsk, task);
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let to = self.found(processor, self.processor_or_initial(to, task.config().processor))?;
        self.lock_both(processor, to);
        let refused = if !task.is_at(processor) {
            Some(Error::State)
        } else if !task.may_move_to(to.index()) {
            Some(Error::Parameter)
        } else {
            None
        };
        if let Some(error) = refused {
            self.unlock_both(processor, to);
            return self.refuse(processor, error);
        }
        if core::ptr::eq(processor, to) {
            if task.is_ready() {
                processor.ready.remove(task);
                processor.ready.push(task);
                processor.look_again();
            }
            self.dispatch_or_leave(processor);
            return Ok(());
        }
        self.hand_over(processor, to, task);
        if core::ptr::eq(task, own) {
            // Its context is still in use here: nobody can go on with it before this lock is let go (RTK-33).
            processor.also_held.set(Some(to));
            self.dispatch(processor);
            self.port.unmask();
        } else {
            self.unlock(&to.lock);
            self.dispatch_or_leave(processor);
        }
        Ok(())
    }

    /// Both locks are held.
    fn hand_over(&self, from: &'static Processor, to: &'static Processor, task: &'static Task) {
        if task.is_ready() {
            from.take_away(task);
        }
        let at_us = task.event.at_us();
        let timed = task.event.is_set();
        if timed {
            from.wheel.remove(&task.event);
        }
        task.assign(to);
        if timed {
            to.wheel.insert(&task.event, at_us);
            self.look_at_timer(to);
        }
        if task.is_ready() {
            self.make_ready(to, task);
        }
    }
}
