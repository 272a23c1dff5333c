//! The calls: those about tasks and the system's state by what they do, those about objects by the object.

mod activation;
mod budget;
mod dataqueue;
mod end;
mod eventflag;
mod memorypool;
mod migration;
mod mutex;
mod notification;
mod overrun;
mod priority;
mod priorityqueue;
mod reference;
mod semaphore;
mod sleep;
mod spinlock;
mod suspension;
mod system;
mod termination;

pub use overrun::{OVERRUN_TIME_MAX_US, OverrunStatus};
pub use reference::{ProcessorStatus, TaskState, TaskStatus};
pub use system::INTERRUPT_PRIORITY_MIN;

use crate::error::{Error, Result};
use crate::kernel::{Kernel, Timeout};
use crate::lock::Lock;
use crate::objects::of_number;
use crate::port::Port;
use crate::processor::Processor;
use crate::task::Task;
use crate::task::termination::REQUESTED;

/// `TSK_SELF`
pub const SELF: i32 = 0;
/// `TPRC_INI`: the processor that an object was declared with.
pub const INITIAL_PROCESSOR: i32 = 0;
/// `TPRI_INI` and `TPRI_SELF`.
pub const OWN_PRIORITY: i32 = 0;

impl<P: Port> Kernel<P> {
    /// The task of a number; 0 is the running one, of which a handler has none.
    #[inline(always)]
    fn task_or_self(&self, processor: &'static Processor, id: i32) -> Result<&'static Task> {
        if id == SELF && !processor.in_handler() {
            return processor.current.get().ok_or(Error::Id);
        }
        of_number(self.objects().tasks, id)
    }

    /// The processor of a number; 0 is `initial`.
    pub(crate) fn processor_or_initial(&self, id: i32, initial: u8) -> Result<&'static Processor> {
        let number = if id == INITIAL_PROCESSOR { i32::from(initial) } else { id };
        of_number(self.objects().processors, number)
    }

    /// Ends a call that holds the lock of `at`.
    #[inline(always)]
    fn leave_from(&self, processor: &'static Processor, at: &'static Processor) {
        if core::ptr::eq(processor, at) {
            self.dispatch_or_leave(processor);
        } else {
            self.unlock(&at.lock);
            self.leave(processor);
        }
    }

    /// As [`leave_from`](Self::leave_from), with an answer.
    #[inline(always)]
    fn answer<T>(&self, processor: &'static Processor, at: &'static Processor, answer: T) -> T {
        self.leave_from(processor, at);
        answer
    }

    /// Ends a call that holds an object's lock, by giving a task that waited there what it waited for. Its processor's lock is
    /// taken once, for waking and for the switch.
    #[inline(always)]
    pub(crate) fn hand_to(&self, processor: &'static Processor, lock: &'static Lock, task: &'static Task) {
        let at = self.lock_processor_of(task);
        self.end_wait(at, task, Ok(()));
        self.unlock(lock);
        self.leave_from(processor, at);
    }

    /// Ends a call of a task that may not wait so long, or is asked to end.
    #[inline(always)]
    pub(crate) fn may_wait(
        &self,
        processor: &'static Processor,
        task: &'static Task,
        timeout: Timeout,
    ) -> Result {
        self.found(processor, timeout.check())?;
        self.require(processor, task.termination.get() < REQUESTED, Error::Termination)
    }

    /// The object that a call is about, or the end of the call.
    #[inline(always)]
    pub(crate) fn found<T>(&self, processor: &'static Processor, object: Result<T>) -> Result<T> {
        match object {
            Ok(object) => Ok(object),
            Err(error) => self.refuse(processor, error),
        }
    }

    /// Ends a call by doing something with an object's lock held.
    #[inline(always)]
    pub(crate) fn locked<T>(
        &self,
        processor: &'static Processor,
        lock: &'static Lock,
        what: impl FnOnce() -> T,
    ) -> T {
        self.lock(lock);
        let answer = what();
        self.unlock(lock);
        self.leave(processor);
        answer
    }

    /// Ends a call with an error if a condition does not hold.
    #[inline(always)]
    pub(crate) fn require(&self, processor: &'static Processor, holds: bool, error: Error) -> Result {
        if holds { Ok(()) } else { self.refuse(processor, error) }
    }
}
