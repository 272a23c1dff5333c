//! What an image beside Linux has of its own (RTA-60 to RTA-64).

use core::arch::naked_asm;

/// Whether images are those.
pub(crate) const SECURE: bool = cfg!(feature = "secure");

/// The monitor's call "nothing to do here" (monitor/SPEC.md, MON-53).
const IDLE: u32 = 0xb200_0000;

/// Gives the processor to Linux until an interrupt of the kernel's is there, handles it, and again. The monitor keeps nothing of this but
/// where it goes on and the stack pointer, which are the same each time: all general registers may have changed.
///
/// # Safety
/// `stack` is the top of this processor's own, on `SP_EL1`, of which nothing is needed any more; interrupts are masked.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn idle_beside_linux(stack: usize) -> ! {
    naked_asm!(
        "mov sp, x0",
        "2:",
        "ldr w0, ={idle}",
        "smc #0",
        "bl tokkyu_interrupt",
        "bl tokkyu_leave",
        "b 2b",
        ".ltorg",
        idle = const IDLE,
    )
}
