//! What an RTOS that takes the processor must leave as it was (MON-54, MON-55), and how long it has it.

use core::arch::{asm, global_asm};

use smccc::arch::SMCCC_ARCH_FEATURES;

use crate::call::{counter, smc};
use crate::processor::{SHARED, here};
use crate::{expect, rtos, say};

/// Stolen time (DEN 0057).
const PV_TIME_FEATURES: u32 = 0xc500_0020;
const PV_TIME_ST: u32 = 0xc500_0021;
/// Of each time somebody else had the processor, instructions that are not told.
const UNTOLD: u64 = 100;

/// Long enough for an RTOS to come in a few times.
const TICKS: u64 = 300_000;
/// What a turn of the loop that looks for gaps never takes.
const GAP: u64 = 30;
const GAPS: usize = 64;
const LOOK_TICKS: u64 = 10_000_000;

unsafe extern "C" {
    /// Puts a word into each of `x3` to `x30` and into all of `q0` to `q31`, spins until the counter says `until`, and writes them down.
    fn tokkyu_guest_spin(into: *mut Words, until: u64);
    /// Writes down that many gaps between two reads of the counter, or as many as there are by then.
    fn tokkyu_guest_gaps(into: *mut u64, most: usize, until: u64) -> usize;
}

/// `x3` to `x30`, then the floating-point registers.
#[repr(C)]
struct Words {
    general: [u64; 28],
    floats: [[u64; 2]; 32],
}

/// System registers that both systems use, and words that do no harm in them while translation is off and no exception comes.
macro_rules! system_registers {
    ($what:ident) => {
        $what! {
            "sp_el0" 0x1110, "tpidr_el0" 0x2220, "tpidrro_el0" 0x3330, "tpidr_el1" 0x4440, "elr_el1" 0x5550, "spsr_el1" 0x305,
            "esr_el1" 0x5600_0001, "far_el1" 0x7770, "ttbr0_el1" 0x4100_0000, "ttbr1_el1" 0x4200_0000, "mair_el1" 0x44ff,
            "tcr_el1" 0x8080_3510, "contextidr_el1" 0x8888, "cntkctl_el1" 0x3, "cpacr_el1" 0x30_0000, "s3_0_c4_c6_0" 0xa0
        }
    };
}

macro_rules! write {
    ($($name:literal $word:literal),+) => {
        // SAFETY: as `system_registers`; nothing of the guest is kept in them.
        $(unsafe { asm!(concat!("msr ", $name, ", {}"), in(reg) $word as u64, options(nostack)) };)+
    };
}

macro_rules! look {
    ($($name:literal $word:literal),+) => {
        $({
            let word: u64;
            // SAFETY: reading it changes nothing.
            unsafe { asm!(concat!("mrs {}, ", $name), out(reg) word, options(nomem, nostack)) };
            expect!(concat!("kept ", $name), word, $word);
        })+
    };
}

/// All is as it was.
pub fn kept() {
    let mut words = Words { general: [0; 28], floats: [[0; 2]; 32] };
    system_registers!(write);
    // SAFETY: floating-point registers are not trapped (CPACR_EL1), and nobody else here uses them.
    unsafe {
        asm!("isb", options(nostack));
        tokkyu_guest_spin(&mut words, counter() + TICKS);
    }
    system_registers!(look);
    for (number, word) in (3_u64..).zip(words.general) {
        expect!("kept x", (number, word), (number, number * 0x101));
    }
    for (number, word) in (1_u64..).zip(words.floats) {
        let byte = number * 0x0101_0101_0101_0101;
        expect!("kept q", (number - 1, word), (number - 1, [byte; 2]));
    }
    say!("ok everything is kept");
}

/// How long somebody else had the processor, each time; all in all it is what the monitor says was stolen.
pub fn lengths() {
    // What it counts inside is of this alone then.
    rtos::begin_round(false);
    let mut gaps = [0; GAPS];
    let (before, end) = (stolen_ns(0), counter() + LOOK_TICKS);
    // SAFETY: it writes no more than there is room for.
    let count = unsafe { tokkyu_guest_gaps(gaps.as_mut_ptr(), GAPS, end) };
    let stolen = stolen_ns(0) - before;
    // The RTOS tells of its side later than this.
    while counter() < end {}
    let found = &gaps[..count.min(GAPS)];
    if let (Some(least), Some(most)) = (found.iter().min(), found.iter().max()) {
        say!("length away {least} {most}");
    }
    let seen: u64 = found.iter().sum();
    // The way in before the counter is read, the way out behind it, a turn of the loop: nanoseconds are instructions here.
    let missing = seen.wrapping_sub(stolen);
    expect!(
        "time stolen, of what was seen",
        (seen, stolen, missing <= found.len() as u64 * UNTOLD),
        (seen, stolen, true)
    );
    say!("ok stolen time is told");
}

/// Nanoseconds that were stolen from a processor, as the monitor says (DEN 0057, section 3.2).
fn stolen_ns(processor: usize) -> u64 {
    let structure = SHARED + processor * 64;
    // SAFETY: memory that both systems have, which the monitor writes alone.
    unsafe { ((structure + 8) as *const u64).read_volatile() }
}

/// This processor's structure of stolen time is where it should be, and is one.
pub fn told() {
    let at = smc(PV_TIME_ST, [0; 3]);
    expect!("PV_TIME_ST", at, (SHARED + here() * 64) as i64);
    // SAFETY: as above.
    let head = unsafe { ((SHARED + here() * 64) as *const u64).read_volatile() };
    expect!("revision and attributes", head, 0);
    for (asked, answer) in [(PV_TIME_FEATURES, 0), (PV_TIME_ST, 0), (PV_TIME_ST + 1, -1)] {
        expect!("PV_TIME_FEATURES", smc(PV_TIME_FEATURES, [asked.into(), 0, 0]), answer);
    }
    expect!("SMCCC_ARCH_FEATURES", smc(SMCCC_ARCH_FEATURES, [PV_TIME_FEATURES.into(), 0, 0]), 0);
}

global_asm!(
    ".section .text, \"ax\"",
    ".arch_extension fp",
    ".arch_extension simd",
    "tokkyu_guest_spin:",
    "stp x19, x20, [sp, #-96]!",
    "stp x21, x22, [sp, #16]",
    "stp x23, x24, [sp, #32]",
    "stp x25, x26, [sp, #48]",
    "stp x27, x28, [sp, #64]",
    "stp x29, x30, [sp, #80]",
    ".irp number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
    "mov x\\number, #(\\number * 0x101)",
    ".endr",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "movi v\\number\\().16b, #(\\number + 1)",
    ".endr",
    "1:",
    "mrs x2, cntvct_el0",
    "cmp x2, x1",
    "b.lo 1b",
    ".irp number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
    "str x\\number, [x0], #8",
    ".endr",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "str q\\number, [x0], #16",
    ".endr",
    "ldp x21, x22, [sp, #16]",
    "ldp x23, x24, [sp, #32]",
    "ldp x25, x26, [sp, #48]",
    "ldp x27, x28, [sp, #64]",
    "ldp x29, x30, [sp, #80]",
    "ldp x19, x20, [sp], #96",
    "ret",
    // x0: into, x1: most, x2: until. Answers how many.
    "tokkyu_guest_gaps:",
    "mov x7, x0",
    "mov x0, #0",
    "mrs x3, cntvct_el0",
    "1:",
    "mov x4, x3",
    "mrs x3, cntvct_el0",
    "sub x5, x3, x4",
    "cmp x5, #{gap}",
    "b.hs 2f",
    "cmp x3, x2",
    "b.lo 1b",
    "ret",
    "2:",
    "str x5, [x7], #8",
    "add x0, x0, #1",
    "cmp x0, x1",
    "b.lo 1b",
    "ret",
    gap = const GAP,
);
