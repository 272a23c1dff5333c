//! The first instruction (MON-3).

use core::arch::global_asm;
use core::panic::PanicInfo;

use tokkyu_monitor_machine::heap::Heap;
use tokkyu_monitor_machine::serial;

use crate::stop::stop;
use crate::{gic, header, kept, resident};

#[global_allocator]
static HEAP: Heap = Heap::new();

#[unsafe(no_mangle)]
extern "C" fn tokkyu_boot() -> u64 {
    let brought = kept::bring().and_then(|handoff| {
        let entry = resident::place(&handoff)?;
        gic::set_up(handoff.processors as usize)?;
        Ok(entry)
    });
    match brought {
        Ok(entry) => entry,
        Err(error) => stop(format_args!("{error}")),
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // Not the message: what formats all that one may have is a third of the boot part (MON-5).
    let at = info.location().map_or(("", 0), |location| (location.file(), location.line()));
    stop(format_args!("a fault of its own, {} line {}", at.0, at.1))
}

global_asm!(
    ".section .text.reset, \"ax\"",
    ".global tokkyu_reset",
    "tokkyu_reset:",
    "msr daifset, #0xf",
    "mrs x0, currentel",
    "cmp x0, #12",
    "b.ne 4f",
    "mrs x0, mpidr_el1",
    "and x0, x0, #0xff",
    "cbnz x0, 2f",
    "ldr x0, =bss_begin",
    "ldr x1, =bss_end",
    "1:",
    "cmp x0, x1",
    "b.hs 3f",
    "str xzr, [x0], #8",
    "b 1b",
    // Others wait until the distributor gives interrupts of group 0 out, which it does not after a reset; gic.rs turns it on when all is ready.
    // They give way: an emulator that counts instructions may have given one of them the first turn after a reset.
    "2:",
    "yield",
    "ldr x1, ={distributor}",
    "ldr w0, [x1]",
    "tbz w0, #0, 2b",
    "dsb sy",
    "ldr x0, ={header}",
    "ldr x0, [x0, #8]",
    "br x0",
    "3:",
    "msr spsel, #1",
    "ldr x0, =stack_end",
    "mov sp, x0",
    "bl tokkyu_boot",
    "br x0",
    // Not at exception level 3: there is no secure memory either.
    "4:",
    "adr x0, 7f",
    "ldr x1, ={serial}",
    "5:",
    "ldrb w2, [x0], #1",
    "cbz w2, 6f",
    "str w2, [x1]",
    "b 5b",
    "6:",
    "wfi",
    "b 6b",
    "7:",
    ".asciz \"monitor: the machine does not begin at exception level 3: QEMU's -M virt,secure=on,gic-version=3\\r\\n\"",
    ".balign 4",
    ".ltorg",
    distributor = const gic::DISTRIBUTOR,
    header = const header::PLACE,
    serial = const serial::FIRST.address(),
);
