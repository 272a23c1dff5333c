//! Whether a system that stands still is sound: what must hold of queues, locks and tasks whoever did what before.

use std::format;
use std::string::String;
use std::vec::Vec;

use crate::kernel::Kernel;
use crate::port::Port;
use crate::processor::Processor;
use crate::task::{PRIORITIES, Task};
use crate::wheel::NEVER;

impl<P: Port> Kernel<P> {
    /// What is not sound, in words.
    ///
    /// # Errors
    /// The first that is found.
    pub fn check_sound(&self) -> Result<(), String> {
        for processor in self.objects().processors {
            self.check_processor(processor)
                .map_err(|error| format!("processor {}: {error}", processor.index()))?;
        }
        for task in self.objects().tasks {
            self.check_task(task).map_err(|error| format!("task {}: {error}", task.id()))?;
        }
        Ok(())
    }

    fn check_processor(&self, processor: &'static Processor) -> Result<(), String> {
        if processor.lock.is_taken() || processor.held.get() != 0 || processor.also_held.get().is_some() {
            return Err(format!("a lock is held: {:#b}", processor.held.get()));
        }
        let first = processor.first();
        if first.map(Task::id) != processor.next.get().map(Task::id) {
            return Err(format!(
                "next is {:?}, the first is {:?}",
                processor.next.get().map(Task::id),
                first.map(Task::id)
            ));
        }
        if processor.can_switch() && processor.is_behind() {
            return Err(format!("it does not run the first ready task, {:?}", first.map(Task::id)));
        }
        for level in 0..PRIORITIES as u8 {
            for task in processor.ready.level(level) {
                if !task.is_ready() || !task.is_at(processor) {
                    return Err(format!("task {} is among the ready ones", task.id()));
                }
            }
        }
        let counts = processor.current.get().is_some_and(|task| task.budget.started.get() != 0);
        if self.objects().overrun && counts != (processor.overrun_us.get() != NEVER) {
            return Err("a budget is counted for nobody, or not".into());
        }
        if processor.overrun_us.get() < processor.timer_us.get() {
            return Err("its timer goes off too late for a budget".into());
        }
        if processor.budget.is_set() && processor.budget.is_used() != processor.current.get().is_some() {
            return Err("its budget is counted for no task, or not".into());
        }
        if processor.budget.due_us() < processor.timer_us.get() {
            return Err("its timer goes off too late for its budget".into());
        }
        if processor.wheel.due_us().is_some_and(|due_us| due_us < processor.timer_us.get()) {
            return Err("its timer goes off too late".into());
        }
        Ok(())
    }

    fn check_task(&self, task: &'static Task) -> Result<(), String> {
        let processors = self.objects().processors;
        let at = task.at();
        if task.is_ready() && at.ready.level(task.priority.get()).all(|ready| !core::ptr::eq(ready, task)) {
            return Err("it is ready, and in no queue".into());
        }
        if !task.is_dormant() && task.priority.get() != self.level_of(task) {
            return Err(format!(
                "its level is {}, and {} follows from what it has",
                task.priority.get(),
                self.level_of(task)
            ));
        }
        if task.is_dormant() && task.termination.get() != 0 {
            return Err("it is dormant, and not to be ended".into());
        }
        if task.is_dormant() && task.held.get() != 0 {
            return Err("it is dormant, and has a mutex".into());
        }
        let runs_on: Vec<usize> =
            processors.iter().filter(|processor| processor.current.is(task)).map(Processor::index).collect();
        if runs_on.len() > 1 || runs_on.iter().any(|index| *index != at.index()) {
            return Err(format!("it is of processor {}, and runs on {runs_on:?}", at.index()));
        }
        if !task.is_waiting() && task.event.is_set() {
            return Err("it does not wait, and has a time".into());
        }
        let Some(place) = task.wait().and_then(|wait| self.objects().place(wait)) else { return Ok(()) };
        if place.lock.is_taken() {
            return Err("the lock of what it waits for is held".into());
        }
        match place.queue.iter().filter(|waiting| core::ptr::eq(*waiting, task)).count() {
            1 => Ok(()),
            count => Err(format!("it waits, {count} times in the queue")),
        }
    }
}
