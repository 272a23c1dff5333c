//! How long it takes from when a task is due to its first function: ticks of the counter, which are instructions under instruction counting
//! at 1 GHz.

use core::arch::asm;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use crate::system::PROCESSORS;

/// For which of its times the timer of a processor came last.
static DUE: [AtomicU64; PROCESSORS] = [const { AtomicU64::new(0) }; PROCESSORS];

pub(crate) fn now() -> u64 {
    let now: u64;
    // SAFETY: reads CNTPCT_EL0.
    unsafe { asm!("isb", "mrs {}, cntpct_el0", out(reg) now, options(nomem, nostack)) };
    now
}

/// A counter has 1 MHz at least (DDI 0487, D12.1.2).
pub(crate) fn ticks_in_us() -> u64 {
    let frequency: u64;
    // SAFETY: reads CNTFRQ_EL0.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) frequency, options(nomem, nostack)) };
    (frequency / 1_000_000).max(1)
}

/// For handlers too, which the kernel does not tell its time.
pub(crate) fn now_us() -> u64 {
    now() / ticks_in_us()
}

fn here() -> usize {
    let index: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, mpidr_el1", out(reg) index, options(nomem, nostack)) };
    index & 0xff
}

/// Interrupts are masked: the timer's time is what it was.
#[inline(always)]
pub(crate) fn masked() {
    let due: u64;
    // SAFETY: reads CNTPS_CVAL_EL1.
    unsafe { asm!("mrs {}, s3_7_c14_c2_2", out(reg) due, options(nomem, nostack)) };
    if now() >= due
        && let Some(kept) = DUE.get(here())
    {
        kept.store(due, Relaxed);
    }
}

/// For handlers of this processor's timer: when it was due.
pub(crate) fn due() -> u64 {
    DUE.get(here()).map_or(0, |due| due.load(Relaxed))
}
