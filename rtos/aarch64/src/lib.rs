//! The kernel on AArch64, at exception level 1: boot, translation, contexts, interrupts, clock. Rules: SPEC.md.
//!
//! An image is a static [`Kernel`](tokkyu_rtos::Kernel) on a `Board`, and `system!(KERNEL)`, which gives the assembly here the
//! functions that it calls. It is linked with `-Tboard.ld`. With the feature `secure` it is one for secure EL1, beside Linux.

#![no_std]
#![cfg(all(target_arch = "aarch64", target_os = "none"))]
#![deny(unsafe_op_in_unsafe_fn)]

mod board;
mod boot;
mod budget;
mod clock;
mod console;
mod context;
mod exception;
mod exit;
mod extended;
mod fault;
mod gic;
mod here;
mod line;
pub mod linux;
mod memory;
mod priority;
mod secure;
mod stack;
mod trace;
mod vectors;

pub use board::{Board, Programs};
pub use console::Console;
pub use exception::{Exception, Registers, Verdict};
pub use exit::{exit, reset};
pub use gic::{TIMER, is_enabled, raise};
pub use here::give_way;
pub use line::Line;
pub use stack::{PROCESSORS_MAX, Stack, StackRange};

/// What the assembly and [`system!`] call; nobody else does.
#[doc(hidden)]
pub mod entry {
    pub use crate::board::{begin, interrupt, leave, rest, start};
    pub use crate::boot::first;
    pub use crate::fault::{end_task, fault};
    pub use crate::stack::HandlerStack;
}

/// Makes a static [`Kernel`](tokkyu_rtos::Kernel) the system of this image. It has stacks for the handlers of so many processors; as many as there may
/// be ([`PROCESSORS_MAX`]) if that is not said.
#[macro_export]
macro_rules! system {
    ($kernel:path) => {
        $crate::system!($kernel, processors: $crate::PROCESSORS_MAX);
    };
    ($kernel:path, processors: $processors:expr) => {
        const _: () = assert!($processors >= 1 && $processors <= $crate::PROCESSORS_MAX, "1 to 8 processors");
        #[unsafe(no_mangle)]
        #[unsafe(link_section = ".stacks.handlers")]
        static TOKKYU_HANDLER_STACKS: [$crate::entry::HandlerStack; $processors] =
            [const { $crate::entry::HandlerStack::new() }; $processors];
        #[unsafe(no_mangle)]
        static TOKKYU_HANDLER_STACKS_COUNT: usize = $processors;
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_first() -> ! {
            $crate::entry::first(&$kernel)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_start() -> ! {
            $crate::entry::start(&$kernel)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_begin() -> ! {
            $crate::entry::begin(&$kernel)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_rest() -> ! {
            $crate::entry::rest(&$kernel)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_interrupt() {
            $crate::entry::interrupt(&$kernel)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_leave() {
            $crate::entry::leave(&$kernel)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_fault(kind: u64, registers: &mut $crate::Registers) {
            $crate::entry::fault(&$kernel, kind, registers)
        }
        #[unsafe(no_mangle)]
        extern "C" fn tokkyu_end_task() -> ! {
            $crate::entry::end_task(&$kernel)
        }
    };
}
