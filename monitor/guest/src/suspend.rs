//! A processor waits for an interrupt (MON-24): in standby it goes on behind the call, after a power-down where it said.

use core::arch::{asm, global_asm};
use core::cell::UnsafeCell;

use smccc::psci::PSCI_CPU_SUSPEND_64;
use smccc::psci::error::INVALID_ADDRESS;

use crate::call::{counter, smc};
use crate::{expect, interrupts, say};

/// In a timer's control (DDI 0487, ISTATUS).
const TIMER_IS_DUE: u64 = 1 << 2;
const SOON_TICKS: u64 = 100_000;
const CONTEXT: u64 = 0x746f_6b6b_7975;
/// What a call that does not come back answers.
const ELSEWHERE: i64 = 1;
/// In `SCTLR_EL1`: translation.
const TRANSLATION: u64 = 1 << 0;
/// As `DAIF` and `CurrentEL` have them: all masked, EL1.
const ALL_MASKED: u64 = 0xf << 6;
const LEVEL: u64 = 1 << 2;

pub fn all() {
    standby();
    power_down();
}

fn standby() {
    interrupts::open();
    interrupts::set_timer(SOON_TICKS, false);
    let mut control = 0_u64;
    let mut times = 0;
    // An RTOS that has the processor for a while ends the wait too.
    while control & TIMER_IS_DUE == 0 && times < 1000 {
        expect!("CPU_SUSPEND", smc(PSCI_CPU_SUSPEND_64, [0; 3]), 0);
        // SAFETY: the timer's control; reading it changes nothing.
        unsafe { asm!("mrs {}, cntv_ctl_el0", out(reg) control, options(nostack)) };
        times += 1;
    }
    interrupts::stop_timer();
    expect!("the timer has ended it", (control & TIMER_IS_DUE, times < 20), (TIMER_IS_DUE, true));
    say!("ok suspended until an interrupt");
}

/// Where its stack was, and how it goes on: `x0`, `SCTLR_EL1`, `DAIF`, `CurrentEL`.
#[repr(C)]
struct Resumed {
    stack: u64,
    context: u64,
    control: u64,
    masks: u64,
    level: u64,
}

#[repr(transparent)]
struct Place(UnsafeCell<Resumed>);

// SAFETY: the first processor alone uses it.
unsafe impl Sync for Place {}

#[unsafe(no_mangle)]
static TOKKYU_GUEST_RESUMED: Place =
    Place(UnsafeCell::new(Resumed { stack: 0, context: 0, control: 0, masks: 0, level: 0 }));

unsafe extern "C" {
    /// Calls `CPU_SUSPEND` with nothing masked. Answers as the call does, or `ELSEWHERE` once it goes on at the next one.
    fn tokkyu_guest_power_down(entry: u64, context: u64) -> i64;
    fn tokkyu_guest_resumed();
}

fn power_down() {
    let entry = tokkyu_guest_resumed as *const () as u64;
    // SAFETY: what is on the stack stays; nothing is due before the call.
    let call = |entry| unsafe { tokkyu_guest_power_down(entry, CONTEXT) };
    for wrong in [0x0e00_0000, 0x0e20_0000, entry + 2] {
        translate(true);
        expect!("power-down to nowhere", (wrong, call(wrong)), (wrong, INVALID_ADDRESS.into()));
        expect!("translation stays", control() & TRANSLATION, TRANSLATION);
        translate(false);
    }
    let mut times = 0;
    let due = counter() + SOON_TICKS;
    // As above. A processor that was off has lost its timer and its interrupts' interface.
    while counter() < due && times < 20 {
        interrupts::open();
        interrupts::set_timer(due - counter(), false);
        translate(true);
        expect!("power-down", call(entry), ELSEWHERE);
        // SAFETY: it has been written by now.
        let Resumed { context, control, masks, level, .. } =
            unsafe { TOKKYU_GUEST_RESUMED.0.get().read_volatile() };
        let as_begun = (CONTEXT, 0, ALL_MASKED, LEVEL);
        expect!("as a processor begins", (context, control & TRANSLATION, masks, level), as_begun);
        times += 1;
    }
    interrupts::stop_timer();
    expect!("the timer has ended it", (counter() >= due, times >= 1, times < 20), (true, true, true));
    say!("ok power-down until an interrupt");
}

fn control() -> u64 {
    let control: u64;
    // SAFETY: reading it changes nothing.
    unsafe { asm!("mrs {}, sctlr_el1", out(reg) control, options(nomem, nostack)) };
    control
}

/// A table of 1 GiB each, which gives every address itself: the first has devices.
#[repr(C, align(4096))]
struct Table([u64; 512]);

/// Blocks that have been accessed, of attributes 0 and 1 (DDI 0487, D8.3.2).
const BLOCK: u64 = 1 << 10 | 1 << 0;
static TABLE: Table = Table({
    let mut entries = [0; 512];
    entries[0] = BLOCK;
    entries[1] = 1 << 30 | 1 << 2 | BLOCK;
    entries
});

/// Translation, which changes nothing but that it is on.
fn translate(is_on: bool) {
    // 39 bits of addresses in the lower half, none in the upper; a device, and memory that is not cached.
    let (tables, size, kinds) = (&raw const TABLE as u64, 1_u64 << 32 | 1 << 23 | 25, 0x4400_u64);
    let control = if is_on { control() | TRANSLATION } else { control() & !TRANSLATION };
    // SAFETY: every address that the guest uses stays what it is.
    unsafe {
        asm!("msr ttbr0_el1, {}", "msr tcr_el1, {}", "msr mair_el1, {}", "tlbi vmalle1", "dsb sy", "isb", "msr sctlr_el1, {}", "isb",
             in(reg) tables, in(reg) size, in(reg) kinds, in(reg) control, options(nostack));
    }
}

global_asm!(
    ".section .text, \"ax\"",
    "tokkyu_guest_power_down:",
    "stp x19, x20, [sp, #-96]!",
    "stp x21, x22, [sp, #16]",
    "stp x23, x24, [sp, #32]",
    "stp x25, x26, [sp, #48]",
    "stp x27, x28, [sp, #64]",
    "stp x29, x30, [sp, #80]",
    "ldr x4, =TOKKYU_GUEST_RESUMED",
    "mov x5, sp",
    "str x5, [x4]",
    "mov x3, x1",
    "mov x2, x0",
    "mov x1, #{power_down}",
    "ldr w0, ={suspend}",
    "msr daifclr, #0xf",
    "smc #0",
    "msr daifset, #0xf",
    "b 1f",
    "tokkyu_guest_resumed:",
    "ldr x4, =TOKKYU_GUEST_RESUMED",
    "mrs x1, sctlr_el1",
    "mrs x2, daif",
    "mrs x3, currentel",
    "stp x0, x1, [x4, #8]",
    "stp x2, x3, [x4, #24]",
    "ldr x5, [x4]",
    "mov sp, x5",
    "ldr x5, =tokkyu_guest_vectors",
    "msr vbar_el1, x5",
    "isb",
    "mov x0, #{elsewhere}",
    "1:",
    "ldp x21, x22, [sp, #16]",
    "ldp x23, x24, [sp, #32]",
    "ldp x25, x26, [sp, #48]",
    "ldp x27, x28, [sp, #64]",
    "ldp x29, x30, [sp, #80]",
    "ldp x19, x20, [sp], #96",
    "ret",
    ".ltorg",
    power_down = const 1 << 16,
    suspend = const PSCI_CPU_SUSPEND_64,
    elsewhere = const ELSEWHERE,
);
