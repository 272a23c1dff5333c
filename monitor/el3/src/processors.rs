//! Which processors each system has (MON-23, MON-25, MON-51). A processor's state is one word for each; where it begins is written by
//! whoever has claimed it.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

use tokkyu_monitor_core::{Event, Goal, Handoff, PROCESSORS_MAX, Power, Refused, STOLEN_TIME_BYTES, World};

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

const fn off() -> Processor {
    Processor {
        power: AtomicU32::new(Power::Off as u32),
        entry: AtomicU64::new(0),
        context: AtomicU64::new(0),
    }
}

static LINUX: [Processor; PROCESSORS_MAX] = [const { off() }; PROCESSORS_MAX];
static RTOS: [Processor; PROCESSORS_MAX] = [const { off() }; PROCESSORS_MAX];

fn of_world(world: World, index: usize) -> &'static Processor {
    match world {
        World::Linux => &LINUX[index],
        World::Rtos => &RTOS[index],
    }
}

/// This one's number: its affinity 0.
#[inline]
pub(crate) fn here() -> usize {
    let affinity: u64;
    // SAFETY: reading it changes nothing.
    unsafe { asm!("mrs {}, mpidr_el1", out(reg) affinity, options(nomem, nostack, preserves_flags)) };
    (affinity & 0xff) as usize % PROCESSORS_MAX
}

/// How many the machine has.
pub(crate) fn count() -> usize {
    (handoff().processors as usize).min(PROCESSORS_MAX)
}

/// Where a processor's structure of stolen time is.
pub(crate) fn stolen_time(index: usize) -> u64 {
    handoff().shared + index as u64 * STOLEN_TIME_BYTES
}

/// The one of that affinity, if the machine has it.
pub(crate) fn of(affinity: u64) -> Option<usize> {
    (affinity < handoff().processors).then_some(affinity as usize)
}

/// Its state.
pub(crate) fn power(world: World, index: usize) -> Power {
    Power::of(of_world(world, index).power.load(Acquire)).unwrap_or(Power::On)
}

/// Something happens to it, if its state allows.
fn happen(world: World, index: usize, event: Event) -> Result<(), Refused> {
    let word = &of_world(world, index).power;
    let mut before = power(world, index);
    loop {
        let after = before.after(event)?;
        match word.compare_exchange(before as u32, after as u32, AcqRel, Acquire) {
            Ok(_) => return Ok(()),
            Err(other) => before = Power::of(other).ok_or(Refused::Never)?,
        }
    }
}

/// A system wants it: it goes there once it looks.
pub(crate) fn ask(world: World, index: usize, goal: Goal) -> Result<(), Refused> {
    happen(world, index, Event::Claimed)?;
    let processor = of_world(world, index);
    processor.entry.store(goal.entry, Relaxed);
    processor.context.store(goal.context, Relaxed);
    // With what was written before.
    processor.power.store(Power::Asked as u32, Release);
    Ok(())
}

/// Where a system wants this one to begin, which it does now; nothing: it does not.
pub(crate) fn take(world: World, index: usize) -> Option<Goal> {
    happen(world, index, Event::Begun).ok()?;
    let processor = of_world(world, index);
    Some(Goal { entry: processor.entry.load(Relaxed), context: processor.context.load(Relaxed) })
}

/// A system gives it back.
pub(crate) fn end(world: World, index: usize) {
    let _ = happen(world, index, Event::Ended);
}

/// Linux is given up here, if it had it or was about to.
pub(crate) fn drop(index: usize) {
    let _ = happen(World::Linux, index, Event::Dropped);
}
