//! The kernel's objects for a plan. They are never given back.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use tokkyu_rtos::{
    Alarm, Assignment, BlockCell, Cyclic, CyclicConfig, DataCell, DataQueue, EventFlag, EventFlagConfig,
    MemoryPool, Objects, PriorityCell, PriorityQueue, Processor, Semaphore, SpinLock, Task, TaskConfig,
};

use crate::plan::{CONDUCTOR_PRIORITY, Declared, DeclaredTimed, PROCESSORS};

const BLOCK_BYTES: usize = 16;

fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Vec::leak(items.collect())
}

/// Of a plan, and the conductor as the last task, on the last processor.
pub fn objects(declared: &Declared) -> Objects {
    let tasks = declared.tasks.iter().map(|task| TaskConfig {
        priority: task.priority,
        processor: task.processor,
        may_move_to: task.may_move_to,
        active: false,
        exinf: task.exinf,
    });
    let conductor = TaskConfig {
        priority: CONDUCTOR_PRIORITY,
        processor: PROCESSORS as u8,
        may_move_to: 1 << (PROCESSORS - 1),
        active: true,
        exinf: 0,
    };
    let assignment =
        |timed: &DeclaredTimed| Assignment { processor: timed.processor, may_move_to: timed.may_move_to };
    Objects {
        processors: leak((0..PROCESSORS).map(|_| Processor::new())),
        tasks: leak(tasks.chain([conductor]).map(Task::new)),
        semaphores: leak(
            declared.semaphores.iter().map(|s| Semaphore::new(s.initial, s.most, s.by_priority)),
        ),
        event_flags: leak(declared.flags.iter().map(|flag| {
            EventFlag::new(EventFlagConfig {
                initial: flag.initial,
                many_may_wait: flag.many,
                clear: flag.clear,
                by_priority: flag.by_priority,
            })
        })),
        data_queues: leak(
            declared.data_queues.iter().map(|queue| {
                DataQueue::new(leak((0..queue.room).map(|_| DataCell::new())), queue.by_priority)
            }),
        ),
        priority_queues: leak(declared.priority_queues.iter().map(|queue| {
            PriorityQueue::new(leak((0..queue.room).map(|_| PriorityCell::new())), 16, queue.by_priority)
        })),
        memory_pools: leak(declared.pools.iter().map(|pool| {
            let memory = Box::leak(vec![0_u8; BLOCK_BYTES * usize::from(pool.room)].into_boxed_slice());
            let blocks = leak((0..pool.room).map(|_| BlockCell::new()));
            MemoryPool::new(memory.as_mut_ptr(), BLOCK_BYTES, blocks, pool.by_priority)
        })),
        mutexes: &[],
        spin_locks: leak((0..declared.spin_locks).map(|_| SpinLock::new())),
        cyclics: leak(declared.cyclics.iter().map(|timed| {
            Cyclic::new(CyclicConfig {
                assignment: assignment(timed),
                period_us: timed.period_us,
                phase_us: timed.phase_us,
                started: timed.started,
            })
        })),
        alarms: leak(declared.alarms.iter().map(|timed| Alarm::new(assignment(timed)))),
        overrun: false,
        budgets: false,
    }
}
