//! Processors that go off while an interrupt of Linux's is on its way to them, the first one too.
//!
//! ```text
//! processor 1  leaves ─► off          takes it       on: leads ─► CPU_ON of 0 ───────────────► SYSTEM_RESET
//! processor 0  raises it ─► CPU_ON ─► ...        off, raised ──────► takes it ─► off
//! ```

use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};

use smccc::psci::PSCI_CPU_OFF;

use crate::call::{counter, smc};
use crate::interrupts::{OF_NO_DEVICE, open, raise, route, take as take_one};
use crate::power::{
    IS_OFF, LEAD, LEAVE_AN_INTERRUPT, TAKE_AN_INTERRUPT, affinity_info, begin_anew, on, until,
};
use crate::processor::{begin, here};
use crate::rtos::{self, Watch};
use crate::{expect, say};

/// What a processor is off at least: an RTOS comes in on it many times.
const OFF_TICKS: u64 = 2_000_000;

static HAS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Does not come back: the last of this is a reset.
pub fn all() {
    delivered();
    rerouted();
    expect!("CPU_ON", on(1, begin(), LEAD), 0);
    leave();
}

/// Interrupts come here, and are masked; then it goes off.
pub fn leave() {
    open();
    route(here() as u64);
    off();
}

fn off() {
    let answer = smc(PSCI_CPU_OFF, [0; 3]);
    expect!("CPU_OFF does not return", answer, 0);
}

/// A processor that is on again has the interrupt that came meanwhile; then it goes off.
pub fn take() {
    open();
    until("the interrupt is delivered", || take_one() == Some(OF_NO_DEVICE));
    HAS_TAKEN.store(true, Release);
    off();
}

/// Raises the interrupt for one that is off, and waits.
fn raise_for(off: u64) {
    until("it is off", || affinity_info(off) == IS_OFF);
    raise();
    let end = counter() + OFF_TICKS;
    until("time passes", || counter() >= end);
    expect!("it is off still", affinity_info(off), IS_OFF);
    expect!("nobody has taken it", HAS_TAKEN.load(Acquire), false);
}

/// It takes the interrupt once it is on.
fn take_back(of: u64) {
    expect!("CPU_ON", on(of, begin(), TAKE_AN_INTERRUPT), 0);
    until("it takes the interrupt", || HAS_TAKEN.swap(false, Acquire));
    until("it is off again", || affinity_info(of) == IS_OFF);
}

fn delivered() {
    expect!("CPU_ON", on(1, begin(), LEAVE_AN_INTERRUPT), 0);
    raise_for(1);
    take_back(1);
    say!("ok an interrupt waits for a processor that is off");
}

fn rerouted() {
    expect!("CPU_ON", on(1, begin(), LEAVE_AN_INTERRUPT), 0);
    raise_for(1);
    open();
    route(0);
    until("it goes elsewhere", || take_one() == Some(OF_NO_DEVICE));
    say!("ok an interrupt of one that is off goes elsewhere");
}

/// On processor 1, while the first is off, with an interrupt of Linux's that is for it. An RTOS comes in there as ever.
pub fn lead() {
    rtos::begin_round(false);
    until("the first is off", || affinity_info(0) == IS_OFF);
    let watch = Watch::begin();
    raise_for(0);
    let (activations, is_all) = watch.end();
    if rtos::is_beside() {
        expect!("none of the RTOS's activations is missed", (activations, is_all), (activations, true));
        say!("length off {activations} {}", rtos::late_most());
    }
    take_back(0);
    say!("ok the first processor goes off and comes back");
    begin_anew();
}
