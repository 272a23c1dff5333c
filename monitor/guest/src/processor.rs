//! A processor: its number, where another one begins, what came of an access.

use core::arch::asm;
use core::sync::atomic::AtomicU64;

/// Memory that both systems have (MON-60): the last 4 MiB of a machine with 512 MiB.
pub const SHARED: usize = 0x5fc0_0000;

/// Syndrome of the last abort of an access; 0: none came.
pub static ABORT: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    /// In entry.rs.
    fn tokkyu_guest_begin();
}

/// Where other processors begin, with a context in `x0`.
pub fn begin() -> u64 {
    tokkyu_guest_begin as *const () as u64
}

/// This processor's number.
pub fn here() -> usize {
    let affinity: u64;
    // SAFETY: reading it changes nothing.
    unsafe { asm!("mrs {}, mpidr_el1", out(reg) affinity, options(nomem, nostack)) };
    (affinity & 0xff) as usize
}
