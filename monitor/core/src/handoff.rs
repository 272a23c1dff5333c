//! What the boot part leaves for the resident part.

use crate::budget::Budget;
use crate::memory::Range;

/// Processors of a machine: those of QEMU's `virt` that differ in affinity 0 alone.
pub const PROCESSORS_MAX: usize = 8;
/// Ranges of memory.
pub const RANGES_MAX: usize = 4;

/// Secure memory that the RTOS has (MON-50).
pub const RTOS_MEMORY: Range = Range { base: 0x0e20_0000, bytes: 0x60_0000 };

/// Where the loader and the machine's device tree are kept, in secure memory (MON-2).
pub const LOADER_KEPT: u64 = 0x0e10_0000;
/// See [`LOADER_KEPT`].
pub const TREE_KEPT: u64 = 0x0e18_0000;
/// How long each is at most.
pub const KEPT_BYTES: u64 = 0x8_0000;
/// Where they are copied to when Linux begins (MON-42).
pub const LOADER: u64 = 0x4010_0000;
/// See [`LOADER`].
pub const TREE: u64 = 0x4000_0000;
/// What of memory from [`TREE`] on the two need, with the loader's own.
pub const LOADING_BYTES: u64 = 0x20_0000;

/// Memory that both systems have (MON-60).
pub const SHARED_BYTES: u64 = 4 << 20;
/// Of it, what is not for topics (MON-90).
pub const TOLD_BYTES: u64 = 0x1_0000;
/// What its address is a multiple of.
pub const SHARED_ALIGNMENT: u64 = 2 << 20;

/// Written once, before the resident part begins, and read only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Handoff {
    /// How long the loader is that is kept.
    pub loader_bytes: u64,
    /// How long the device tree is that is kept.
    pub tree_bytes: u64,
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
    /// What the RTOS may take of each processor.
    pub budgets: [Budget; PROCESSORS_MAX],
}

impl Handoff {
    /// Before anybody has left any.
    pub const NONE: Handoff = Handoff {
        loader_bytes: 0,
        tree_bytes: 0,
        rtos: 0,
        shared: 0,
        processors: 0,
        ranges: 0,
        memory: [Range { base: 0, bytes: 0 }; RANGES_MAX],
        budgets: [Budget::NONE; PROCESSORS_MAX],
    };

    /// What the RTOS may look into (MON-70): 0 is the shared memory, those from 1 on are Linux's.
    pub fn seen_by_rtos(&self, number: u64) -> Option<Range> {
        match usize::try_from(number).ok()?.checked_sub(1) {
            None => Some(Range { base: self.shared, bytes: SHARED_BYTES }),
            Some(index) => self.memory().get(index).copied(),
        }
    }

    /// Linux's memory.
    pub fn memory(&self) -> &[Range] {
        &self.memory[..(self.ranges as usize).min(RANGES_MAX)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rtos_sees_what_is_shared_and_what_is_linuxs() {
        let mut handoff = Handoff { shared: 0x5fc0_0000, ranges: 2, ..Handoff::NONE };
        handoff.memory[0] = Range { base: 0x4000_0000, bytes: 0x1fc0_0000 };
        handoff.memory[1] = Range { base: 0x8000_0000, bytes: 0x1000 };
        assert_eq!(handoff.seen_by_rtos(0), Some(Range { base: 0x5fc0_0000, bytes: SHARED_BYTES }));
        assert_eq!(handoff.seen_by_rtos(2), Some(handoff.memory[1]));
        assert_eq!((handoff.seen_by_rtos(3), handoff.seen_by_rtos(u64::MAX)), (None, None));
    }
}
