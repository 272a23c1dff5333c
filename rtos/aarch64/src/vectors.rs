//! Where exceptions come in (DDI 0487, D1.3.1): a table of sixteen places of 128 bytes.
//!
//! Interrupts from tasks and idle contexts come from EL1 with `SP_EL0`, from handlers with `SP_EL1`. All else is a fault.

use core::arch::global_asm;

use crate::stack::{LAST_STACK, PAGE_BYTES};

/// The frame of an interrupt: what a function need not keep, and where and how to go on; 176 bytes, a multiple of 16 as `sp` must be.
/// `x29` is among what functions keep.
macro_rules! frame {
    (save) => {
        "stp x0, x1, [sp, #-176]!
        stp x2, x3, [sp, #16]
        stp x4, x5, [sp, #32]
        stp x6, x7, [sp, #48]
        mrs x0, elr_el1
        mrs x1, spsr_el1
        stp x8, x9, [sp, #64]
        stp x10, x11, [sp, #80]
        stp x12, x13, [sp, #96]
        stp x14, x15, [sp, #112]
        stp x16, x17, [sp, #128]
        stp x18, x30, [sp, #144]
        stp x0, x1, [sp, #160]"
    };
    (restore) => {
        "ldp x0, x1, [sp, #160]
        ldp x18, x30, [sp, #144]
        ldp x16, x17, [sp, #128]
        ldp x14, x15, [sp, #112]
        ldp x12, x13, [sp, #96]
        msr elr_el1, x0
        msr spsr_el1, x1
        ldp x10, x11, [sp, #80]
        ldp x8, x9, [sp, #64]
        ldp x6, x7, [sp, #48]
        ldp x4, x5, [sp, #32]
        ldp x2, x3, [sp, #16]
        ldp x0, x1, [sp], #176
        eret"
    };
}

global_asm!(
    ".section .text.vectors, \"ax\"",
    ".balign 2048",
    ".global tokkyu_vectors",
    "tokkyu_vectors:",
    // From SP_EL0: synchronous, IRQ, FIQ, SError. The processor has changed to SP_EL1.
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #0",
    "b fault",
    ".balign 128",
    "b interrupt_of_task",
    ".balign 128",
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #2",
    "b fault",
    ".balign 128",
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #3",
    "b fault",
    ".balign 128",
    // From SP_EL1, of which nobody knows whether it has room: what is told of it gets a stack of its own. No task runs at EL0, whose
    // read-only thread register nobody has.
    "b fault_of_handler",
    ".balign 128",
    "b interrupt_of_handler",
    ".balign 128",
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #6",
    "b fault",
    ".balign 128",
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #7",
    "b fault",
    // From EL0, where nothing runs.
    ".rept 8",
    ".balign 128",
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #8",
    "b fault",
    ".endr",
    ".balign 128",
    // The frame is on the task's stack: if that has no room, the fault comes in above, on the processor's.
    "interrupt_of_task:",
    "msr spsel, #0",
    frame!(save),
    "msr spsel, #1",
    "bl tokkyu_interrupt",
    "msr spsel, #0",
    // Another context may run until this returns.
    "bl tokkyu_leave",
    frame!(restore),
    "interrupt_of_handler:",
    frame!(save),
    "bl tokkyu_interrupt",
    "bl tokkyu_leave",
    frame!(restore),
    "fault_of_handler:",
    "msr tpidrro_el0, x0",
    "ldr x0, =TOKKYU_LAST_STACK",
    "add x0, x0, #{last}",
    "mov sp, x0",
    "mrs x0, tpidrro_el0",
    "stp x0, x1, [sp, #-16]!",
    "mov x0, #4",
    // x0: the place in the table; x0 and x1 of before are on the stack.
    "fault:",
    "sub sp, sp, #256",
    "stp x2, x3, [sp, #16]",
    "stp x4, x5, [sp, #32]",
    "stp x6, x7, [sp, #48]",
    "stp x8, x9, [sp, #64]",
    "stp x10, x11, [sp, #80]",
    "stp x12, x13, [sp, #96]",
    "stp x14, x15, [sp, #112]",
    "stp x16, x17, [sp, #128]",
    "stp x18, x19, [sp, #144]",
    "stp x20, x21, [sp, #160]",
    "stp x22, x23, [sp, #176]",
    "stp x24, x25, [sp, #192]",
    "stp x26, x27, [sp, #208]",
    "stp x28, x29, [sp, #224]",
    "str x30, [sp, #240]",
    "ldp x2, x3, [sp, #256]",
    "stp x2, x3, [sp]",
    "mov x1, sp",
    "bl tokkyu_fault",
    // A task goes on, or ends: ELR, SPSR and its stack pointer say how.
    "ldp x2, x3, [sp, #16]",
    "ldp x4, x5, [sp, #32]",
    "ldp x6, x7, [sp, #48]",
    "ldp x8, x9, [sp, #64]",
    "ldp x10, x11, [sp, #80]",
    "ldp x12, x13, [sp, #96]",
    "ldp x14, x15, [sp, #112]",
    "ldp x16, x17, [sp, #128]",
    "ldp x18, x19, [sp, #144]",
    "ldp x20, x21, [sp, #160]",
    "ldp x22, x23, [sp, #176]",
    "ldp x24, x25, [sp, #192]",
    "ldp x26, x27, [sp, #208]",
    "ldp x28, x29, [sp, #224]",
    "ldr x30, [sp, #240]",
    "ldp x0, x1, [sp]",
    "add sp, sp, #272",
    "eret",
    ".ltorg",
    last = const LAST_STACK + PAGE_BYTES,
);
