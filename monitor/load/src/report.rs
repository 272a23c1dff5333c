//! Tells how often a processor's budget was used up: each ten seconds, where it was since.

use core::fmt::Write;

use tokkyu_rtos_aarch64::{Console, linux};

use crate::system::{KERNEL, PROCESSORS};

const EVERY_US: u32 = 10_000_000;

/// For a task that is more urgent than the others; it ends where there is no budget.
pub(crate) fn task() {
    let mut told = [0; PROCESSORS];
    while (1..=PROCESSORS).any(|processor| linux::budget(processor).is_some())
        && KERNEL.dly_tsk(EVERY_US).is_ok()
    {
        for (processor, told) in (1..).zip(&mut told) {
            tell(processor, told);
        }
    }
}

fn tell(processor: usize, told: &mut u64) {
    let Some(budget) = linux::budget(processor).filter(|budget| budget.used_up != *told) else { return };
    *told = budget.used_up;
    let _ = writeln!(Console, "rtos: processor {processor}: {budget}");
}
