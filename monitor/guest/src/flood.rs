//! Calls and interrupts without end: an RTOS beside misses nothing, and comes in as late as else.

use core::cell::UnsafeCell;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};

use smccc::psci::error::{ALREADY_ON, NOT_SUPPORTED};
use smccc::psci::{PSCI_CPU_ON_64, PSCI_VERSION};

use crate::call::{
    PV_SCHED_FEATURES, PV_SCHED_IPA_INIT, PV_SCHED_IPA_RELEASE, PV_SCHED_KICK_CPU, counter, smc,
};
use crate::power::{CALL_WITHOUT_END, IS_OFF, IS_ON, affinity_info, on, until};
use crate::processor::{begin, here};
use crate::rtos::{self, Watch};
use crate::{expect, interrupts, say};

const FLOOD_TICKS: u64 = 10_000_000;
/// A few microseconds; what comes in takes less.
const TIMER_TICKS: u64 = 3_000;
/// Of interrupts, so many come at least: one of each turn, and the timer's.
const INTERRUPTS_LEAST: u64 = FLOOD_TICKS / TIMER_TICKS / 2;

static IS_OVER: AtomicBool = AtomicBool::new(false);

/// As PV_SCHED_IPA_INIT wants it.
#[repr(align(64))]
struct WhoHas(UnsafeCell<[u64; 8]>);

// SAFETY: the monitor writes, nobody reads.
unsafe impl Sync for WhoHas {}

static WHO_HAS: WhoHas = WhoHas(UnsafeCell::new([0; 8]));

/// Calls that are known and that are not, that change something of this processor and that do not; it is on itself.
fn call() {
    let own = here() as u64;
    let (look, not) = (WHO_HAS.0.get() as u64, NOT_SUPPORTED.into());
    for (function, arguments, answer) in [
        (PSCI_VERSION, [0; 3], 0x1_0001),
        (0xc300_1234, [!0; 3], not),
        (PV_SCHED_FEATURES, [PV_SCHED_KICK_CPU.into(), 0, 0], 0),
        (PV_SCHED_IPA_INIT, [look, 0, 0], 0),
        (PV_SCHED_IPA_INIT, [0x0e00_0000, 0, 0], not),
        (PV_SCHED_KICK_CPU, [own, 0, 0], 0),
        (PV_SCHED_IPA_RELEASE, [0; 3], 0),
        (PSCI_CPU_ON_64, [own, begin(), 0], ALREADY_ON.into()),
    ] {
        expect!("a call of many", (function, smc(function, arguments)), (function, answer));
    }
}

/// What another processor does.
pub fn call_until_told() {
    while !IS_OVER.load(Acquire) {
        call();
        give_way();
    }
}

/// So that others get their turn under instruction counting.
fn give_way() {
    // SAFETY: it gives way.
    unsafe { core::arch::asm!("yield", options(nomem, nostack)) };
}

/// One processor is interrupted all the time, and another calls; where there is only one it does both.
pub fn all(processors: usize) {
    rtos::begin_round(false);
    if processors > 1 {
        expect!("CPU_ON", on(1, begin(), CALL_WITHOUT_END), 0);
        until("it is on", || affinity_info(1) == IS_ON);
    }
    let watch = Watch::begin();
    let interrupted = interrupted(processors == 1);
    let (activations, is_all) = watch.end();
    IS_OVER.store(true, Release);
    if processors > 1 {
        until("it is off again", || affinity_info(1) == IS_OFF);
    }
    expect!("interrupts of its own", (interrupted, interrupted >= INTERRUPTS_LEAST), (interrupted, true));
    if rtos::is_beside() {
        expect!("none of the RTOS's activations is missed", (activations, is_all), (activations, true));
        say!("length flooded {activations} {}", rtos::late_most());
    }
    say!("ok floods of calls and interrupts");
}

/// How many interrupts came.
fn interrupted(calls_too: bool) -> u64 {
    let before = interrupts::taken();
    interrupts::open();
    interrupts::set_timer(TIMER_TICKS, true);
    interrupts::mask(false);
    let end = counter() + FLOOD_TICKS;
    while counter() < end {
        interrupts::send();
        if calls_too {
            call();
        }
        give_way();
    }
    interrupts::mask(true);
    interrupts::stop_timer();
    interrupts::taken() - before
}
