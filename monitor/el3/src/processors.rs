//! Which processors Linux has (MON-23, MON-25). A processor's state is one word; where it begins is written by whoever has claimed it.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

use tokkyu_monitor_core::{Event, Goal, Handoff, PROCESSORS_MAX, Power, Refused};

use crate::{gic, machine};

/// Written by the boot part, before any processor is here.
#[repr(transparent)]
struct Left(UnsafeCell<Handoff>);

// SAFETY: nobody writes to it any more.
unsafe impl Sync for Left {}

#[unsafe(no_mangle)]
static TOKKYU_MONITOR_HANDOFF: Left = Left(UnsafeCell::new(Handoff::NONE));

/// What the boot part has left.
pub(crate) fn handoff() -> &'static Handoff {
    // SAFETY: as for `Left`.
    unsafe { &*TOKKYU_MONITOR_HANDOFF.0.get() }
}

/// In a line of the cache of its own.
#[repr(C, align(64))]
struct Processor {
    power: AtomicU32,
    entry: AtomicU64,
    context: AtomicU64,
}

static PROCESSORS: [Processor; PROCESSORS_MAX] = [const {
    Processor {
        power: AtomicU32::new(Power::Off as u32),
        entry: AtomicU64::new(0),
        context: AtomicU64::new(0),
    }
}; PROCESSORS_MAX];

/// This one's number: its affinity 0.
#[inline]
pub(crate) fn here() -> usize {
    let affinity: u64;
    // SAFETY: reading it changes nothing.
    unsafe { asm!("mrs {}, mpidr_el1", out(reg) affinity, options(nomem, nostack, preserves_flags)) };
    (affinity & 0xff) as usize % PROCESSORS_MAX
}

/// The one of that affinity, if the machine has it.
pub(crate) fn of(affinity: u64) -> Option<usize> {
    (affinity < handoff().processors).then_some(affinity as usize)
}

/// Its state.
pub(crate) fn power(index: usize) -> Power {
    Power::of(PROCESSORS[index].power.load(Acquire)).unwrap_or(Power::On)
}

/// Something happens to it, if its state allows.
fn happen(index: usize, event: Event) -> Result<(), Refused> {
    let word = &PROCESSORS[index].power;
    let mut before = power(index);
    loop {
        let after = before.after(event)?;
        match word.compare_exchange(before as u32, after as u32, AcqRel, Acquire) {
            Ok(_) => return Ok(()),
            Err(other) => before = Power::of(other).ok_or(Refused::Never)?,
        }
    }
}

/// Linux wants it: it goes there once it looks.
pub(crate) fn ask(index: usize, goal: Goal) -> Result<(), Refused> {
    happen(index, Event::Claimed)?;
    PROCESSORS[index].entry.store(goal.entry, Relaxed);
    PROCESSORS[index].context.store(goal.context, Relaxed);
    // With what was written before.
    PROCESSORS[index].power.store(Power::Asked as u32, Release);
    Ok(())
}

/// Where the first processor begins with the system; nothing: another one.
pub(crate) fn first(index: usize) -> Option<Goal> {
    let handoff = handoff();
    (index == 0).then(|| {
        PROCESSORS[0].power.store(Power::On as u32, Release);
        Goal { entry: handoff.entry, context: handoff.tree }
    })
}

/// Until Linux wants it.
pub(crate) fn wait(index: usize) -> Goal {
    while happen(index, Event::Begun).is_err() {
        machine::wait_for_interrupt();
        gic::acknowledge();
    }
    let processor = &PROCESSORS[index];
    Goal { entry: processor.entry.load(Relaxed), context: processor.context.load(Relaxed) }
}

/// Linux gives it back.
pub(crate) fn end(index: usize) {
    let _ = happen(index, Event::Ended);
}
