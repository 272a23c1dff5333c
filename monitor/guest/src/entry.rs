//! The first instruction, and exceptions.

use core::arch::global_asm;
use core::panic::PanicInfo;
use core::sync::atomic::Ordering::Relaxed;

use crate::processor::ABORT;
use crate::{call, cases, interrupts, say};

/// An exception at EL1: an abort of an access is noted and passed over.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_guest_exception(syndrome: u64, place: u64) {
    if syndrome >> 26 != 0x25 {
        say!("FAILED an exception, syndrome {syndrome:#x}, at {place:#x}");
        call::off();
    }
    ABORT.store(syndrome, Relaxed);
}

/// An interrupt.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_guest_interrupt() {
    interrupts::on_interrupt();
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    say!("FAILED {info}");
    call::off()
}

#[unsafe(no_mangle)]
extern "C" fn tokkyu_guest_first(tree: u64, rest: u64) -> ! {
    cases::all(tree, rest)
}

#[unsafe(no_mangle)]
extern "C" fn tokkyu_guest_other(context: u64) -> ! {
    cases::other(context)
}

global_asm!(
    ".section .text.header, \"ax\"",
    ".global tokkyu_guest",
    "tokkyu_guest:",
    "b tokkyu_guest_start",
    ".word 0",
    ".quad 0",
    ".quad image_bytes",
    ".quad 0xa",
    ".quad 0, 0, 0",
    ".ascii \"ARM\\x64\"",
    ".word 0",
    ".section .text.entry, \"ax\"",
    // As it comes: x0 the device tree; x1 to x3 are to be zero.
    "tokkyu_guest_start:",
    "orr x20, x1, x2",
    "orr x20, x20, x3",
    "mov x19, x0",
    "ldr x1, =bss_begin",
    "ldr x2, =bss_end",
    "1:",
    "cmp x1, x2",
    "b.hs 2f",
    "str xzr, [x1], #8",
    "b 1b",
    "2:",
    "bl tokkyu_guest_stand",
    "mov x0, x19",
    "mov x1, x20",
    "b tokkyu_guest_first",
    ".global tokkyu_guest_begin",
    "tokkyu_guest_begin:",
    "mov x19, x0",
    "bl tokkyu_guest_stand",
    "mov x0, x19",
    "b tokkyu_guest_other",
    "tokkyu_guest_stand:",
    "ldr x1, =tokkyu_guest_vectors",
    "msr vbar_el1, x1",
    "mrs x1, mpidr_el1",
    "and x1, x1, #0xff",
    "ldr x2, =stacks_end",
    "sub x2, x2, x1, lsl #14",
    "msr spsel, #1",
    "mov sp, x2",
    "isb",
    "ret",
    ".ltorg",
    ".section .text.vectors, \"ax\"",
    ".balign 2048",
    ".macro general what",
    "\\what x2, x3, [sp, #16]",
    "\\what x4, x5, [sp, #32]",
    "\\what x6, x7, [sp, #48]",
    "\\what x8, x9, [sp, #64]",
    "\\what x10, x11, [sp, #80]",
    "\\what x12, x13, [sp, #96]",
    "\\what x14, x15, [sp, #112]",
    "\\what x16, x17, [sp, #128]",
    "\\what x18, x30, [sp, #144]",
    ".endm",
    ".macro vector to",
    ".balign 128",
    "sub sp, sp, #192",
    "stp x0, x1, [sp]",
    "b \\to",
    ".endm",
    // The sixth is an interrupt (IRQ) of this level on its own stack.
    "tokkyu_guest_vectors:",
    ".rept 5",
    "vector 3f",
    ".endr",
    "vector 4f",
    ".rept 10",
    "vector 3f",
    ".endr",
    ".balign 128",
    "3:",
    "general stp",
    "mrs x0, esr_el1",
    "mrs x1, elr_el1",
    "bl tokkyu_guest_exception",
    "mrs x0, elr_el1",
    "add x0, x0, #4",
    "msr elr_el1, x0",
    "b 5f",
    "4:",
    "general stp",
    "bl tokkyu_guest_interrupt",
    "5:",
    "general ldp",
    "ldp x0, x1, [sp], #192",
    "eret",
);
