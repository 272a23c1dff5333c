//! One task, which a cyclic notification activates.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos::{Assignment, Cyclic, CyclicConfig, Handler, Kernel, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_aarch64::{Board, Console, Line, Programs, Stack, StackRange, exit, system};

use crate::shared::{self, Count};
use crate::{change, lengths, pairs};

const PERIOD_US: u32 = 50;
/// When it tells: once the guest has looked for gaps, and each half second beside Linux.
const FIRST: u64 = 200;
const EVERY: u64 = 10_000;
const ONLY: i32 = 1;

pub(crate) struct Parts;

pub(crate) static KERNEL: Kernel<Board<Parts>> = Kernel::new(Board::new(Parts));

static PROCESSORS: [Processor; 1] = [Processor::new()];
static TASKS: [Task; 1] =
    [Task::new(TaskConfig { priority: 5, processor: 1, may_move_to: 1, active: false, exinf: 0 })];
static CYCLICS: [Cyclic; 1] = [Cyclic::new(CyclicConfig {
    assignment: Assignment { processor: 1, may_move_to: 1 },
    period_us: PERIOD_US,
    phase_us: PERIOD_US,
    started: true,
})];

#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<8192>; 1] = [Stack::new()];
static RANGES: [StackRange; 1] = [STACKS[0].range()];
static TIMES: AtomicU64 = AtomicU64::new(0);
static ROUND: AtomicU64 = AtomicU64::new(0);

impl Programs for Parts {
    const EXTENDED: bool = true;
    const SEES_LINUX: bool = true;

    fn objects(&self) -> Objects {
        Objects { processors: &PROCESSORS, tasks: &TASKS, cyclics: &CYCLICS, ..Objects::NONE }
    }

    fn stacks(&self) -> &'static [StackRange] {
        &RANGES
    }

    fn lines(&self) -> &'static [Line] {
        &pairs::ALL
    }

    fn line(&self, number: u32) {
        pairs::on_line(number);
    }

    fn task(&self, _: i32) {
        let times = TIMES.fetch_add(1, Relaxed) + 1;
        change::general();
        if times.is_multiple_of(2) {
            change::floats();
        }
        if times == FIRST || times.is_multiple_of(EVERY) {
            lengths::tell(times);
        }
        follow(times);
    }

    fn initialize(&self) {
        lengths::begin();
    }

    fn handler(&self, _: Handler) {
        let _ = KERNEL.act_tsk(ONLY);
    }

    #[inline(always)]
    fn masked(&self) {
        lengths::masked();
    }

    #[inline(always)]
    fn unmasked(&self) {
        pairs::unmasked();
        lengths::unmasked();
    }
}

/// What the guest orders.
fn follow(times: u64) {
    shared::tell(Count::Activations, times);
    let round = shared::round();
    if ROUND.swap(round, Relaxed) != round {
        lengths::begin_round();
        pairs::begin_round();
        shared::tell(Count::Round, round);
    }
    shared::tell(Count::LateMost, lengths::late_most());
    if shared::is_back_to_back() {
        pairs::arm();
    }
}

system!(crate::system::KERNEL, processors: 1);

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    use core::fmt::Write;
    let _ = writeln!(Console, "panic: {info}");
    exit(1)
}
