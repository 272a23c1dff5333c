//! Counted by the physical counter, of which each instruction takes a tick under instruction counting at 1 GHz.

use core::arch::asm;
use core::fmt::Write;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos_aarch64::Console;

/// The least and the most of it.
struct Length {
    least: AtomicU64,
    most: AtomicU64,
}

impl Length {
    const fn new() -> Length {
        Length { least: AtomicU64::new(u64::MAX), most: AtomicU64::new(0) }
    }

    fn keep(&self, ticks: u64) {
        self.least.fetch_min(ticks, Relaxed);
        self.most.fetch_max(ticks, Relaxed);
    }

    fn begin(&self) {
        self.least.store(u64::MAX, Relaxed);
        self.most.store(0, Relaxed);
    }

    fn tell(&self, name: &str) {
        let _ = writeln!(Console, "length {name} {} {}", self.least.load(Relaxed), self.most.load(Relaxed));
    }
}

/// From when the timer's interrupt was due to the kernel's first function.
static IN: Length = Length::new();
/// The same of a round.
static IN_ROUND: Length = Length::new();
/// From there to where the processor is given back, of a round.
static INSIDE: Length = Length::new();
/// When it came in last, for which of the timer's times, and when it was about to go last.
static CAME: AtomicU64 = AtomicU64::new(0);
static FOR: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);

fn now_and_due() -> (u64, u64) {
    let (now, due): (u64, u64);
    // SAFETY: reads CNTPCT_EL0 and CNTPS_CVAL_EL1.
    unsafe {
        asm!("isb", "mrs {}, cntpct_el0", "mrs {}, s3_7_c14_c2_2", out(reg) now, out(reg) due, options(nomem, nostack))
    };
    (now, due)
}

/// Interrupts are masked. The first time that the timer is found due is when the kernel has come in.
#[inline(always)]
pub(crate) fn masked() {
    let (now, due) = now_and_due();
    if now >= due && FOR.swap(due, Relaxed) != due {
        IN.keep(now - due);
        IN_ROUND.keep(now - due);
        let (came, last) = (CAME.swap(now, Relaxed), LAST.load(Relaxed));
        if came != 0 && last > came {
            INSIDE.keep(last - came);
        }
    }
}

/// The last of these is just before the kernel gives the processor back.
#[inline(always)]
pub(crate) fn unmasked() {
    LAST.store(now_and_due().0, Relaxed);
}

/// Once, unless the machine is reset.
pub(crate) fn begin() {
    let _ = writeln!(Console, "neighbour: begins");
}

/// A round begins. What has come in before it counts not.
pub(crate) fn begin_round() {
    IN_ROUND.begin();
    INSIDE.begin();
    CAME.store(0, Relaxed);
}

/// How late the kernel came in at most in this round.
pub(crate) fn late_most() -> u64 {
    IN_ROUND.most.load(Relaxed)
}

/// After so many times.
pub(crate) fn tell(times: u64) {
    let _ = writeln!(Console, "neighbour: came in {times} times");
    IN.tell("in");
    INSIDE.tell("inside");
}
