//! Processors on and off, the machine anew, and waiting for either.

use core::arch::asm;

use smccc::psci::{PSCI_AFFINITY_INFO_64, PSCI_CPU_ON_64};

use crate::call::{counter, off, reset, smc};
use crate::say;

pub const IS_ON: i64 = 0;
pub const IS_OFF: i64 = 1;
/// Contexts: what another processor does (cases.rs).
pub const COUNT_AND_GO: u64 = 1;
pub const WAIT_FOR_RACE: u64 = 2;
pub const WAIT_FOR_KICK: u64 = 3;
pub const CALL_WITHOUT_END: u64 = 4;
pub const LEAVE_AN_INTERRUPT: u64 = 5;
pub const TAKE_AN_INTERRUPT: u64 = 6;
pub const LEAD: u64 = 7;
/// Memory that the guest does not use, which a reset leaves as it is.
const MARK: *mut u64 = 0x4100_0000 as *mut u64;
const MARKED: u64 = 0x746f_6b6b_7975;

/// Once: the guest that begins then finds the mark.
pub fn begin_anew() -> ! {
    // SAFETY: memory that nobody else uses.
    unsafe { MARK.write_volatile(MARKED) };
    reset()
}

/// Whether this is that guest; asked again it is not.
pub fn has_begun_anew() -> bool {
    // SAFETY: memory that nobody else uses.
    let mark = unsafe { MARK.read_volatile() };
    // SAFETY: as before.
    unsafe { MARK.write_volatile(0) };
    mark == MARKED
}

pub fn affinity_info(of: u64) -> i64 {
    smc(PSCI_AFFINITY_INFO_64, [of, 0, 0])
}

pub fn on(of: u64, entry: u64, context: u64) -> i64 {
    smc(PSCI_CPU_ON_64, [of, entry, context])
}

/// Until it is so.
pub fn until(what: &str, is: impl Fn() -> bool) {
    let end = counter() + 2_000_000_000;
    while !is() {
        if counter() > end {
            say!("FAILED {what}: it never comes");
            off();
        }
        // So that others get their turn under instruction counting.
        // SAFETY: it gives way.
        unsafe { asm!("yield", options(nomem, nostack)) };
    }
}
