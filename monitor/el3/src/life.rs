//! Linux as a whole: it begins, and it is given up (MON-42). The states are in tokkyu-monitor-core's life.rs.
//!
//! The first processor alone goes from `Ending` by `Loading` to `Running`; whoever asks for a reset goes from `Running`, at most one at a time.

use core::arch::asm;
use core::ptr::copy_nonoverlapping;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Acquire};

use tokkyu_monitor_core::{Goal, LOADER, Life, LifeEvent, Piece, Power, TREE, World, piece};

use crate::{gic, processors};

/// Known to switch.rs, which compares it with `Life::Ending`.
#[unsafe(no_mangle)]
static TOKKYU_MONITOR_LIFE: AtomicU32 = AtomicU32::new(Life::Loading as u32);

/// Bytes that are copied at once of which the caches are told.
const LINE_BYTES: u64 = 16;

fn now() -> Life {
    Life::of(TOKKYU_MONITOR_LIFE.load(Acquire))
}

/// Something happens; false: it does not, in this state.
fn happen(event: LifeEvent) -> bool {
    let before = now();
    before.after(event).is_ok_and(|after| {
        TOKKYU_MONITOR_LIFE.compare_exchange(before as u32, after as u32, AcqRel, Acquire).is_ok()
    })
}

/// Linux wants to begin anew. Every processor is told, and so gives it up.
pub(crate) fn reset() {
    if happen(LifeEvent::Reset) {
        (0..processors::count()).for_each(gic::wake);
    }
}

/// What this processor, which Linux has not, has to do for it; `done` of what is copied is done. True: there may be more to do.
pub(crate) fn step(index: usize, done: &mut u64) -> bool {
    match (now(), index) {
        (Life::Running, _) => false,
        (Life::Ending, 0) => {
            processors::drop(index);
            let is_gone =
                (0..processors::count()).all(|of| processors::power(World::Linux, of) == Power::Off);
            *done = 0;
            is_gone && happen(LifeEvent::Gone)
        }
        (Life::Ending, _) => {
            processors::drop(index);
            // It is off by now, whether it was given up here or before: the first looks again.
            gic::wake(0);
            false
        }
        (Life::Loading, 0) => {
            match piece(processors::handoff(), *done) {
                Some(piece) => {
                    copy(piece);
                    *done += piece.bytes;
                }
                None => {
                    let _ = processors::ask(World::Linux, 0, Goal { entry: LOADER, context: TREE });
                    happen(LifeEvent::Copied);
                }
            }
            true
        }
        (Life::Loading, _) => false,
    }
}

/// To memory whose caches are off for the loader.
fn copy(piece: Piece) {
    let Piece { from, to, bytes } = piece;
    // SAFETY: what is kept, and memory of Linux's that is mapped for this; Linux has no processor.
    unsafe { copy_nonoverlapping(from as *const u8, to as *mut u8, bytes as usize) };
    for line in (to..to + bytes).step_by(LINE_BYTES as usize) {
        // SAFETY: what was written goes to memory.
        unsafe { asm!("dc civac, {}", in(reg) line, options(nostack)) };
    }
}
