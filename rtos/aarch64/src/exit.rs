//! The end of a system (RTA-40).

/// Ends QEMU with this code; all processors.
pub fn exit(code: i32) -> ! {
    semihosting::process::exit(code)
}

/// Begins anew, from the image's first instruction (PSCI `SYSTEM_RESET`). Memory beside the image stays as it is.
pub fn reset() -> ! {
    let _ = smccc::psci::system_reset::<smccc::Hvc>();
    refuse("the firmware does not reset the machine")
}

/// A system that cannot begin says why.
pub(crate) fn refuse(why: &str) -> ! {
    use core::fmt::Write;
    let _ = writeln!(crate::console::Console, "rtos: {why}");
    exit(3)
}
