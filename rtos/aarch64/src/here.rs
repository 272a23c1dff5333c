//! Which processor this is.

use core::arch::asm;

use tokkyu_rtos::Processor;

/// Has this processor be that one of the system's.
pub(crate) fn stand_for(processor: &'static Processor) {
    // SAFETY: software's own register, which `Board::here` reads.
    unsafe { asm!("msr tpidr_el1, {}", in(reg) processor, options(nostack, preserves_flags)) };
}

/// Lets others go on, where processors take turns: `core::hint::spin_loop` is an `isb` here, which does not.
#[inline(always)]
pub fn give_way() {
    // SAFETY: a hint.
    unsafe { asm!("yield", options(nomem, nostack, preserves_flags)) };
}

/// Its index, from 0: also before it stands for a processor of the system.
pub(crate) fn index() -> usize {
    let index: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, mpidr_el1", out(reg) index, options(nomem, nostack)) };
    index & 0xff
}
