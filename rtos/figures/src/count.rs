//! Counting, and what was counted.

use core::arch::asm;
use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU64, AtomicUsize};

use tokkyu_rtos::{Error, Result};
use tokkyu_rtos_aarch64::{Console, exit};

/// How often each thing is counted.
pub(crate) const ROUNDS: usize = 16;

/// The virtual counter, the same for all processors. The machine is told to count 1000 MHz, and to take a nanosecond for an
/// instruction: so it counts those of all processors, of which one runs at a time.
#[inline(always)]
pub(crate) fn now() -> u64 {
    let count;
    // SAFETY: reads a counter. As volatile as it is, it is not moved over the calls around it.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) count) };
    count
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
    counts: [AtomicU64; ROUNDS],
    n: AtomicUsize,
}

impl Figure {
    pub(crate) const fn new() -> Figure {
        Figure { counts: [const { AtomicU64::new(0) }; ROUNDS], n: AtomicUsize::new(0) }
    }

    /// From one moment to another.
    pub(crate) fn add(&self, from: u64, to: u64, off: u64) {
        let n = self.n.fetch_add(1, Relaxed);
        if let Some(place) = self.counts.get(n) {
            place.store(to.wrapping_sub(from).saturating_sub(off), Relaxed);
        }
    }

    pub(crate) fn tell(&self, name: &str) {
        let _ = write!(Console, "figure {name}");
        for count in self.counts.iter().take(self.n.load(Relaxed)) {
            let _ = write!(Console, " {}", count.load(Relaxed));
        }
        let _ = writeln!(Console);
    }
}

/// A call that fails ends it all.
pub(crate) fn good(result: Result) {
    if let Err(error) = result {
        bad(error);
    }
}

fn bad(error: Error) -> ! {
    let _ = writeln!(Console, "a call fails: {error:?}");
    exit(1)
}
