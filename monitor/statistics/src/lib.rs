//! What RTOS and Linux tell of themselves in the memory that both have, and what processors were used for by that (../SPEC.md, MON-100 to
//! MON-104). Without hardware.
//!
//! Where to look: `tasks.rs` is what the RTOS writes, `counted.rs` what Linux does, each with its reader's side; `look.rs` reads all of it at
//! once, and says what was between two looks.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod counted;
mod look;
mod tasks;

pub use counted::{Counted, forget};
pub use look::{Between, LinuxShares, Look};
pub use tasks::Tasks;
pub use tokkyu_monitor_core::PROCESSORS_MAX;

/// A word of the shared memory; nothing: it is not as long.
fn word(memory: &[u8], at: u64) -> Option<u64> {
    let rest = memory.get(usize::try_from(at).ok()?..)?;
    rest.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
