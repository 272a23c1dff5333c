//! The end of a system (RTA-40, RTA-64), and how the firmware is called.

use core::fmt::Write;

use smccc::psci::{cpu_on, error::Error, system_off, system_reset};
use smccc::{Hvc, Smc};

use crate::console::Console;
use crate::secure::SECURE;

/// Ends QEMU with this code, all processors. Beside Linux the machine goes off, and the code is told.
pub fn exit(code: i32) -> ! {
    if !SECURE {
        semihosting::process::exit(code)
    }
    let _ = writeln!(Console, "rtos: ends with {code}");
    let _ = system_off::<Smc>();
    rest()
}

/// Begins anew, from the image's first instruction (PSCI `SYSTEM_RESET`). Memory beside the image stays as it is.
pub fn reset() -> ! {
    let _ = if SECURE { system_reset::<Smc>() } else { system_reset::<Hvc>() };
    refuse("the firmware does not reset the machine")
}

/// Has another processor begin there, with this in `x0`.
pub(crate) fn switch_on(index: usize, entry: usize, context: usize) -> Result<(), Error> {
    let (index, entry, context) = (index as u64, entry as u64, context as u64);
    if SECURE { cpu_on::<Smc>(index, entry, context) } else { cpu_on::<Hvc>(index, entry, context) }
}

/// A system that cannot begin says why.
pub(crate) fn refuse(why: &str) -> ! {
    let _ = writeln!(Console, "rtos: {why}");
    exit(3)
}

fn rest() -> ! {
    loop {
        aarch64_cpu::asm::wfi();
    }
}
