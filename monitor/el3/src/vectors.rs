//! What comes to EL3 (MON-20, MON-41, MON-53).

use core::arch::global_asm;

use tokkyu_monitor_core::IDLE;

use crate::{calls, fault};

/// A call: `x0` to `x3`, which a function gets as its first arguments.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_monitor_call(function: u64, first: u64, second: u64, third: u64) -> u64 {
    calls::call(function, [first, second, third])
}

#[unsafe(no_mangle)]
extern "C" fn tokkyu_monitor_fault(vector: u64) -> ! {
    fault::tell(vector)
}

// A place of 128 bytes for each of four kinds (synchronous, IRQ, FIQ, SError) from each of four: EL3 on SP_EL0, on SP_EL3, lower levels in 64
// bits, in 32 (DDI 0487, table D1-5).
global_asm!(
    ".macro unexpected number",
    ".balign 128",
    "mov x0, #\\number",
    "b tokkyu_monitor_fault",
    ".endm",
    ".section .text.vectors, \"ax\"",
    ".balign 2048",
    ".global tokkyu_monitor_vectors",
    "tokkyu_monitor_vectors:",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7",
    "unexpected \\number",
    ".endr",
    // A call of Linux's: what is not an SMC of 64 bits is nothing that it can do. Whose it is, NS in SCR_EL3 says.
    ".balign 128",
    "stp x29, x30, [sp, #-16]!",
    "mrs x30, scr_el3",
    "tbz x30, #0, 4f",
    "mrs x30, esr_el3",
    "lsr x30, x30, #26",
    "cmp x30, #0x17",
    "b.eq 2f",
    "1:",
    "mov x0, #8",
    "b tokkyu_monitor_fault",
    "unexpected 9",
    ".balign 128",
    "b tokkyu_monitor_fiq",
    ".irp number, 11, 12, 13, 14, 15",
    "unexpected \\number",
    ".endr",
    ".balign 128",
    "2:",
    // What a function need not keep for its caller, but for x0 to x3.
    "stp x4, x5, [sp, #-128]!",
    "stp x6, x7, [sp, #16]",
    "stp x8, x9, [sp, #32]",
    "stp x10, x11, [sp, #48]",
    "stp x12, x13, [sp, #64]",
    "stp x14, x15, [sp, #80]",
    "stp x16, x17, [sp, #96]",
    "str x18, [sp, #112]",
    "bl tokkyu_monitor_call",
    // The answer is in x0; nothing of the monitor's is told in the others.
    "mov x1, xzr",
    "mov x2, xzr",
    "mov x3, xzr",
    "ldr x18, [sp, #112]",
    "ldp x16, x17, [sp, #96]",
    "ldp x14, x15, [sp, #80]",
    "ldp x12, x13, [sp, #64]",
    "ldp x10, x11, [sp, #48]",
    "ldp x8, x9, [sp, #32]",
    "ldp x6, x7, [sp, #16]",
    "ldp x4, x5, [sp], #128",
    "ldp x29, x30, [sp], #16",
    "eret",
    // Of the RTOS: that it is idle, another call, or its first floating-point register since Linux ran (0x07 is a trapped one).
    "4:",
    "mrs x30, esr_el3",
    "lsr x30, x30, #26",
    "cmp x30, #0x17",
    "b.ne 5f",
    "mov w30, #{idle}",
    "cmp w0, w30",
    "b.ne 2b",
    "add sp, sp, #16",
    "b tokkyu_monitor_idle",
    "5:",
    "cmp x30, #0x07",
    "b.eq tokkyu_monitor_floats",
    "b 1b",
    idle = const IDLE,
);
