//! Which of the two systems has a processor, where it is not plain (MON-51, MON-53): when they begin, and when Linux has it not.

use core::arch::asm;

use tokkyu_monitor_core::{Goal, STOLEN_TIME_AT, World};

use crate::switch::{SCR_NON_SECURE, tokkyu_begin_rtos, tokkyu_to_linux, tokkyu_to_rtos};
use crate::{frame, gic, life, processors};

/// What a processor does first. The first one begins the RTOS, and copies what Linux begins with once that is idle there.
pub(crate) fn begin(index: usize) -> ! {
    let handoff = processors::handoff();
    // SAFETY: this processor's own.
    unsafe { (*frame::here()).stolen.begin(processors::stolen_time(index) + STOLEN_TIME_AT) };
    if index == 0 && handoff.rtos != 0 {
        // Nobody else asks yet.
        let _ = processors::ask(World::Rtos, 0, Goal { entry: handoff.rtos, context: 0 });
    }
    next(index)
}

/// Who has made the call that is carried out.
pub(crate) fn of_caller() -> World {
    let scr: u64;
    // SAFETY: reading it changes nothing.
    unsafe { asm!("mrs {}, scr_el3", out(reg) scr, options(nomem, nostack, preserves_flags)) };
    if scr & SCR_NON_SECURE == 0 { World::Rtos } else { World::Linux }
}

/// Linux wants to begin anew, on a processor that it does not get back.
pub(crate) fn reset_linux(index: usize) -> ! {
    life::reset();
    end_linux(index)
}

/// Linux gives this processor back.
pub(crate) fn end_linux(index: usize) -> ! {
    processors::end(World::Linux, index);
    // SAFETY: this processor's own.
    unsafe { (*frame::here()).end_linux() };
    // Nor do its interrupts end the wait that follows: nobody would take them, and the processor would never rest.
    gic::forget_linux();
    next(index)
}

/// Linux begins on this processor.
pub(crate) fn begin_linux(goal: Goal) -> ! {
    gic::forget_linux();
    // SAFETY: this processor's own.
    unsafe { (*frame::here()).begin_linux(goal.entry, goal.context) };
    tokkyu_to_linux()
}

/// Until one of them wants this processor, which Linux has not. The RTOS goes first.
fn next(index: usize) -> ! {
    let frame = frame::here();
    loop {
        // The monitor's own, so that the wait ends once for each; where the RTOS's waits too, that goes first.
        gic::acknowledge();
        if let Some(goal) = processors::take(World::Rtos, index) {
            // SAFETY: the boot part, or `calls`, has checked where it begins; nothing on this stack is needed any more.
            unsafe { tokkyu_begin_rtos(goal.entry, goal.context) }
        }
        // SAFETY: this processor's own.
        if unsafe { (*frame).has_rtos } != 0 && gic::is_of_rtos() {
            tokkyu_to_rtos()
        }
        // SAFETY: as above.
        if life::step(index, unsafe { &mut (*frame).copied }) {
            continue;
        }
        if let Some(goal) = processors::take(World::Linux, index) {
            begin_linux(goal)
        }
        gic::wait();
    }
}

/// For the switch: the RTOS is idle, and Linux has this processor not.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_monitor_next() -> ! {
    next(processors::here())
}

/// For the switch: Linux is given up.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_monitor_dropped() -> ! {
    end_linux(processors::here())
}
