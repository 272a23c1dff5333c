//! The way in, and the way to Linux (MON-1, MON-12).
//!
//! ```text
//! boot part ─► tokkyu_monitor ─► translation on ─► begin ─► waits until Linux asks for it ─► tokkyu_enter ─► Linux, EL1
//!              every processor                     (the first does not)
//! ```

use core::arch::global_asm;

use tokkyu_monitor_core::{Goal, PROCESSORS_MAX};

use crate::{gic, processors};

/// A processor's stack: calls are not deep, and nobody calls himself.
pub(crate) const STACK_BYTES: usize = 1024;

/// In `.bss`, a stack for each processor.
#[repr(C, align(16))]
struct Stacks([[u8; STACK_BYTES]; PROCESSORS_MAX]);

// Named by assembly alone.
#[unsafe(no_mangle)]
static mut TOKKYU_MONITOR_STACKS: Stacks = Stacks([[0; STACK_BYTES]; PROCESSORS_MAX]);

unsafe extern "C" {
    /// Goes to Linux, with these in its program counter and `x0`; what is on this processor's stack is given up.
    fn tokkyu_enter(entry: u64, context: u64) -> !;
}

/// What each processor does, on its own stack.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_monitor_begin(index: usize) -> ! {
    gic::begin();
    go(processors::first(index).unwrap_or_else(|| processors::wait(index)))
}

/// What a processor does that Linux gives back.
pub(crate) fn rest(index: usize) -> ! {
    go(processors::wait(index))
}

pub(crate) fn go(goal: Goal) -> ! {
    // SAFETY: the boot part has checked where Linux begins, or `calls` has; nothing on this stack is needed any more.
    unsafe { tokkyu_enter(goal.entry, goal.context) }
}

// The header, which tokkyu-monitor-boot reads (its resident.rs).
global_asm!(
    ".section .header, \"a\"",
    ".ascii \"TOKKYUM1\"",
    ".quad tokkyu_monitor",
    ".quad text_end",
    ".quad rodata_end",
    ".quad file_end",
    ".quad memory_end",
    ".quad tables_begin",
    ".quad tables_end",
    ".quad TOKKYU_MONITOR_HANDOFF",
);

global_asm!(
    ".section .text.entry, \"ax\"",
    ".global tokkyu_monitor",
    "tokkyu_monitor:",
    "msr daifset, #0xf",
    "mrs x19, mpidr_el1",
    "and x19, x19, #0xff",
    "ldr x0, =tokkyu_monitor_vectors",
    "msr vbar_el3, x0",
    // Nothing of Linux's is trapped; secure debugging is off (MDCR_EL3.SDD).
    "msr cptr_el3, xzr",
    "mov x0, #0x10000",
    "msr mdcr_el3, x0",
    "mov x0, #{scr}",
    "msr scr_el3, x0",
    // Tables of the boot part: 39 bits, cached and shared; attribute 0 a device, 1 memory (DDI 0487, MAIR_EL3, TCR_EL3).
    "ldr x0, =tables_begin",
    "msr ttbr0_el3, x0",
    "mov x0, #0xff00",
    "msr mair_el3, x0",
    "ldr x0, =0x80803519",
    "msr tcr_el3, x0",
    "tlbi alle3",
    "dsb sy",
    "isb",
    // RES1; translation, data cache, stack alignment, instruction cache, and nothing that can be written is run.
    "ldr x0, =0x30cd183d",
    "msr sctlr_el3, x0",
    "isb",
    "ldr x0, =TOKKYU_MONITOR_STACKS",
    "add x1, x19, #1",
    "mov x2, #{stack}",
    "madd x0, x1, x2, x0",
    "msr spsel, #1",
    "mov sp, x0",
    "mov x0, x19",
    "b tokkyu_monitor_begin",
    ".ltorg",
    // x0: where, x1: for x0.
    ".global tokkyu_enter",
    "tokkyu_enter:",
    "msr elr_el3, x0",
    "mov x0, #0x3c5", // EL1 with SP_EL1, all masked
    "msr spsr_el3, x0",
    // As a processor begins: no translation; nothing of anybody else's is in a register (MON-12).
    "ldr x0, =0x30d00800",
    "msr sctlr_el1, x0",
    ".irp register, cpacr_el1, cntkctl_el1, ttbr0_el1, ttbr1_el1, tcr_el1, mair_el1, vbar_el1, tpidr_el0, tpidrro_el0, tpidr_el1, sp_el0, sp_el1",
    "msr \\register, xzr",
    ".endr",
    // The stack is empty.
    "mrs x0, mpidr_el1",
    "and x0, x0, #0xff",
    "add x0, x0, #1",
    "mov x2, #{stack}",
    "ldr x3, =TOKKYU_MONITOR_STACKS",
    "madd x0, x0, x2, x3",
    "mov sp, x0",
    "mov x0, x1",
    ".irp number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
    "mov x\\number, xzr",
    ".endr",
    "isb",
    "eret",
    ".ltorg",
    stack = const STACK_BYTES,
    // Non-secure, FIQ to EL3, AArch64 below, secure code from secure memory alone (SIF), and what reads as one.
    scr = const 0x635,
);
