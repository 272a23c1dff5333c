//! A system with a few of each object, for sheets: what two tasks of a processor, and one of another, do with them step by step.

use std::rc::Rc;

use tokkyu_rtos::{
    Alarm, Assignment, BlockCell, Cyclic, CyclicConfig, DataCell, DataQueue, EventFlag, EventFlagConfig,
    MemoryPool, Objects, PriorityCell, PriorityQueue, Processor, Semaphore, SpinLock, Task, TaskConfig,
};
use tokkyu_rtos_hosted::{InTurn, Line};

use crate::desk::{Deed, Desk, System, done, leak, system_with};

/// Calls, on the first processor.
pub const CALLER: i32 = 1;
/// Calls, on the second.
pub const REMOTE: i32 = 2;
/// Waits, on the second: more urgent than who calls there, and whoever calls on the first has its answer.
pub const URGENT: i32 = 3;
/// Less urgent than the caller.
pub const PATIENT: i32 = 4;
/// As urgent as the caller, of the first processor alone.
pub const BOUND: i32 = 5;
/// More urgent than the caller, on the first: where it runs, the caller's call is not over.
pub const NEAR: i32 = 6;

/// Of one at most, by priority.
pub const SEMAPHORE: i32 = 1;
/// Several may wait.
pub const FLAG: i32 = 1;
/// One may wait, and all bits are cleared then.
pub const CLEARED: i32 = 2;
/// Of three.
pub const QUEUE: i32 = 1;
/// Of none: who sends meets who receives.
pub const MEETING: i32 = 2;
/// Of two, in two priorities.
pub const RANKED: i32 = 1;
/// Of none.
pub const RANKED_MEETING: i32 = 2;
/// Two blocks of 16 bytes.
pub const POOL: i32 = 1;
pub const EMPTY_POOL: i32 = 2;
pub const SPIN: i32 = 1;
pub const OTHER_SPIN: i32 = 2;
pub const CYCLIC: i32 = 1;
/// Of the first processor alone.
pub const ALARM: i32 = 1;
/// An interrupt line of the first processor.
pub const LINE: u32 = 40;

pub struct Hall {
    pub kernel: &'static System,
    pub desk: Rc<Desk>,
}

fn task(priority: u8, processor: u8, may_move_to: u8, active: bool) -> Task {
    Task::new(TaskConfig { priority, processor, may_move_to, active, exinf: 0 })
}

fn flag(initial: u32, many_may_wait: bool, clear: bool) -> EventFlag {
    EventFlag::new(EventFlagConfig { initial, many_may_wait, clear, by_priority: false })
}

fn cells<T>(count: usize, make: fn() -> T) -> &'static [T] {
    leak((0..count).map(|_| make()).collect())
}

fn pool(blocks: usize) -> MemoryPool {
    let memory = vec![0_u8; 16 * blocks].leak().as_mut_ptr();
    MemoryPool::new(memory, 16, cells(blocks, BlockCell::new), false)
}

/// Begun, with the callers at their desks.
pub fn hall() -> Hall {
    let tasks = [
        (10, 1, 3, true),
        (10, 2, 3, true),
        (8, 2, 3, false),
        (12, 1, 3, false),
        (10, 1, 1, false),
        (8, 1, 3, false),
    ];
    let assignment = Assignment { processor: 1, may_move_to: 1 };
    let cyclic = CyclicConfig {
        assignment: Assignment { may_move_to: 3, ..assignment },
        period_us: 100,
        phase_us: 10,
        started: false,
    };
    let objects = Objects {
        processors: cells(2, Processor::new),
        tasks: leak(tasks.map(|(priority, on, may, active)| task(priority, on, may, active)).into()),
        semaphores: leak(vec![Semaphore::new(0, 1, true)]),
        event_flags: leak(vec![flag(0, true, false), flag(0, false, true)]),
        data_queues: leak(vec![DataQueue::new(cells(3, DataCell::new), false), DataQueue::new(&[], false)]),
        priority_queues: leak(vec![
            PriorityQueue::new(cells(2, PriorityCell::new), 2, false),
            PriorityQueue::new(&[], 2, true),
        ]),
        memory_pools: leak(vec![pool(2), pool(0)]),
        spin_locks: cells(2, SpinLock::new),
        cyclics: leak(vec![Cyclic::new(cyclic)]),
        alarms: leak(vec![Alarm::new(assignment)]),
        ..Objects::default()
    };
    let line = Line { processor: 0, priority: -8, enabled: true };
    let (kernel, desk) = system_with(objects, &vec![(LINE, line)]);
    kernel.port.run(&mut InTurn);
    Hall { kernel, desk }
}

impl Hall {
    /// A task does this at once; what it answered, unless it waits.
    pub fn does(&self, task: i32, deed: Deed) -> Option<i64> {
        let answer = self.desk.now(self.kernel, task, deed);
        self.kernel.check_sound().unwrap();
        answer
    }

    /// The urgent task begins, and waits in this.
    pub fn urgent_waits(&self, deed: Deed) {
        assert_eq!(self.does(CALLER, |k| done(k.act_tsk(URGENT))), Some(0));
        assert_eq!(self.does(URGENT, deed), None, "it waits");
    }

    /// What a task that waited has answered by now, if it has.
    pub fn answer(&self, task: i32) -> Option<i64> {
        self.desk.answer(task)
    }

    /// Time goes on.
    pub fn later(&self, us: u64) {
        self.kernel.port.advance(us);
        self.kernel.port.run(&mut InTurn);
        self.kernel.check_sound().unwrap();
    }
}

/// What a call answers that fails so.
pub fn refused(error: tokkyu_rtos::Error) -> Option<i64> {
    Some(i64::from(error.code()))
}
