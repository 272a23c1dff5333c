//! Changing contexts (RTA-11).

use core::arch::naked_asm;

use tokkyu_rtos::Saved;

/// Keeps what runs in `from`, and goes on with `to`. Returns when somebody goes on with `from`.
///
/// # Safety
/// `to` is a context that nobody runs, and both are good until it is gone on with.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch(from: &Saved, to: &Saved) {
    naked_asm!(
        "stp x29, x30, [sp, #-96]!",
        "stp x27, x28, [sp, #16]",
        "stp x25, x26, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x21, x22, [sp, #64]",
        "stp x19, x20, [sp, #80]",
        "mov x2, sp",
        "adr x3, 2f",
        "stp x2, x3, [x0]",
        "ldp x2, x3, [x1]",
        "mov sp, x2",
        "br x3",
        "2:",
        "ldp x27, x28, [sp, #16]",
        "ldp x25, x26, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x21, x22, [sp, #64]",
        "ldp x19, x20, [sp, #80]",
        "ldp x29, x30, [sp], #96",
        "ret",
    )
}

/// Goes on with `to`, a task, from the idle context on `SP_EL1`, whose stack is empty again from `top` on.
///
/// # Safety
/// As of [`switch`].
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn go_from_idle(to: &Saved, top: usize) -> ! {
    naked_asm!("mov sp, x1", "msr spsel, #0", "ldp x2, x3, [x0]", "mov sp, x2", "br x3")
}

/// Goes on with `to`; what runs is given up.
///
/// # Safety
/// As of [`switch`].
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn go(to: &Saved) -> ! {
    naked_asm!("ldp x2, x3, [x0]", "mov sp, x2", "br x3")
}
