//! The end of a system (RTA-40).

/// Ends QEMU with this code; all processors.
pub fn exit(code: i32) -> ! {
    semihosting::process::exit(code)
}

/// A system that cannot begin says why.
pub(crate) fn refuse(why: &str) -> ! {
    use core::fmt::Write;
    let _ = writeln!(crate::console::Console, "rtos: {why}");
    exit(3)
}
