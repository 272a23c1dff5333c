//! What there is.

use tokkyu_rtos::{Alarm, Assignment, Kernel, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_aarch64::{Board, Stack, StackRange};

/// Those that Linux has too.
pub(crate) const PROCESSORS: usize = 2;
/// Tasks: one of each home processor, then one that is more urgent and tells what came of budgets, and one with messages.
pub(crate) const BEGIN: i32 = PROCESSORS as i32 + 1;
pub(crate) const ECHO: i32 = BEGIN + 1;
const ANY: u8 = (1 << PROCESSORS) - 1;

/// Whose programs are in programs.rs.
pub(crate) struct Parts;

pub(crate) static KERNEL: Kernel<Board<Parts>> = Kernel::new(Board::new(Parts));

const fn task(priority: u8, processor: u8, active: bool) -> Task {
    Task::new(TaskConfig { priority, processor, may_move_to: ANY, active, exinf: 0 })
}

const fn alarm(processor: u8) -> Alarm {
    Alarm::new(Assignment { processor, may_move_to: 1 << (processor - 1) })
}

static PROCESSORS_HERE: [Processor; PROCESSORS] = [const { Processor::new() }; PROCESSORS];
static TASKS: [Task; 4] = [task(5, 1, false), task(5, 2, false), task(1, 1, true), task(9, 1, true)];
static ALARMS: [Alarm; PROCESSORS] = [alarm(1), alarm(2)];

#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<8192>; 4] = [const { Stack::new() }; 4];
pub(crate) static RANGES: [StackRange; 4] =
    [STACKS[0].range(), STACKS[1].range(), STACKS[2].range(), STACKS[3].range()];

pub(crate) fn objects() -> Objects {
    Objects { processors: &PROCESSORS_HERE, tasks: &TASKS, alarms: &ALARMS, ..Objects::NONE }
}
