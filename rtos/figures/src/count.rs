//! Counting, and what was counted.

use core::arch::asm;
use core::fmt::Write;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos_aarch64::Console;

/// Has this processor count its cycles.
pub(crate) fn start() {
    // SAFETY: PMCR_EL0: enabled, all 64 bits; PMCNTENSET_EL0: the cycle counter. Nobody else uses them.
    unsafe {
        asm!("msr pmcr_el0, {}", in(reg) 0x41u64);
        asm!("msr pmcntenset_el0, {}", in(reg) 1u64 << 31);
    }
}

/// Cycles of this processor.
#[inline(always)]
pub(crate) fn now() -> u64 {
    let cycles;
    // SAFETY: reads a counter. As volatile as it is, it is not moved over the calls around it.
    unsafe { asm!("mrs {}, pmccntr_el0", out(reg) cycles) };
    cycles
}

/// A moment.
pub(crate) struct Mark(AtomicU64);

impl Mark {
    pub(crate) const fn new() -> Mark {
        Mark(AtomicU64::new(0))
    }

    #[inline(always)]
    pub(crate) fn set(&self) {
        self.0.store(now(), Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// What was counted of one thing.
pub(crate) struct Figure {
    n: AtomicU64,
    min: AtomicU64,
    max: AtomicU64,
    sum: AtomicU64,
}

impl Figure {
    pub(crate) const fn new() -> Figure {
        Figure {
            n: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    /// From one moment to another.
    pub(crate) fn add(&self, from: u64, to: u64, off: u64) {
        let count = to.wrapping_sub(from).saturating_sub(off);
        self.n.fetch_add(1, Relaxed);
        self.min.fetch_min(count, Relaxed);
        self.max.fetch_max(count, Relaxed);
        self.sum.fetch_add(count, Relaxed);
    }

    pub(crate) fn tell(&self, name: &str) {
        let [n, min, max, sum] = [&self.n, &self.min, &self.max, &self.sum].map(|value| value.load(Relaxed));
        let _ = writeln!(Console, "figure {name} {n} {min} {max} {sum}");
    }
}
