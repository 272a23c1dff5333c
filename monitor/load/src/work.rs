//! The tasks: one for each home processor, which works as long as is ordered, wherever it was begun.

use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos_aarch64::linux;

use crate::due::{HOMES, NEVER, TAKEN, count};
use crate::shared::{Count, add, change, orders};
use crate::start;

/// One activation.
pub(crate) fn of_home(home: usize) {
    let begun = start::now();
    let kept = &HOMES[home];
    let at = kept.at.load(Relaxed);
    count_start(home, begun, at);
    count(home);
    let orders = orders(home);
    add(home, Count::Seen, u64::from(linux::word(orders.look_at).is_some_and(|word| word as u32 == 1)));
    let ticks = u64::from(orders.work_us) * start::ticks_in_us();
    while start::now() - begun < ticks {
        if orders.gives_way { burn_giving_way() } else { burn() }
    }
    TAKEN.give(at);
    kept.is_begun.store(false, Relaxed);
}

/// A few microseconds of a processor that is emulated. Reading its counter takes a lock of QEMU's that Linux's processors need too: who did
/// nothing else would hold them up.
fn burn() {
    // SAFETY: it counts in a register.
    unsafe {
        core::arch::asm!("2: subs {left}, {left}, #1", "b.ne 2b", left = inout(reg) 1_000_u64 => _, options(nomem, nostack));
    }
}

/// The same where QEMU counts instructions. It emulates one processor at a time then, and goes on to the next at a yield: else not before
/// something is due, and then not always. What does nothing takes it no time, and is counted as any other instruction.
fn burn_giving_way() {
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "2:",
            ".rept 62",
            "nop",
            ".endr",
            "subs {left}, {left}, #1",
            "b.ne 2b",
            "yield",
            left = inout(reg) 32_u64 => _,
            options(nomem, nostack)
        );
    }
}

/// How long it took to begin it.
fn count_start(home: usize, begun: u64, at: usize) {
    let due = HOMES[home].due.load(Relaxed);
    if due == NEVER {
        return;
    }
    let took = begun.saturating_sub(due);
    let (all, most) = if at == home {
        (Count::StartTicks, Count::StartMost)
    } else {
        (Count::MovedTicks, Count::MovedMost)
    };
    add(home, all, took);
    change(home, most, |before| before.max(took));
}
