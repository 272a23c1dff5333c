//! From the first instruction to tasks (RTA-1, RTA-2).
//!
//! ```text
//! first processor   tokkyu_entry ─► EL1 ─► translation ─► first: tables, interrupts, clock, kernel ─► others on ─► start
//! each other        tokkyu_other ─────────► translation ─► joined: its interrupts and clock ─► waits ────────────► start
//! ```

use core::arch::global_asm;
use core::iter;
use core::sync::atomic::Ordering::{Acquire, Release};
use core::sync::atomic::{AtomicBool, AtomicUsize};

use tokkyu_rtos::Kernel;

use crate::board::{Board, Programs};
use crate::memory::Beside;
use crate::stack::{ABOVE_STACK, HANDLER_STACK, handler_stacks};
use crate::{budget, clock, exit, gic, here, linux, memory, secure, trace};

/// Of the tables, for those that come later.
static ROOT: AtomicUsize = AtomicUsize::new(0);
/// How many processors are ready.
static READY: AtomicUsize = AtomicUsize::new(0);
static GO: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn tokkyu_other();
}

/// What the first processor does, on its own stack.
pub fn first<P: Programs>(kernel: &'static Kernel<Board<P>>) -> ! {
    let processors = kernel.objects().processors.len();
    if kernel.port.give_stacks().is_none() {
        exit::refuse("a task has no stack: as many as tasks, in their order");
    }
    if processors > handler_stacks().len() {
        exit::refuse("more processors than stacks for their handlers: as many as system! says");
    }
    let root = map(kernel);
    memory::enter(root);
    ROOT.store(root, Release);
    clock::set_up();
    if P::TRACED {
        trace::begin();
    }
    if gic::set_up(processors, kernel.port.lines()).is_none() {
        exit::refuse(
            "the interrupt controller cannot be set up: GICv3, lines that it has, not too many priorities?",
        );
    }
    join(0, processors);
    for index in 1..processors {
        // Its own stack pointers come from its number, which it is told.
        if exit::switch_on(index, tokkyu_other as *const () as usize, index).is_err() {
            exit::refuse("a processor does not come up: does the machine have as many as the system?");
        }
        while READY.load(Acquire) <= index {
            here::give_way();
        }
    }
    // In a context that has no task: the first processor's own.
    here::stand_for(&kernel.objects().processors[0]);
    kernel.prepare();
    if budget::start(kernel).is_none() {
        exit::refuse("the kernel does not take the budgets that the monitor has");
    }
    GO.store(true, Release);
    crate::board::start(kernel)
}

fn map<P: Programs>(kernel: &'static Kernel<Board<P>>) -> usize {
    let own = handler_stacks().iter().map(|stack| stack.range().guard());
    let data = kernel.port.programs().memory();
    let guards = kernel.port.guards().chain(own);
    let root = if P::SEES_LINUX {
        let Some((shared, mut linux)) = linux::ask() else {
            exit::refuse("Linux's memory is not to be seen: an image beside Linux sees 64 GiB")
        };
        memory::make(Beside { data, shared: Some(shared), linux: &mut linux }, guards)
    } else {
        memory::make(Beside { data, shared: None, linux: &mut iter::empty() }, guards)
    };
    root.unwrap_or_else(|_| exit::refuse("the image cannot be mapped"))
}

/// What each other does, on its own stack, before `tokkyu_start`.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_joined(index: usize) {
    memory::enter(ROOT.load(Acquire));
    join(index, index + 1);
    while !GO.load(Acquire) {
        here::give_way();
    }
}

fn join(index: usize, processors: usize) {
    if gic::start(index, processors).is_none() {
        exit::refuse("a processor's interrupt controller cannot be set up");
    }
    clock::start();
    secure::begin();
    READY.store(index + 1, Release);
}

global_asm!(
    ".section .text.entry, \"ax\"",
    ".global tokkyu_entry",
    "tokkyu_entry:",
    "msr daifset, #0xf",
    "mrs x0, currentel",
    "cmp x0, #8",
    "b.ne 2f",
    // From EL2: nothing is kept from EL1, which is AArch64; the counter is as it is, the interrupt controller by system registers.
    "mov x0, #0x80000000",
    "msr hcr_el2, x0",
    "mov x0, #3",
    "msr cnthctl_el2, x0",
    "msr cntvoff_el2, xzr",
    "mov x0, #0x33ff",
    "msr cptr_el2, x0",
    "mov x0, #0xf",
    "msr s3_4_c12_c9_5, x0", // ICC_SRE_EL2
    "mov x0, #0x3c5",        // EL1 with SP_EL1, all masked
    "msr spsr_el2, x0",
    "adr x0, 2f",
    "msr elr_el2, x0",
    "eret",
    "2:",
    // What a register holds that nobody has written is not known: all of SCTLR_EL1 is.
    "ldr x0, =0x30d00800",
    "msr sctlr_el1, x0",
    "isb",
    // Nothing is in memory yet but the image: what is to be zero is made so.
    "ldr x0, =bss_begin",
    "ldr x1, =bss_end",
    "3:",
    "cmp x0, x1",
    "b.hs 4f",
    "str xzr, [x0], #8",
    "b 3b",
    "4:",
    "mov x19, #0",
    "bl tokkyu_stand",
    "b tokkyu_first",
    // x0: the processor's index.
    ".global tokkyu_other",
    "tokkyu_other:",
    "msr daifset, #0xf",
    "mov x19, x0",
    "ldr x0, =0x30d00800",
    "msr sctlr_el1, x0",
    "isb",
    "bl tokkyu_stand",
    "mov x0, x19",
    "bl tokkyu_joined",
    "b tokkyu_start",
    // From a task: the processor's own stack is empty.
    ".global tokkyu_idle_entry",
    "tokkyu_idle_entry:",
    "msr spsel, #1",
    "b tokkyu_rest",
    // x19: the index. Translation on, vectors, a stack, no floating point.
    "tokkyu_stand:",
    "mov x20, x30",
    "adrp x0, tokkyu_first_table",
    "add x0, x0, :lo12:tokkyu_first_table",
    "bl tokkyu_translate",
    "msr cpacr_el1, xzr",
    "ldr x0, =tokkyu_vectors",
    "msr vbar_el1, x0",
    "isb",
    "add x1, x19, #1",
    "ldr x0, =TOKKYU_HANDLER_STACKS",
    "mov x2, #{handler}",
    "madd x0, x1, x2, x0",
    "sub x0, x0, #{above}",
    "msr spsel, #1",
    "mov sp, x0",
    "br x20",
    ".ltorg",
    above = const ABOVE_STACK,
    handler = const HANDLER_STACK + crate::stack::PAGE_BYTES,
);
