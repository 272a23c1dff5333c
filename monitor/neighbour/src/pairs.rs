//! Two interrupts that are pending at once when the processor is given back: each is to come in, the second while the monitor goes back
//! to Linux from the first.
//!
//! ```text
//! task ─► armed ─► processor given back, both raised ─► first ─► given back ─► second ─► given back
//! ```

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64};

use tokkyu_rtos_aarch64::{Line, raise};

use crate::shared::{Count, tell};

/// The processor's own, of no device of QEMU's `virt`.
const LINES: [u32; 2] = [20, 21];
/// Less urgent than the timer, neither before the other.
const PRIORITY: i32 = -1;

const fn line(number: u32) -> Line {
    Line { number, processor: 1, priority: PRIORITY, enabled: true }
}

pub(crate) static ALL: [Line; 2] = [line(LINES[0]), line(LINES[1])];

static ARMED: AtomicBool = AtomicBool::new(false);
static RAISED: AtomicU64 = AtomicU64::new(0);
static HANDLED: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// When the processor is given back next.
pub(crate) fn arm() {
    ARMED.store(true, Relaxed);
}

/// Interrupts are about to be let in; after a task has ended that is where the processor is given back.
#[inline(always)]
pub(crate) fn unmasked() {
    if ARMED.load(Relaxed) {
        raise_both();
    }
}

#[cold]
fn raise_both() {
    ARMED.store(false, Relaxed);
    LINES.iter().for_each(|number| raise(0, *number));
    tell(Count::Raised, RAISED.fetch_add(1, Relaxed) + 1);
}

/// One of them has come in.
pub(crate) fn on_line(number: u32) {
    let (at, count) = if number == LINES[0] { (0, Count::First) } else { (1, Count::Second) };
    tell(count, HANDLED[at].fetch_add(1, Relaxed) + 1);
}

/// A round begins.
pub(crate) fn begin_round() {
    ARMED.store(false, Relaxed);
    for (word, count) in [(&RAISED, Count::Raised), (&HANDLED[0], Count::First), (&HANDLED[1], Count::Second)]
    {
        word.store(0, Relaxed);
        tell(count, 0);
    }
}
