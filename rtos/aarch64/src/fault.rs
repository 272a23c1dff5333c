//! What is told of an exception that nobody handles, before the system ends (RTA-4, RTA-40).

use core::fmt::Write;

use aarch64_cpu::registers::{ELR_EL1, ESR_EL1, FAR_EL1, Readable, SP_EL0};
use tokkyu_rtos::Kernel;

use crate::board::{Board, Programs};
use crate::console::Console;
use crate::exit::exit;
use crate::here;
use crate::stack;

/// The general registers, `x0` to `x30`.
#[repr(C)]
#[derive(Debug)]
pub struct Registers(pub [u64; 31]);

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
pub fn report<P: Programs>(kernel: &'static Kernel<Board<P>>, kind: u64, registers: &Registers) -> ! {
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
