//! What there is.

use tokkyu_rtos::{Assignment, Cyclic, CyclicConfig, Kernel, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_aarch64::{Board, Stack, StackRange};

/// Those that Linux has too; a machine with more has more for Linux alone.
pub(crate) const PROCESSORS: usize = 2;
/// From one activation of a control task to the next.
pub(crate) const PERIOD_US: u32 = 1000;
/// Tasks: control of each home processor, then these.
pub(crate) const REPORT: i32 = PROCESSORS as i32 + 1;
pub(crate) const WATCH: i32 = REPORT + 1;
pub(crate) const ACROSS: i32 = WATCH + 1;
/// Processors, as bits.
const ANY: u8 = (1 << PROCESSORS) - 1;

/// Whose programs are in programs.rs.
pub(crate) struct Parts;

pub(crate) static KERNEL: Kernel<Board<Parts>> = Kernel::new(Board::new(Parts));

const fn task(priority: u8, processor: u8, active: bool) -> Task {
    Task::new(TaskConfig { priority, processor, may_move_to: ANY, active, exinf: 0 })
}

const fn every_period(processor: u8) -> Cyclic {
    let assignment = Assignment { processor, may_move_to: 1 << (processor - 1) };
    Cyclic::new(CyclicConfig { assignment, period_us: PERIOD_US, phase_us: PERIOD_US, started: true })
}

static PROCESSORS_HERE: [Processor; PROCESSORS] = [const { Processor::new() }; PROCESSORS];
static TASKS: [Task; 5] =
    [task(5, 1, false), task(5, 2, false), task(10, 1, true), task(11, 1, true), task(6, 1, true)];
static CYCLICS: [Cyclic; PROCESSORS] = [every_period(1), every_period(2)];

#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<8192>; 5] = [const { Stack::new() }; 5];
pub(crate) static RANGES: [StackRange; 5] =
    [STACKS[0].range(), STACKS[1].range(), STACKS[2].range(), STACKS[3].range(), STACKS[4].range()];

pub(crate) fn objects() -> Objects {
    Objects { processors: &PROCESSORS_HERE, tasks: &TASKS, cyclics: &CYCLICS, ..Objects::NONE }
}
