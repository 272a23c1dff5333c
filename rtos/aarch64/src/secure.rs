//! What an image beside Linux has of its own (RTA-60 to RTA-65; budget.rs has RTA-67).

use core::arch::naked_asm;
use core::ptr;

use crate::here;
use crate::stack::handler_stack;

/// Whether images are those.
pub(crate) const SECURE: bool = cfg!(feature = "secure");

/// The monitor's call "nothing to do here" (monitor/SPEC.md, MON-53).
const IDLE: u32 = 0xb200_0000;

/// In a program state: the exception level, and 32 bits (DDI 0487, SPSR_EL3, M).
const MODE: u64 = 0x1f;
const USER_MODES: [u64; 2] = [0, 0x10];

/// Before Linux was ever interrupted on this processor.
pub(crate) fn begin() {
    if SECURE {
        // SAFETY: this processor's own word, which has been set aside.
        unsafe { ptr::write_volatile(handler_stack(here::index()) as *mut u64, 0) };
    }
}

/// Whether Linux is in user mode on this processor, or has it not. For handlers and tasks of this processor.
#[inline]
pub(crate) fn is_linux_in_user_mode() -> bool {
    // SAFETY: as above; `idle_beside_linux` writes it on the same processor, and nobody is interrupted there.
    let state = unsafe { ptr::read_volatile(handler_stack(here::index()) as *const u64) };
    USER_MODES.contains(&(state & MODE))
}

/// Gives the processor to Linux until an interrupt of the kernel's is there, handles it, and again. The monitor keeps nothing of this but
/// where it goes on and the stack pointer, which are the same each time: all general registers may have changed, and `x0` is
/// Linux's program state.
///
/// # Safety
/// `stack` is the top of this processor's own, on `SP_EL1`, with a word of its own above it, of which nothing is needed any more; interrupts are masked.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn idle_beside_linux(stack: usize) -> ! {
    naked_asm!(
        "mov sp, x0",
        "2:",
        "ldr w0, ={idle}",
        "smc #0",
        "str x0, [sp]",
        "bl tokkyu_interrupt",
        "bl tokkyu_leave",
        "b 2b",
        ".ltorg",
        idle = const IDLE,
    )
}
