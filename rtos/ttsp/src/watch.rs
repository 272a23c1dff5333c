//! What can be watched, read from the kernel of a system that stands still.

use core::sync::atomic::Ordering::SeqCst;

use tokkyu_rtos::{Kernel, NotificationStatus, Port, Task};

use crate::plan::{Actor, Queue, TaskField, Watch, state_code, wait_code};
use crate::stage::{Bench, Stage};

/// What it is now; `None` where there is nothing to see.
pub(crate) fn watch<P: Port + Bench>(kernel: &'static Kernel<P>, stage: &Stage, what: Watch) -> Option<i64> {
    let objects = kernel.objects();
    Some(match what {
        Watch::Task(number, field) => return task(kernel, stage, number, field),
        Watch::Waiting(queue, number) => waiting(kernel, queue, number).len() as i64,
        Watch::WaitingAt(queue, number, place) => {
            waiting(kernel, queue, number).get(usize::from(place))?.task
        }
        Watch::WaitingData(queue, number, place) => {
            waiting(kernel, queue, number).get(usize::from(place))?.data
        }
        Watch::WaitingMore(queue, number, place) => {
            waiting(kernel, queue, number).get(usize::from(place))?.more
        }
        Watch::SemaphoreCount(number) => i64::from(at(objects.semaphores, number)?.status().count),
        Watch::FlagPattern(number) => i64::from(at(objects.event_flags, number)?.status().pattern),
        Watch::DataCount(number) => at(objects.data_queues, number)?.content().count() as i64,
        Watch::DataAt(number, place) => {
            at(objects.data_queues, number)?.content().nth(usize::from(place))? as i64
        }
        Watch::PriorityCount(number) => at(objects.priority_queues, number)?.content().count() as i64,
        Watch::PriorityDataAt(number, place) => {
            at(objects.priority_queues, number)?.content().nth(usize::from(place))?.0 as i64
        }
        Watch::PriorityAt(number, place) => {
            i64::from(at(objects.priority_queues, number)?.content().nth(usize::from(place))?.1)
        }
        Watch::FreeBlocks(number) => i64::from(at(objects.memory_pools, number)?.status().free),
        Watch::SpinOwner(number) => i64::from(at(objects.spin_locks, number)?.owner().unwrap_or(0)),
        Watch::Started(actor) => i64::from(timed(kernel, actor)?.left_us.is_some()),
        Watch::LeftTicks(actor) => (timed(kernel, actor)?.left_us? / 1000) as i64,
        Watch::AssignedTo(actor) => i64::from(timed(kernel, actor)?.processor),
        Watch::Active(actor) => i64::from(stage.is_active(actor)),
        Watch::Returned(actor) => i64::from(stage.slot(actor).returned()),
        Watch::LineEnabled(number) => {
            i64::from(kernel.port.is_enabled(stage.plan.declared.lines.get(usize::from(number) - 1)?.number))
        }
        Watch::CpuLocked(number) => i64::from(at(objects.processors, number)?.status().cpu_locked),
        Watch::DispatchDisabled(number) => {
            i64::from(at(objects.processors, number)?.status().dispatch_disabled)
        }
        Watch::Mask(number) => match stage.line_on(usize::from(number) - 1) {
            // In a handler the mask is its own priority.
            Some(line) => i64::from(stage.plan.declared.lines.get(usize::from(line) - 1)?.priority),
            None => i64::from(at(objects.processors, number)?.status().priority_mask),
        },
        Watch::SpinsFor(actor) => i64::from(stage.slot(actor).spins_for()),
        Watch::Out(actor, place) => *stage.slot(actor).last().out.get(usize::from(place))?,
    })
}

fn at<T>(all: &'static [T], number: u16) -> Option<&'static T> {
    all.get(usize::from(number).checked_sub(1)?)
}

fn task<P: Port>(kernel: &'static Kernel<P>, stage: &Stage, number: u16, field: TaskField) -> Option<i64> {
    let task = at(kernel.objects().tasks, number)?;
    let status = kernel.status(task);
    Some(match field {
        TaskField::State => state_code(status.state),
        TaskField::Priority => i64::from(status.priority),
        TaskField::Wait => either_end(wait_code(status.wait)),
        TaskField::LeftTicks => status.left_us.map_or(-1, |us| (us / 1000) as i64),
        TaskField::Wakeups => i64::from(status.wakeups),
        TaskField::Activations => i64::from(status.activations),
        TaskField::ActivationProcessor => i64::from(status.activation_processor.unwrap_or(0)),
        TaskField::Processor => i64::from(status.processor),
        TaskField::Order => kernel.order_among_ready(task)? as i64,
        TaskField::Boots => i64::from(stage.slot(Actor::Task(number)).boots.load(SeqCst)) - 1,
    })
}

/// A scenario says which queue a task waits for, and in the queue's own lists for which end.
fn either_end(code: i64) -> i64 {
    match code / 1000 {
        5 | 7 => code + 1000,
        _ => code,
    }
}

fn timed<P: Port>(kernel: &'static Kernel<P>, actor: Actor) -> Option<NotificationStatus> {
    let now_us = kernel.port.now_us();
    match actor {
        Actor::Alarm(number) => at(kernel.objects().alarms, number).map(|alarm| alarm.status(now_us)),
        Actor::Cyclic(number) => at(kernel.objects().cyclics, number).map(|cyclic| cyclic.status(now_us)),
        _ => None,
    }
}

struct Waiter {
    task: i64,
    data: i64,
    more: i64,
}

fn plain(task: &'static Task) -> Waiter {
    Waiter { task: i64::from(task.id()), data: 0, more: 0 }
}

fn waiting<P: Port>(kernel: &'static Kernel<P>, queue: Queue, number: u16) -> alloc::vec::Vec<Waiter> {
    let objects = kernel.objects();
    let with = |task: &'static Task, data: i64, more: i64| Waiter { data, more, ..plain(task) };
    match queue {
        Queue::Semaphore => {
            at(objects.semaphores, number).map(|object| object.waiting().map(plain).collect())
        }
        Queue::EventFlag => at(objects.event_flags, number).map(|object| {
            let waiting = object.waiting();
            let mode = |mode| i64::from(mode == tokkyu_rtos::FlagMode::Any);
            waiting.map(|(task, bits, how)| with(task, i64::from(bits), mode(how))).collect()
        }),
        Queue::DataSenders => at(objects.data_queues, number)
            .map(|object| object.sending().map(|(task, data)| with(task, data as i64, 0)).collect()),
        Queue::DataReceivers => {
            at(objects.data_queues, number).map(|object| object.receiving().map(plain).collect())
        }
        Queue::PrioritySenders => at(objects.priority_queues, number).map(|object| {
            object
                .sending()
                .map(|(task, data, priority)| with(task, data as i64, i64::from(priority)))
                .collect()
        }),
        Queue::PriorityReceivers => {
            at(objects.priority_queues, number).map(|object| object.receiving().map(plain).collect())
        }
        Queue::MemoryPool => {
            at(objects.memory_pools, number).map(|object| object.waiting().map(plain).collect())
        }
    }
    .unwrap_or_default()
}
