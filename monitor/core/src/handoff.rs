//! What the boot part leaves for the resident part.

use crate::memory::Range;

/// Processors of a machine: those of QEMU's `virt` that differ in affinity 0 alone.
pub const PROCESSORS_MAX: usize = 8;
/// Ranges of memory.
pub const RANGES_MAX: usize = 4;

/// Secure memory that the RTOS has (MON-50).
pub const RTOS_MEMORY: Range = Range { base: 0x0e20_0000, bytes: 0x60_0000 };

/// Memory that both systems have, and what its address is a multiple of (MON-60).
pub const SHARED_BYTES: u64 = 0x1_0000;

/// Written once, before the resident part begins, and read only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Handoff {
    /// Where Linux begins.
    pub entry: u64,
    /// Its device tree.
    pub tree: u64,
    /// Where the RTOS begins; 0: there is none.
    pub rtos: u64,
    /// Memory that both systems have, [`SHARED_BYTES`].
    pub shared: u64,
    /// How many processors there are.
    pub processors: u64,
    /// How many ranges there are.
    pub ranges: u64,
    /// Memory that Linux has.
    pub memory: [Range; RANGES_MAX],
}

impl Handoff {
    /// Before anybody has left any.
    pub const NONE: Handoff = Handoff {
        entry: 0,
        tree: 0,
        rtos: 0,
        shared: 0,
        processors: 0,
        ranges: 0,
        memory: [Range { base: 0, bytes: 0 }; RANGES_MAX],
    };

    /// Linux's memory.
    pub fn memory(&self) -> &[Range] {
        &self.memory[..(self.ranges as usize).min(RANGES_MAX)]
    }
}
