//! From one world to the other (MON-53 to MON-55). Straight code: no lock, no loop, no memory but this processor's
//! frame, and the words that Linux reads its stolen time from, and who has the processor.

use core::arch::global_asm;
use core::mem::offset_of;

use tokkyu_monitor_core::Life;

use crate::frame::{EL1_MASKED, Frame, Linux, Rtos, SCTLR_RESET, Stolen};

unsafe extern "C" {
    /// Goes to Linux as the frame has it; what is on this processor's stack is given up.
    pub(crate) safe fn tokkyu_to_linux() -> !;
    /// Goes on with the RTOS where it is idle.
    pub(crate) safe fn tokkyu_to_rtos() -> !;
    /// The RTOS begins on this processor, with these in program counter and `x0`.
    pub(crate) fn tokkyu_begin_rtos(entry: u64, context: u64) -> !;
}

/// In `SCR_EL3` for both: AArch64 below, secure code from secure memory alone (SIF), and what reads as one.
const SCR: u64 = 1 << 10 | 1 << 9 | 0x30;
/// The world that EL1 is of.
pub(crate) const SCR_NON_SECURE: u64 = 1 << 0;
/// Non-secure, FIQ to EL3.
pub(crate) const SCR_LINUX: u64 = SCR | 1 << 2 | SCR_NON_SECURE;
/// Secure, all interrupts its own, and the secure timer's registers too (ST).
const SCR_RTOS: u64 = SCR | 1 << 11;
/// In `CPTR_EL3`: floating-point registers are trapped (TFP).
const TRAP_FLOATS: u64 = 1 << 10;

const GENERAL: usize = offset_of!(Frame, general);
const PLACE: usize = offset_of!(Frame, place);
const STATE: usize = offset_of!(Frame, state);
const HAS_LINUX: usize = offset_of!(Frame, has_linux);
const HAS_RTOS: usize = offset_of!(Frame, has_rtos);
const LINUX: usize = offset_of!(Frame, linux);
const HAS_FLOATS: usize = LINUX + offset_of!(Linux, has_floats);
const PRIORITY_MASK: usize = LINUX + offset_of!(Linux, priority_mask);
const RTOS: usize = offset_of!(Frame, rtos);
const RTOS_SP: usize = RTOS + offset_of!(Rtos, sp_el1);
const SINCE: usize = offset_of!(Frame, stolen) + offset_of!(Stolen, since);
const TICKS: usize = SINCE + 8;
const TOLD: usize = SINCE + 16;
const WHO_HAS: usize = offset_of!(Frame, who_has);
const FLOATS: usize = offset_of!(Frame, floats);
// As the assembly below counts on it: pairs, one behind the other, in reach of one instruction.
const _: () = assert!(GENERAL == 0 && PLACE == 31 * 8 && HAS_FLOATS == PRIORITY_MASK + 8 && RTOS_SP <= 504);
const _: () = assert!(offset_of!(Stolen, ticks) == 8 && offset_of!(Stolen, told) == 16 && TOLD <= 504);

global_asm!(
    ".section .text.switch, \"ax\"",
    // The registers of EL1 that both have, in the order of `Linux`; four pairs of them are in the order of `Rtos` too.
    ".macro linux_pairs what",
    "\\what sctlr_el1, ttbr0_el1, 0",
    "\\what tcr_el1, mair_el1, 16",
    "\\what vbar_el1, tpidr_el1, 32",
    "\\what tpidr_el0, sp_el0, 48",
    "\\what sp_el1, elr_el1, 64",
    "\\what spsr_el1, esr_el1, 80",
    "\\what far_el1, cpacr_el1, 96",
    ".endm",
    ".macro keep_pair first, second, at",
    "mrs x0, \\first",
    "mrs x1, \\second",
    "stp x0, x1, [sp, #{linux} + \\at]",
    ".endm",
    ".macro give_pair first, second, at",
    "ldp x0, x1, [sp, #{linux} + \\at]",
    "msr \\first, x0",
    "msr \\second, x1",
    ".endm",
    // Pairs of general registers, but the first and `x30`.
    ".macro general what",
    "\\what x2, x3, [sp, #16]",
    "\\what x4, x5, [sp, #32]",
    "\\what x6, x7, [sp, #48]",
    "\\what x8, x9, [sp, #64]",
    "\\what x10, x11, [sp, #80]",
    "\\what x12, x13, [sp, #96]",
    "\\what x14, x15, [sp, #112]",
    "\\what x16, x17, [sp, #128]",
    "\\what x18, x19, [sp, #144]",
    "\\what x20, x21, [sp, #160]",
    "\\what x22, x23, [sp, #176]",
    "\\what x24, x25, [sp, #192]",
    "\\what x26, x27, [sp, #208]",
    "\\what x28, x29, [sp, #224]",
    ".endm",
    //
    // FIQ while Linux runs: of the RTOS, or of the monitor, which woke somebody who was awake already.
    ".global tokkyu_monitor_fiq",
    "tokkyu_monitor_fiq:",
    "stp x0, x1, [sp]",
    "mrs x1, cntpct_el0",
    "mrs x0, s3_0_c12_c8_2", // ICC_HPPIR0_EL1: 1020 if it is of group 1, secure
    "cmp x0, #1020",
    "b.lo 1f",
    "ldr x0, [sp, #{has_rtos}]",
    "cbz x0, 2f",
    "str x1, [sp, #{since}]",
    "ldr x0, [sp, #{who_has}]",
    "mov w1, #1",
    "str w1, [x0]",
    "general stp",
    "mrs x0, elr_el3",
    "mrs x1, spsr_el3",
    "str x30, [sp, #240]",
    "stp x0, x1, [sp, #{place}]",
    "linux_pairs keep_pair",
    "mrs x0, s3_0_c4_c6_0", // ICC_PMR_EL1
    "stp x0, xzr, [sp, #{priority_mask}]",
    "b 3f",
    "1:",
    "mrs x0, s3_0_c12_c8_0", // ICC_IAR0_EL1
    "msr s3_0_c12_c8_1, x0", // ICC_EOIR0_EL1
    "adrp x0, TOKKYU_MONITOR_LIFE",
    "ldr w0, [x0, :lo12:TOKKYU_MONITOR_LIFE]",
    "cmp w0, #{ending}",
    "b.eq tokkyu_monitor_dropped",
    "2:",
    "ldp x0, x1, [sp]",
    "eret",
    //
    ".global tokkyu_to_rtos",
    "tokkyu_to_rtos:",
    "mrs x0, tpidr_el3",
    "mov sp, x0",
    "3:",
    "mov x0, #{scr_rtos}",
    "mov x1, #{trap_floats}",
    "msr scr_el3, x0",
    "msr cptr_el3, x1",
    "ldp x0, x1, [sp, #{rtos}]",
    "ldp x2, x3, [sp, #{rtos} + 16]",
    "ldp x4, x5, [sp, #{rtos} + 32]",
    "ldp x6, x7, [sp, #{rtos} + 48]",
    "msr sctlr_el1, x0",
    "ldr x0, [sp, #{state}]",
    "msr ttbr0_el1, x1",
    "msr tcr_el1, x2",
    "msr mair_el1, x3",
    "msr vbar_el1, x4",
    "msr tpidr_el1, x5",
    "msr sp_el1, x6",
    "msr elr_el3, x7",
    "mov x1, #{masked}",
    "mov x2, #0xff",
    "msr spsr_el3, x1",
    "msr s3_0_c4_c6_0, x2", // ICC_PMR_EL1
    "msr cpacr_el1, xzr",
    "eret",
    //
    // The RTOS has nothing to do here. x0 and x30 may be anything from here on.
    ".global tokkyu_monitor_idle",
    "tokkyu_monitor_idle:",
    "ldp x0, x1, [sp, #{has_linux}]",
    "cbz x1, 6f",
    "5:",
    "cbz x0, tokkyu_monitor_next",
    "ldr x0, [sp, #{who_has}]",
    "str wzr, [x0]",
    // What Linux did not have of its processor meanwhile is told it in nanoseconds.
    "mrs x0, cntpct_el0",
    "ldp x1, x2, [sp, #{since}]",
    "sub x0, x0, x1",
    "add x0, x0, x2",
    "ldp x1, x2, [sp, #{told}]",
    "str x0, [sp, #{ticks}]",
    "umulh x3, x0, x2",
    "mul x0, x0, x2",
    "extr x0, x3, x0, #32",
    "str x0, [x1]",
    "4:",
    "linux_pairs give_pair",
    "mov x2, #{scr_linux}",
    "ldp x0, x1, [sp, #{priority_mask}]",
    "msr scr_el3, x2",
    "msr cptr_el3, xzr",
    "msr s3_0_c4_c6_0, x0", // ICC_PMR_EL1
    "cbnz x1, 7f",
    "8:",
    "ldp x0, x1, [sp, #{place}]",
    "ldr x30, [sp, #240]",
    "msr elr_el3, x0",
    "msr spsr_el3, x1",
    "general ldp",
    "ldp x0, x1, [sp]",
    "eret",
    // For the first time: what is the same each time is kept.
    "6:",
    "mrs x1, sctlr_el1",
    "mrs x2, ttbr0_el1",
    "mrs x3, tcr_el1",
    "mrs x4, mair_el1",
    "mrs x5, vbar_el1",
    "mrs x6, tpidr_el1",
    "mrs x7, sp_el1",
    "mrs x8, elr_el3",
    "stp x1, x2, [sp, #{rtos}]",
    "stp x3, x4, [sp, #{rtos} + 16]",
    "stp x5, x6, [sp, #{rtos} + 32]",
    "stp x7, x8, [sp, #{rtos} + 48]",
    "mov x1, #1",
    "str x1, [sp, #{has_rtos}]",
    "b 5b",
    //
    ".global tokkyu_to_linux",
    "tokkyu_to_linux:",
    "mrs x0, tpidr_el3",
    "mov sp, x0",
    // What Linux has alone is as a processor begins with it.
    ".irp register, cntkctl_el1, ttbr1_el1, tpidrro_el0, cntv_ctl_el0, cntp_ctl_el0, mdscr_el1",
    "msr \\register, xzr",
    ".endr",
    "b 4b",
    //
    // Floating-point registers: given back to Linux, and kept of it when the RTOS uses one.
    ".arch_extension fp",
    ".arch_extension simd",
    ".macro floats what, above",
    "add x0, sp, #{floats} + \\above",
    "\\what q0, q1, [x0]",
    "\\what q2, q3, [x0, #32]",
    "\\what q4, q5, [x0, #64]",
    "\\what q6, q7, [x0, #96]",
    "\\what q8, q9, [x0, #128]",
    "\\what q10, q11, [x0, #160]",
    "\\what q12, q13, [x0, #192]",
    "\\what q14, q15, [x0, #224]",
    "\\what q16, q17, [x0, #256]",
    "\\what q18, q19, [x0, #288]",
    "\\what q20, q21, [x0, #320]",
    "\\what q22, q23, [x0, #352]",
    "\\what q24, q25, [x0, #384]",
    "\\what q26, q27, [x0, #416]",
    "\\what q28, q29, [x0, #448]",
    "\\what q30, q31, [x0, #480]",
    ".endm",
    "7:",
    "isb",
    "floats ldp, 0",
    "ldr x1, [x0, #512]",
    "ldr x2, [x0, #520]",
    "msr fpsr, x1",
    "msr fpcr, x2",
    "str xzr, [sp, #{has_floats}]",
    "b 8b",
    // x29 and x30 of before are on the stack, below the frame.
    ".global tokkyu_monitor_floats",
    "tokkyu_monitor_floats:",
    "stp x0, x1, [sp, #-32]!",
    "str x2, [sp, #16]",
    "msr cptr_el3, xzr",
    "isb",
    "floats stp, 48",
    "mrs x1, fpsr",
    "mrs x2, fpcr",
    "str x1, [x0, #512]",
    "str x2, [x0, #520]",
    "mov x1, #1",
    "str x1, [sp, #{has_floats} + 48]",
    "ldr x2, [sp, #16]",
    "ldp x0, x1, [sp], #32",
    "ldp x29, x30, [sp], #16",
    "eret",
    //
    // x0, x1: where, and for x0. As a processor begins.
    ".global tokkyu_begin_rtos",
    "tokkyu_begin_rtos:",
    "mrs x2, tpidr_el3",
    "mov sp, x2",
    "mov x2, #{scr_rtos}",
    "ldr x3, ={sctlr}",
    "mov x4, #{masked}",
    "mov x5, #{trap_floats}",
    "msr scr_el3, x2",
    "msr sctlr_el1, x3",
    "msr spsr_el3, x4",
    "msr cptr_el3, x5",
    "msr elr_el3, x0",
    "mov x0, x1",
    "eret",
    ".ltorg",
    linux = const LINUX,
    rtos = const RTOS,
    place = const PLACE,
    state = const STATE,
    priority_mask = const PRIORITY_MASK,
    has_floats = const HAS_FLOATS,
    has_linux = const HAS_LINUX,
    has_rtos = const HAS_RTOS,
    since = const SINCE,
    ticks = const TICKS,
    told = const TOLD,
    who_has = const WHO_HAS,
    floats = const FLOATS,
    ending = const Life::Ending as u32,
    scr_linux = const SCR_LINUX,
    scr_rtos = const SCR_RTOS,
    trap_floats = const TRAP_FLOATS,
    masked = const EL1_MASKED,
    sctlr = const SCTLR_RESET,
);
