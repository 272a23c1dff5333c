//! Counting, and what was counted.

use core::arch::asm;
use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU64, AtomicUsize};

use tokkyu_rtos::{Error, Result};
use tokkyu_rtos_aarch64::{Console, exit};

use crate::kind::{FLOATS, MASKED, PREFIX};

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

/// Uses a floating-point register, where tasks do.
#[inline(always)]
pub(crate) fn touch() {
    if FLOATS {
        // SAFETY: the register is the task's, and nothing else here uses one.
        unsafe { asm!(".arch_extension fp", "fmov d0, xzr", options(nomem, nostack, preserves_flags)) };
    }
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

    /// From one moment to another; how long interrupts were masked, if it is that which is counted.
    pub(crate) fn add(&self, from: u64, to: u64, off: u64) {
        if MASKED {
            self.put(LONGEST.load(Relaxed).saturating_sub(OFF.load(Relaxed)));
        } else {
            self.put(to.wrapping_sub(from).saturating_sub(off));
        }
    }

    /// A count.
    pub(crate) fn put(&self, count: u64) {
        let n = self.n.fetch_add(1, Relaxed);
        if let Some(place) = self.counts.get(n) {
            place.store(count, Relaxed);
        }
    }

    /// What was added.
    pub(crate) fn tell(&self, name: &str) {
        let _ = write!(Console, "figure {PREFIX}{name}");
        self.tell_counts();
    }

    /// What was put.
    pub(crate) fn tell_put(&self, name: &str) {
        let _ = write!(Console, "figure {name}");
        self.tell_counts();
    }

    fn tell_counts(&self) {
        for count in self.counts.iter().take(self.n.load(Relaxed)) {
            let _ = write!(Console, " {}", count.load(Relaxed));
        }
        let _ = writeln!(Console);
    }
}

/// When each processor's interrupts were masked; 0: they are not.
static BEGAN: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// How long they were masked at once.
static LONGEST: AtomicU64 = AtomicU64::new(0);
/// What counting that takes.
static OFF: AtomicU64 = AtomicU64::new(0);
/// Waits for a lock of the kernel's.
pub(crate) static LOCK_WAITS: AtomicU64 = AtomicU64::new(0);

fn here() -> &'static AtomicU64 {
    let index: usize;
    // SAFETY: reads a register, whose lowest bits are the processor's number.
    unsafe { asm!("mrs {}, mpidr_el1", out(reg) index, options(nomem, nostack, preserves_flags)) };
    &BEGAN[index & 1]
}

#[inline(always)]
pub(crate) fn masked() {
    let began = here();
    if began.load(Relaxed) == 0 {
        began.store(now(), Relaxed);
    }
}

#[inline(always)]
pub(crate) fn unmasked() {
    let (to, began) = (now(), here());
    let from = began.load(Relaxed);
    if from != 0 {
        LONGEST.fetch_max(to - from, Relaxed);
        began.store(0, Relaxed);
    }
}

/// Somebody waits for a lock.
#[cold]
#[inline(never)]
pub(crate) fn waited() {
    LOCK_WAITS.fetch_add(1, Relaxed);
}

/// A round begins.
#[inline(always)]
pub(crate) fn begin() {
    if MASKED {
        LONGEST.store(0, Relaxed);
    }
}

/// Finds out what counting takes: `nothing` masks and unmasks.
pub(crate) fn calibrate(nothing: impl Fn()) {
    LONGEST.store(0, Relaxed);
    nothing();
    OFF.store(LONGEST.load(Relaxed), Relaxed);
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
