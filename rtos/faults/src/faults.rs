//! A task and a handler, and what they do wrong.

use core::arch::asm;
use core::fmt::Write;
use core::hint::black_box;
use core::ops::Range;

use tokkyu_rtos::{Kernel, Objects, Processor, Task, TaskConfig};
use tokkyu_rtos_aarch64::{Board, Console, Line, Programs, Stack, StackRange, exit, raise, system};

/// Where the machine puts the number of the fault.
const WHICH: *const u32 = 0x4100_0000 as *const u32;
static MEMORY: Range<usize> = 0x4100_0000..0x4120_0000;
const LINE: u32 = 40;

static PROCESSORS: [Processor; 1] = [Processor::new()];
static TASKS: [Task; 1] =
    [Task::new(TaskConfig { priority: 10, processor: 1, may_move_to: 1, active: true, exinf: 0 })];
#[unsafe(link_section = ".stacks.tasks")]
static STACK: Stack<8192> = Stack::new();
static RANGES: [StackRange; 1] = [STACK.range()];
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

    fn task(&self, _: i32) {
        // SAFETY: mapped memory.
        let which = unsafe { WHICH.read_volatile() };
        let _ = writeln!(Console, "fault number {which}");
        match which {
            0 => deeper(0),
            1 => write(8),
            2 => write(text()),
            // SAFETY: `fmov d0, xzr`, as a word: what assembles this image knows no floating point.
            3 => unsafe { asm!(".inst 0x9e6703e0") },
            // SAFETY: `udf #0`
            4 => unsafe { asm!(".inst 0") },
            5 => raise(0, LINE),
            6 => call(0x4110_0000),
            _ => {
                let _ = writeln!(Console, "there is no fault of this number");
            }
        }
        exit(0)
    }

    fn line(&self, _: u32) {
        deeper(0);
    }
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
