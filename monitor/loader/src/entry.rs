//! The first instruction, and the last: Linux's first.

use core::arch::global_asm;
use core::fmt::Write;
use core::panic::PanicInfo;

use smccc::Smc;
use smccc::psci::system_off;
use tokkyu_monitor_machine::heap::Heap;
use tokkyu_monitor_machine::serial;

use crate::{clean, linux};

#[global_allocator]
static HEAP: Heap = Heap::new();

/// Where Linux begins, and its device tree.
#[repr(C)]
struct Begin {
    entry: u64,
    tree: u64,
}

#[unsafe(no_mangle)]
extern "C" fn tokkyu_load() -> Begin {
    clean::all();
    match linux::bring() {
        Ok((entry, tree)) => Begin { entry, tree },
        Err(error) => stop(format_args!("{error}")),
    }
}

fn stop(words: core::fmt::Arguments<'_>) -> ! {
    let mut line = serial::FIRST;
    let _ = write!(line, "monitor: {words}\r\n");
    let _ = system_off::<Smc>();
    loop {
        // SAFETY: it waits.
        unsafe { core::arch::asm!("wfi", options(nomem, nostack)) };
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    stop(format_args!("a fault of the loader's: {info}"))
}

// The header, which the boot part reads (its kept.rs), then the way in and out.
global_asm!(
    ".section .text.header, \"ax\"",
    ".global tokkyu_loader",
    "tokkyu_loader:",
    "b 1f",
    ".word 0",
    ".ascii \"TOKKYUL1\"",
    ".quad file_bytes",
    "1:",
    "ldr x0, =bss_begin",
    "ldr x1, =bss_end",
    "2:",
    "cmp x0, x1",
    "b.hs 3f",
    "str xzr, [x0], #8",
    "b 2b",
    "3:",
    "msr spsel, #1",
    "ldr x0, =stack_end",
    "mov sp, x0",
    "bl tokkyu_load",
    "mov x16, x0",
    "mov x0, x1",
    "mov x1, xzr",
    "mov x2, xzr",
    "mov x3, xzr",
    "ic iallu",
    "dsb sy",
    "isb",
    "br x16",
    ".ltorg",
);
