//! Counting, and what was counted.

use alloc::vec::Vec;
use core::arch::asm;
use core::fmt::Write;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos_aarch64::Console;

/// The virtual counter, the same for all processors.
#[inline(always)]
pub(crate) fn now() -> u64 {
    let count;
    // SAFETY: reads a counter. As volatile as it is, it is not moved over the calls around it.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) count) };
    count
}

/// A moment that another task looks at.
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

/// What reading the counter twice costs.
pub(crate) fn overhead() -> u64 {
    let once = || {
        let from = now();
        now() - from
    };
    (0..16).map(|_| once()).min().unwrap_or(0)
}

/// What was counted of one thing.
pub(crate) struct Figure {
    counts: Vec<u64>,
    overhead: u64,
}

impl Figure {
    pub(crate) fn new(rounds: usize) -> Figure {
        Figure { counts: Vec::with_capacity(rounds), overhead: overhead() }
    }

    /// From one moment to another.
    pub(crate) fn add(&mut self, from: u64, to: u64) {
        self.counts.push(to.wrapping_sub(from).saturating_sub(self.overhead));
    }

    pub(crate) fn tell(&self, name: &str, bytes: usize) {
        let _ = write!(Console, "figure {name}-{bytes}");
        for count in &self.counts {
            let _ = write!(Console, " {count}");
        }
        let _ = writeln!(Console);
    }
}
