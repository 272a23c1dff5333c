//! Calls of the monitor.

use core::arch::{asm, global_asm};

use smccc::psci::{PSCI_SYSTEM_OFF, PSCI_SYSTEM_RESET};

/// Who has a processor (MON-62).
pub const PV_SCHED_FEATURES: u32 = 0xc500_0090;
pub const PV_SCHED_IPA_INIT: u32 = 0xc500_0091;
pub const PV_SCHED_IPA_RELEASE: u32 = 0xc500_0092;
pub const PV_SCHED_KICK_CPU: u32 = 0xc500_0093;

/// Calls; answers `x0`.
pub fn smc(function: u32, arguments: [u64; 3]) -> i64 {
    let [first, second, third] = arguments;
    let answer: i64;
    // SAFETY: the monitor keeps x4 and what follows, and memory; `kept` shows it.
    unsafe {
        asm!("smc #0", inout("x0") u64::from(function) => answer, inout("x1") first => _, inout("x2") second => _,
             inout("x3") third => _, options(nostack));
    }
    answer
}

/// Switches the machine off.
pub fn off() -> ! {
    smc(PSCI_SYSTEM_OFF, [0; 3]);
    unreachable!("the machine is off")
}

/// Begins anew.
pub fn reset() -> ! {
    smc(PSCI_SYSTEM_RESET, [0; 3]);
    unreachable!("the machine begins anew")
}

unsafe extern "C" {
    fn tokkyu_guest_kept(function: u64, first: u64, into: *mut u64);
}

/// Calls with a word of its own in each of `x4` to `x30`, which are written down afterwards, behind `x0` to `x3`.
pub fn kept(function: u32, first: u64) -> [u64; 31] {
    let mut registers = [0; 31];
    // SAFETY: it writes 31 words.
    unsafe { tokkyu_guest_kept(function.into(), first, registers.as_mut_ptr()) };
    registers
}

/// The counter, of which each instruction takes one under instruction counting at 1 GHz.
pub fn counter() -> u64 {
    let ticks: u64;
    // SAFETY: reading it changes nothing.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack)) };
    ticks
}

global_asm!(
    ".section .text, \"ax\"",
    "tokkyu_guest_kept:",
    "sub sp, sp, #112",
    "stp x19, x20, [sp]",
    "stp x21, x22, [sp, #16]",
    "stp x23, x24, [sp, #32]",
    "stp x25, x26, [sp, #48]",
    "stp x27, x28, [sp, #64]",
    "stp x29, x30, [sp, #80]",
    "str x2, [sp, #96]",
    ".irp number, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
    "mov x\\number, #(\\number * 0x111)",
    ".endr",
    "smc #0",
    // x2 and x3 as the monitor left them go by way of the stack.
    "str x3, [sp, #104]",
    "ldr x3, [sp, #96]",
    "stp x0, x1, [x3]",
    "str x2, [x3, #16]",
    "ldr x2, [sp, #104]",
    "str x2, [x3, #24]",
    ".irp number, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
    "str x\\number, [x3, #(8 * \\number)]",
    ".endr",
    "ldp x19, x20, [sp]",
    "ldp x21, x22, [sp, #16]",
    "ldp x23, x24, [sp, #32]",
    "ldp x25, x26, [sp, #48]",
    "ldp x27, x28, [sp, #64]",
    "ldp x29, x30, [sp, #80]",
    "add sp, sp, #112",
    "ret",
);
