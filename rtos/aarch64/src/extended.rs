//! What tasks have beside their general registers, in systems that declare it: floating-point registers (RTA-15) and thread-local
//! variables (RTA-16), both above a task's stack.
//!
//! ```text
//!  stack ◄── top │ q0 … q31, FPSR, FPCR │ thread pointer: two words │ .tdata │ .tbss │ the stack's end
//! ```
//!
//! ```text
//!         switched to                first instruction of that kind: trapped
//!  kept ───────────────► away (EL1 may not) ─────────────────────────────────► in the registers (EL1 may)
//!    ▲────────────────────── switched from ◄──────────────────────────────────────────┘ kept
//! ```

use core::arch::{asm, global_asm};

use tokkyu_rtos::Task;

/// 32 registers of 16 bytes, and two words of 8.
const REGISTERS_BYTES: usize = 32 * 16 + 16;
/// Those at the thread pointer: the ABI's own (variant 1).
const POINTER_BYTES: usize = 16;
/// `CPACR_EL1.FPEN`: neither EL0 nor EL1 is trapped.
const ALLOWED: u64 = 0b11 << 20;

unsafe extern "C" {
    static tls_begin: u8;
    static tls_data_end: u8;
    static tls_end: u8;
    fn tokkyu_keep_floats(area: usize);
    fn tokkyu_take_floats(area: usize);
}

/// Bytes that are taken from the top of each stack.
pub(crate) fn bytes() -> usize {
    let variables = &raw const tls_end as usize - &raw const tls_begin as usize;
    (REGISTERS_BYTES + POINTER_BYTES + variables).next_multiple_of(16)
}

/// What stands for `FPSR` and `FPCR` of a task that has not used its registers yet: they are zero, and written when it does.
const UNUSED: u64 = u64::MAX;
/// Where that stands in the room.
const STATE: usize = 32 * 16;

/// A task begins: its registers are zero, its variables as the image says. By the task itself.
pub(crate) fn begin(task: &Task) {
    let (area, begin) = (task.saved().top(), &raw const tls_begin);
    let pointer = area + REGISTERS_BYTES;
    let data = &raw const tls_data_end as usize - begin as usize;
    let zeros = &raw const tls_end as usize - &raw const tls_data_end as usize;
    // SAFETY: above its stack, where nobody else writes, and as long as `bytes` says. Whoever had the registers kept them there before.
    unsafe {
        ((area + STATE) as *mut u64).write(UNUSED);
        (pointer as *mut [u64; 2]).write([0; 2]);
        let variables = (pointer + POINTER_BYTES) as *mut u8;
        if data != 0 {
            variables.copy_from_nonoverlapping(begin, data);
        }
        if zeros != 0 {
            variables.add(data).write_bytes(0, zeros);
        }
    }
}

/// This processor goes from one task to another. With interrupts masked.
#[inline]
pub(crate) fn switch(from: Option<&Task>, to: Option<&Task>) {
    let allowed: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, cpacr_el1", out(reg) allowed, options(nomem, nostack, preserves_flags)) };
    if allowed & ALLOWED != 0 {
        if let Some(from) = from {
            // SAFETY: its own room, and its own registers: nobody else has used them since it took them.
            unsafe { tokkyu_keep_floats(from.saved().top()) };
        }
        // SAFETY: from here on they are nobody's.
        unsafe { asm!("msr cpacr_el1, xzr", "isb", options(nostack, preserves_flags)) };
    }
    if let Some(to) = to {
        let pointer = to.saved().top() + REGISTERS_BYTES;
        // SAFETY: nothing here reads it: it is the task's.
        unsafe { asm!("msr tpidr_el0, {}", in(reg) pointer, options(nostack, preserves_flags)) };
    }
}

/// The running task wants them: a trap of its first instruction of that kind. With interrupts masked.
#[cold]
pub(crate) fn take(task: &Task) {
    let area = task.saved().top();
    // SAFETY: they are nobody's, and what is there was kept, or is made here.
    unsafe {
        if ((area + STATE) as *const u64).read() == UNUSED {
            (area as *mut [u64; REGISTERS_BYTES / 8]).write([0; REGISTERS_BYTES / 8]);
        }
        asm!("msr cpacr_el1, {}", "isb", in(reg) ALLOWED, options(nostack, preserves_flags));
        tokkyu_take_floats(area);
    }
}

// x0: the room. The rest of the image is assembled for processors without.
global_asm!(
    ".section .text.floats, \"ax\"",
    ".arch_extension fp",
    ".arch_extension simd",
    ".global tokkyu_keep_floats",
    ".global tokkyu_take_floats",
    "tokkyu_keep_floats:",
    "stp q0, q1, [x0]",
    "stp q2, q3, [x0, #32]",
    "stp q4, q5, [x0, #64]",
    "stp q6, q7, [x0, #96]",
    "stp q8, q9, [x0, #128]",
    "stp q10, q11, [x0, #160]",
    "stp q12, q13, [x0, #192]",
    "stp q14, q15, [x0, #224]",
    "stp q16, q17, [x0, #256]",
    "stp q18, q19, [x0, #288]",
    "stp q20, q21, [x0, #320]",
    "stp q22, q23, [x0, #352]",
    "stp q24, q25, [x0, #384]",
    "stp q26, q27, [x0, #416]",
    "stp q28, q29, [x0, #448]",
    "stp q30, q31, [x0, #480]",
    "mrs x1, fpsr",
    "mrs x2, fpcr",
    "add x0, x0, #512",
    "stp x1, x2, [x0]",
    "ret",
    "tokkyu_take_floats:",
    "ldp q0, q1, [x0]",
    "ldp q2, q3, [x0, #32]",
    "ldp q4, q5, [x0, #64]",
    "ldp q6, q7, [x0, #96]",
    "ldp q8, q9, [x0, #128]",
    "ldp q10, q11, [x0, #160]",
    "ldp q12, q13, [x0, #192]",
    "ldp q14, q15, [x0, #224]",
    "ldp q16, q17, [x0, #256]",
    "ldp q18, q19, [x0, #288]",
    "ldp q20, q21, [x0, #320]",
    "ldp q22, q23, [x0, #352]",
    "ldp q24, q25, [x0, #384]",
    "ldp q26, q27, [x0, #416]",
    "ldp q28, q29, [x0, #448]",
    "ldp q30, q31, [x0, #480]",
    "add x0, x0, #512",
    "ldp x1, x2, [x0]",
    "msr fpsr, x1",
    "msr fpcr, x2",
    "ret",
    ".arch_extension nosimd",
    ".arch_extension nofp",
);
