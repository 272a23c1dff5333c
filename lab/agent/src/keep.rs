//! Files of the board that outlive it: written to a port that QEMU copies to a file of the host (`isa-debugcon`), as the board
//! has no disk and its console is slow.

use std::fs;

use tokkyu_agent::report::{KEPT_PORT, kept_header};

pub fn keep(path: &str, name: &str) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    // SAFETY: no pointers; the kernel refuses what may not be.
    if unsafe { libc::ioperm(KEPT_PORT.into(), 1, 1) } != 0 {
        return Err(format!("port {KEPT_PORT:#x}: {}", std::io::Error::last_os_error()));
    }
    put(kept_header(name, bytes.len()).as_bytes());
    put(&bytes);
    Ok(())
}

#[cfg(target_arch = "x86_64")]
fn put(bytes: &[u8]) {
    // SAFETY: `rep outsb` reads `rcx` bytes from `rsi` on, which are those of the slice; the port was permitted above.
    unsafe {
        std::arch::asm!(
            "rep outsb",
            in("dx") KEPT_PORT,
            inout("rsi") bytes.as_ptr() => _,
            inout("rcx") bytes.len() => _,
            options(readonly, nostack),
        );
    }
}

/// Boards are x86-64; the rest of the agent builds elsewhere too.
#[cfg(not(target_arch = "x86_64"))]
fn put(_bytes: &[u8]) {}
