//! Nothing stays as it was.

use core::arch::{asm, global_asm};

unsafe extern "C" {
    /// Changes all of them.
    safe fn tokkyu_neighbour_floats();
}

/// Every floating-point register gets another word.
pub(crate) fn floats() {
    tokkyu_neighbour_floats();
}

/// Every other register that a task may change.
pub(crate) fn general() {
    // SAFETY: what a task may change, and registers that tell of exceptions, of which there is none.
    unsafe {
        asm!(
            ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25, 26, 27, 28",
            "mov x\\number, #0x5eed",
            ".endr",
            "msr esr_el1, x0",
            "msr far_el1, x0",
            clobber_abi("C"),
            out("x20") _, out("x21") _, out("x22") _, out("x23") _, out("x24") _, out("x25") _, out("x26") _, out("x27") _, out("x28") _,
            options(nostack)
        );
    }
}

global_asm!(
    ".section .text, \"ax\"",
    ".arch_extension fp",
    ".arch_extension simd",
    "tokkyu_neighbour_floats:",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "movi v\\number\\().16b, #0x5e",
    ".endr",
    "msr fpsr, xzr",
    "mov x0, #0x1000000",
    "msr fpcr, x0",
    "ret",
);
