//! The objects.

use crate::kind::MASKED;
use tokkyu_rtos::{DataCell, DataQueue, Kernel, Objects, Processor, Semaphore, Task, TaskConfig};
use tokkyu_rtos_aarch64::{Board, Line, Stack, StackRange};

/// The one that counts.
pub(crate) const MAIN: i32 = 1;
/// More urgent.
pub(crate) const HIGH: i32 = 2;
/// Less urgent.
pub(crate) const LOW: i32 = 3;
pub(crate) const SEMAPHORE: i32 = 1;
/// Of the second processor's task alone.
pub(crate) const OTHERS_SEMAPHORE: i32 = 2;
pub(crate) const QUEUE: i32 = 1;
/// A line that nothing but `one` raises.
pub(crate) const LINE: u32 = 40;

/// Of the second processor.
pub(crate) const OTHER: i32 = 4;

const fn task(priority: u8, processor: u8, active: bool) -> Task {
    Task::new(TaskConfig { priority, processor, may_move_to: 0b11, active, exinf: 0 })
}

static PROCESSORS: [Processor; 2] = [const { Processor::new() }; 2];
static TASKS: [Task; 4] = [task(10, 1, true), task(5, 1, false), task(12, 1, false), task(5, 2, false)];
/// The second is for who works beside the other.
const SEMAPHORES_COUNT: usize = if MASKED { 2 } else { 1 };
static SEMAPHORES: [Semaphore; SEMAPHORES_COUNT] = [const { Semaphore::new(0, 2, false) }; SEMAPHORES_COUNT];
static CELLS: [DataCell; 4] = [const { DataCell::new() }; 4];
static QUEUES: [DataQueue; 1] = [DataQueue::new(&CELLS, false)];

#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<8192>; 4] = [const { Stack::new() }; 4];
pub(crate) static RANGES: [StackRange; 4] =
    [STACKS[0].range(), STACKS[1].range(), STACKS[2].range(), STACKS[3].range()];
pub(crate) static LINES: [Line; 1] = [Line { number: LINE, processor: 1, priority: -8, enabled: true }];

/// Whose programs are in programs.rs.
pub(crate) struct Parts;

pub(crate) static KERNEL: Kernel<Board<Parts>> = Kernel::new(Board::new(Parts));

#[inline(always)]
pub(crate) fn objects() -> Objects {
    Objects {
        processors: &PROCESSORS,
        tasks: &TASKS,
        semaphores: &SEMAPHORES,
        data_queues: &QUEUES,
        ..Objects::NONE
    }
}
