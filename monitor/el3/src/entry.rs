//! The way in (MON-1).
//!
//! ```text
//! boot part ─► tokkyu_monitor ─► translation on ─► worlds::begin
//!              every processor
//! ```

use core::arch::global_asm;

use crate::frame::{OWN_BYTES, STACK_BYTES};
use crate::switch::SCR_LINUX;
use crate::{gic, worlds};

/// What each processor does, on its own stack.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_monitor_begin(index: usize) -> ! {
    gic::begin();
    worlds::begin(index)
}

// The header, which tokkyu-monitor-boot reads (its resident.rs).
global_asm!(
    ".section .header, \"a\"",
    ".ascii \"TOKKYUM1\"",
    ".quad tokkyu_monitor",
    ".quad text_end",
    ".quad rodata_end",
    ".quad file_end",
    ".quad memory_end",
    ".quad tables_begin",
    ".quad tables_end",
    ".quad TOKKYU_MONITOR_HANDOFF",
);

global_asm!(
    ".section .text.entry, \"ax\"",
    ".global tokkyu_monitor",
    "tokkyu_monitor:",
    "msr daifset, #0xf",
    "mrs x19, mpidr_el1",
    "and x19, x19, #0xff",
    "ldr x0, =tokkyu_monitor_vectors",
    "msr vbar_el3, x0",
    // Nothing of Linux's is trapped; secure debugging is off (MDCR_EL3.SDD).
    "msr cptr_el3, xzr",
    "mov x0, #0x10000",
    "msr mdcr_el3, x0",
    "mov x0, #{scr}",
    "msr scr_el3, x0",
    // Tables of the boot part: 39 bits of addresses of 36, cached and shared; attribute 0 a device, 1 memory (DDI 0487, MAIR_EL3, TCR_EL3).
    "ldr x0, =tables_begin",
    "msr ttbr0_el3, x0",
    "mov x0, #0xff00",
    "msr mair_el3, x0",
    "ldr x0, =0x80813519",
    "msr tcr_el3, x0",
    // What the boot part has put into memory is run, here and in the RTOS.
    "tlbi alle3",
    "ic iallu",
    "dsb sy",
    "isb",
    // RES1; translation, data cache, stack alignment, instruction cache, and nothing that can be written is run.
    "ldr x0, =0x30cd183d",
    "msr sctlr_el3, x0",
    "isb",
    "ldr x0, =TOKKYU_MONITOR_OWN",
    "mov x2, #{own}",
    "madd x0, x19, x2, x0",
    "add x0, x0, #{stack}",
    "msr tpidr_el3, x0",
    "msr spsel, #1",
    "mov sp, x0",
    "mov x0, x19",
    "b tokkyu_monitor_begin",
    ".ltorg",
    own = const OWN_BYTES,
    stack = const STACK_BYTES,
    scr = const SCR_LINUX,
);
