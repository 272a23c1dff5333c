//! The counter, in microseconds, and its timer: the virtual one's, or the physical one's and the secure timer (RTA-30, RTA-61).

use core::arch::asm;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use aarch64_cpu::registers::{
    CNTFRQ_EL0, CNTPCT_EL0, CNTV_CTL_EL0, CNTV_CVAL_EL0, CNTVCT_EL0, Readable, Writeable,
};

use crate::secure::SECURE;

/// Microseconds in a tick, of 2^64.
static US_IN_TICK: AtomicU64 = AtomicU64::new(0);
/// Ticks in a microsecond, of 2^32.
static TICKS_IN_US: AtomicU64 = AtomicU64::new(0);

/// Before anybody asks for the time. The counter is faster than 1 MHz everywhere (DDI 0487, D12.1.2: 1 to 1000 MHz).
pub(crate) fn set_up() {
    let ticks_in_second = u128::from(CNTFRQ_EL0.get().max(1_000_001));
    US_IN_TICK.store(((1_000_000u128 << 64) / ticks_in_second) as u64, Relaxed);
    TICKS_IN_US.store(((ticks_in_second << 32).div_ceil(1_000_000)) as u64, Relaxed);
}

/// For each processor: its timer, which interrupts only when it is set.
pub(crate) fn start() {
    set_ticks(u64::MAX);
    if SECURE {
        // SAFETY: CNTPS_CTL_EL1: on, and not masked.
        unsafe { asm!("msr s3_7_c14_c2_1, {}", in(reg) 1_u64, options(nostack)) };
        return;
    }
    CNTV_CTL_EL0.write(CNTV_CTL_EL0::ENABLE::SET + CNTV_CTL_EL0::IMASK::CLEAR);
}

/// In the counter's ticks, now.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    if SECURE { CNTPCT_EL0.get() } else { CNTVCT_EL0.get() }
}

#[inline(always)]
fn set_ticks(ticks: u64) {
    if SECURE {
        // SAFETY: CNTPS_CVAL_EL1.
        unsafe { asm!("msr s3_7_c14_c2_2, {}", in(reg) ticks, options(nostack)) };
    } else {
        CNTV_CVAL_EL0.set(ticks);
    }
}

#[inline]
pub(crate) fn now_us() -> u64 {
    aarch64_cpu::asm::barrier::isb(aarch64_cpu::asm::barrier::SY);
    ((u128::from(ticks()) * u128::from(US_IN_TICK.load(Relaxed))) >> 64) as u64
}

/// Not before this time.
#[inline]
pub(crate) fn set(at_us: Option<u64>) {
    let ticks = at_us.map_or(u64::MAX, |at_us| {
        // A tick more than its beginning: both factors are rounded.
        ((u128::from(at_us) * u128::from(TICKS_IN_US.load(Relaxed))) >> 32) as u64 + 1
    });
    set_ticks(ticks);
}
