//! Exceptions: those of tasks are the programs' to handle; of one that nobody handles is told before the system ends (RTA-4, RTA-40 to
//! RTA-42).

use core::fmt::Write;

use aarch64_cpu::registers::{ELR_EL1, ESR_EL1, FAR_EL1, Readable, SP_EL0, SPSR_EL1, Writeable};
use tokkyu_rtos::{Kernel, Task};

use crate::board::{Board, Programs};
use crate::console::Console;
use crate::exception::{Exception, Registers, Verdict};
use crate::exit::exit;
use crate::{extended, gic, here, stack};

/// Places in the table of vectors (vectors.rs).
const OF_TASK: u64 = 0;
/// Exception class of a floating-point instruction (DDI 0487, ESR_EL1.EC).
const FLOATING_POINT: u64 = 0x07;
/// `PSTATE.I` (DDI 0487, SPSR_EL1).
const MASKED: u64 = 1 << 7;

unsafe extern "C" {
    fn tokkyu_end_task() -> !;
}

/// An exception came in, with interrupts masked, on a stack that is good. Returns to a task that goes on.
pub fn fault<P: Programs>(kernel: &'static Kernel<Board<P>>, kind: u64, registers: &mut Registers) {
    let state = SPSR_EL1.get();
    let current = kernel.objects().processors.get(here::index()).and_then(|processor| processor.current());
    if P::EXTENDED
        && kind == OF_TASK
        && ESR_EL1.get() >> 26 & 0x3f == FLOATING_POINT
        && let Some(task) = current
    {
        return extended::take(task);
    }
    // In a call the kernel holds locks, with interrupts masked: whoever is ended there takes them along.
    let may_be_handled = current.filter(|_| kind == OF_TASK && state & MASKED == 0);
    if !may_be_handled.is_some_and(|task| handle(kernel, task, state, registers)) {
        report(kernel, kind, registers);
    }
}

/// Whether the task goes on, or ends, when this returns.
fn handle<P: Programs>(
    kernel: &'static Kernel<Board<P>>,
    task: &'static Task,
    state: u64,
    registers: &mut Registers,
) -> bool {
    let instruction = ELR_EL1.get();
    let mut exception = Exception {
        registers,
        instruction,
        address: FAR_EL1.get(),
        syndrome: ESR_EL1.get(),
        task: task.id(),
    };
    kernel.enter_exception();
    let verdict = kernel.port.programs().exception(&mut exception);
    let switches = kernel.end_exception();
    // Interrupts that were let in meanwhile have left theirs there.
    SPSR_EL1.set(state);
    match verdict {
        Verdict::EndSystem => ELR_EL1.set(instruction),
        Verdict::EndTask => {
            SP_EL0.set(task.saved().top() as u64);
            ELR_EL1.set(tokkyu_end_task as *const () as u64);
        }
        Verdict::Resume => {
            ELR_EL1.set(exception.instruction);
            // On the task's own stack, by the interrupt that then comes: this one is the processor's.
            if switches {
                gic::call(here::index());
            }
        }
    }
    verdict != Verdict::EndSystem
}

/// What a task goes on with that is ended, on its stack, which is empty again.
pub fn end_task<P: Programs>(kernel: &'static Kernel<Board<P>>) -> ! {
    loop {
        let _ = kernel.ext_tsk();
    }
}

/// Exception classes (DDI 0487, ESR_EL1.EC).
fn name_of(class: u64) -> &'static str {
    match class {
        0x00 => "unknown instruction",
        0x07 => "floating-point instruction",
        0x0e => "illegal execution state",
        0x20 | 0x21 => "instruction from where none may be",
        0x22 => "instruction address not aligned",
        0x24 | 0x25 => "access to memory that is not there, or not allowed",
        0x26 => "stack pointer not aligned",
        0x3c => "breakpoint instruction",
        _ => "exception",
    }
}

/// Says what happened, where and to whom, and ends the system.
fn report<P: Programs>(kernel: &'static Kernel<Board<P>>, kind: u64, registers: &Registers) -> ! {
    let (syndrome, address, from) = (ESR_EL1.get(), FAR_EL1.get(), ELR_EL1.get());
    let processor = here::index() + 1;
    let current = kernel.objects().processors.get(processor - 1).and_then(|processor| processor.current());
    let task = current.map_or(0, |task| task.id());
    let mut console = Console;
    let address_of_fault = address as usize;
    let (task_below, own_below) = (kernel.port.guarded(address_of_fault), stack::guarded(address_of_fault));
    let what = match (kind % 4, task_below, own_below) {
        (0, Some(owner), _) => {
            let _ = writeln!(console, "fault: task {owner} has used up its stack");
            "access to the page below a stack"
        }
        (0, None, Some(owner)) => {
            let _ = writeln!(console, "fault: handlers have used up the stack of processor {owner}");
            "access to the page below a stack"
        }
        (0, None, None) => name_of(syndrome >> 26 & 0x3f),
        (2, ..) => "fast interrupt, which nobody uses",
        _ => "error of the memory system",
    };
    let _ = writeln!(
        console,
        "fault: {what}, address {address:#x}, at {from:#x}, on processor {processor}, task {task}, \
         in {} (syndrome {syndrome:#x})",
        if kind < 4 { "a task or idle" } else { "a handler" }
    );
    let _ = writeln!(console, "  sp {:#018x}", SP_EL0.get());
    for (number, value) in registers.0.iter().enumerate() {
        let end = if number % 4 == 3 { "\n" } else { "" };
        let _ = write!(console, "  x{number:<2} {value:#018x}{end}");
    }
    let _ = writeln!(console);
    exit(3)
}
