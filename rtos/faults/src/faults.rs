//! A task and a handler, and what they do wrong; and what becomes of it where there is a handler for that.

use core::arch::asm;
use core::fmt::Write;
use core::hint::black_box;
use core::ops::Range;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos::{Kernel, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_aarch64::{
    Board, Console, Exception, Line, Programs, Stack, StackRange, Verdict, exit, raise, system,
};

/// Where the machine puts the number of the fault.
const WHICH: *const u32 = 0x4100_0000 as *const u32;
static MEMORY: Range<usize> = 0x4100_0000..0x4120_0000;
const LINE: u32 = 40;

static PROCESSORS: [Processor; 1] = [Processor::new()];
const fn task(priority: u8, active: bool) -> Task {
    Task::new(TaskConfig { priority, processor: 1, may_move_to: 1, active, exinf: 0 })
}

/// The one that does wrong, one that runs when it has ended, and one that its handler activates.
static TASKS: [Task; 3] = [task(10, true), task(12, true), task(5, false)];
const WRONG: i32 = 1;
const AFTER: i32 = 2;
const URGENT: i32 = 3;
#[unsafe(link_section = ".stacks.tasks")]
static STACKS: [Stack<8192>; 3] = [const { Stack::new() }; 3];
static RANGES: [StackRange; 3] = [STACKS[0].range(), STACKS[1].range(), STACKS[2].range()];
/// Lives of the first.
static LIVES: AtomicU32 = AtomicU32::new(0);
static LINES: [Line; 1] = [Line { number: LINE, processor: 1, priority: -8, enabled: true }];

struct Wrong;

static KERNEL: Kernel<Board<Wrong>> = Kernel::new(Board::new(Wrong));

system!(KERNEL);

impl Programs for Wrong {
    fn objects(&self) -> Objects {
        Objects { processors: &PROCESSORS, tasks: &TASKS, ..Objects::NONE }
    }

    fn stacks(&self) -> &'static [StackRange] {
        &RANGES
    }

    fn lines(&self) -> &'static [Line] {
        &LINES
    }

    fn memory(&self) -> &'static [Range<usize>] {
        core::slice::from_ref(&MEMORY)
    }

    fn task(&self, id: i32) {
        match id {
            WRONG => wrong(),
            AFTER => after(),
            _ => drop(writeln!(Console, "the urgent one runs")),
        }
    }

    fn line(&self, _: u32) {
        deeper(0);
    }

    fn exception(&self, exception: &mut Exception<'_>) -> Verdict {
        match which() {
            ENDED.. => Verdict::EndTask,
            RESUMED => {
                let _ = writeln!(Console, "task {} goes on behind it", exception.task);
                let _ = KERNEL.act_tsk(URGENT);
                exception.instruction += 4;
                exception.registers.0[19] += 1;
                Verdict::Resume
            }
            _ => Verdict::EndSystem,
        }
    }
}

/// Faults of these numbers, less this, are handled by ending the task.
const ENDED: u32 = 32;
/// The one that the task goes on behind.
const RESUMED: u32 = 16;

fn which() -> u32 {
    // SAFETY: mapped memory.
    unsafe { WHICH.read_volatile() }
}

fn wrong() {
    let which = which();
    let life = LIVES.fetch_add(1, Relaxed) + 1;
    let _ = writeln!(Console, "fault number {which}, life {life}");
    match which % ENDED {
        0 => deeper(0),
        1 => write(8),
        2 => write(text()),
        // SAFETY: `fmov d0, xzr`, as a word: what assembles this image knows no floating point.
        3 => unsafe { asm!(".inst 0x9e6703e0") },
        // SAFETY: `udf #0`
        4 => unsafe { asm!(".inst 0") },
        5 => raise(0, LINE),
        6 => call(0x4110_0000),
        RESUMED => behind(),
        _ => {
            let _ = writeln!(Console, "there is no fault of this number");
        }
    }
    exit(0)
}

/// An unknown instruction, behind which the task goes on, with a register that the handler has changed.
fn behind() {
    let mut count: u64 = 41;
    // SAFETY: `udf #0`; the handler changes `x19` alone, and interrupts nothing that a function keeps.
    unsafe {
        asm!("mov x20, x19", "mov x19, {count}", ".inst 0", "mov {count}, x19", "mov x19, x20",
            count = inout(reg) count, out("x20") _)
    };
    let _ = writeln!(Console, "and comes back with {count}");
}

/// The other has ended, and is begun anew once.
fn after() {
    let _ = writeln!(Console, "task 1 has ended");
    if LIVES.load(Relaxed) == 1 {
        let _ = KERNEL.act_tsk(WRONG);
        let _ = writeln!(Console, "and again");
    }
    exit(0)
}

/// Until the stack is used up.
#[inline(never)]
#[allow(unconditional_recursion)]
fn deeper(depth: u64) {
    let room = black_box([depth; 16]);
    deeper(depth + 1);
    black_box(room);
}

fn text() -> usize {
    (deeper as *const () as usize) & !7
}

fn write(address: usize) {
    // SAFETY: none: that it faults is what this is for.
    unsafe { (address as *mut u64).write_volatile(0) };
}

fn call(address: usize) {
    // SAFETY: none: that it faults is what this is for.
    unsafe { asm!("blr {}", in(reg) address, clobber_abi("C")) };
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(Console, "panic: {info}");
    exit(1)
}
