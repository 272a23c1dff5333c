//! Ending tasks: `ext_tsk`, `ter_tsk`.

use crate::call::Call;
use core::convert::Infallible;

use super::{Error, Kernel, Port, Processor, Result, Task, of_number};
use crate::task::{ANYWHERE, state, termination};
use crate::waiting::Place;

impl<P: Port> Kernel<P> {
    /// `ext_tsk`: the running task ends; what it had locked, disabled or masked is let go. A queued activation begins it anew.
    ///
    /// # Errors
    /// `E_CTX`: a handler runs. Else it does not return.
    pub fn ext_tsk(&self) -> Result<Infallible> {
        self.port.mask();
        let processor = self.here();
        let Some(task) = processor.current.get().filter(|_| !processor.in_handler()) else {
            return self.refuse(processor, Error::Context);
        };
        self.exit(processor, task)
    }

    /// The running task ends.
    pub(super) fn exit(&self, processor: &'static Processor, task: &'static Task) -> ! {
        if processor.context.get() != 0 {
            processor.let_all_go();
            self.port.set_priority_mask(0);
        }
        // What it has is given back first: each needs its own lock. With the chain's nobody changes its priority in between.
        let chain = (task.held.get() != 0).then(|| self.chain());
        if let Some(chain) = chain {
            self.lock(chain);
            self.give_all_back(task);
        }
        let target = self.lock_with_target(processor, task);
        if task.is_ready() {
            processor.take_away(task);
        }
        self.finish(target, task);
        if let Some(chain) = chain {
            self.unlock(chain);
        }
        // This context is the ended task's: the other processor may have it once it is given up.
        if target.index() != processor.index() {
            processor.also_held.set(Some(target));
        }
        self.dispatch_and_forget(processor)
    }

    /// `ter_tsk`: ends another task of this processor.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_ILUSE`: itself; `E_OBJ`: it is dormant, or another processor's.
    pub fn ter_tsk(&self, task: i32) -> Result {
        let (processor, own) = self.enter_task()?;
        self.port.called(Call::TerTsk, task);
        let task = self.found(processor, of_number(self.objects().tasks, task))?;
        self.require(processor, !core::ptr::eq(task, own), Error::IllegalUse)?;
        self.end_other(processor, task, false)
    }

    /// Ends another task of this processor, or asks it to end itself if it is not to be ended otherwise.
    pub(super) fn end_other(&self, processor: &'static Processor, task: &'static Task, asks: bool) -> Result {
        loop {
            // Looked at without a lock, to know which locks it takes; and once more with them.
            let wait = task.wait();
            let place = wait.and_then(|wait| self.objects().place(wait));
            let in_chain = task.held.get() != 0 || place.is_some_and(|place| place.mutex.is_some());
            if in_chain {
                self.lock(self.chain());
                if self.is_to_end(processor, task, asks) {
                    self.give_all_back(task);
                }
            }
            if let Some(place) = place {
                self.lock(place.lock);
            }
            let target = self.lock_with_target(processor, task);
            let is_ours = task.is_at(processor) && !task.is_dormant();
            let ends = !asks || may_be_ended(task);
            // It may have been given what it waited for.
            let looked_right = task.wait() == wait && (task.held.get() == 0 || !ends);
            if is_ours && looked_right {
                if ends {
                    self.terminate(processor, target, task, place);
                } else {
                    self.ask_to_end(processor, task, place);
                }
            }
            self.unlock_both(processor, target);
            if let Some(place) = place {
                self.unlock(place.lock);
            }
            if in_chain {
                self.raise(place.and_then(|place| self.owner_of(place)));
                self.unlock(self.chain());
            }
            if !is_ours {
                return self.refuse(processor, Error::State);
            }
            if looked_right {
                self.leave(processor);
                return Ok(());
            }
        }
    }

    /// Whether it is a task of this processor, which stays as it does not run, and may be ended.
    fn is_to_end(&self, processor: &'static Processor, task: &'static Task, asks: bool) -> bool {
        self.lock(&processor.lock);
        let is = task.is_at(processor) && (!asks || may_be_ended(task));
        self.unlock(&processor.lock);
        is
    }

    /// It goes on, whatever it waited for and even if it was suspended, and learns why.
    fn ask_to_end(&self, processor: &'static Processor, task: &'static Task, place: Option<Place>) {
        task.termination.set(termination::DISABLED | termination::REQUESTED);
        if task.is_waiting() {
            if let Some(place) = place {
                place.queue.remove(task);
            }
            processor.wheel.remove(&task.event);
            task.set_outcome(Err(Error::Termination));
        }
        if !task.is_ready() {
            task.state.set(state::ALIVE);
            self.make_ready(processor, task);
        }
    }

    fn terminate(
        &self,
        processor: &'static Processor,
        target: &'static Processor,
        task: &'static Task,
        place: Option<Place>,
    ) {
        if task.is_waiting() {
            if let Some(place) = place {
                place.queue.remove(task);
            }
            processor.wheel.remove(&task.event);
        } else if task.is_ready() {
            processor.take_away(task);
        }
        self.port.discard(task);
        self.finish(target, task);
    }

    /// Locks this processor and the one on which a queued activation of a task of this one begins it anew.
    fn lock_with_target(&self, processor: &'static Processor, task: &'static Task) -> &'static Processor {
        loop {
            let target = self.target(processor, task);
            self.lock_both(processor, target);
            if core::ptr::eq(self.target(processor, task), target) {
                return target;
            }
            self.unlock_both(processor, target);
        }
    }

    fn target(&self, processor: &'static Processor, task: &Task) -> &'static Processor {
        let processors = self.objects().processors;
        match (task.activation.queued.get(), task.activation.processor.get()) {
            (0, _) | (_, ANYWHERE) => processor,
            (_, index) => processors.get(usize::from(index)).unwrap_or(processor),
        }
    }

    /// It is dormant, or begins anew. Both locks are held.
    fn finish(&self, target: &'static Processor, task: &'static Task) {
        task.state.set(state::DORMANT);
        task.priority.set(task.config().priority - 1);
        task.base.set(task.config().priority - 1);
        task.wakeups.set(0);
        task.termination.set(0);
        task.budget.started.set(0);
        if task.activation.queued.get() != 0 {
            task.activation.queued.set(0);
            task.activation.processor.set(ANYWHERE);
            task.assign(target);
            self.activate(target, task);
        }
    }
}

fn may_be_ended(task: &Task) -> bool {
    task.termination.get() & termination::DISABLED == 0
}
