//! Where in memory things lie when Linux begins (MON-10, MON-11).
//!
//! ```text
//! base          +2 MiB           + text offset       kernel's end, to 2 MiB   initrd's end
//!  │ device tree  │                │ kernel            │ initrd                 │ …  │ 4 MiB, shared
//! ```

use core::fmt;

use crate::kernel::Kernel;
use tokkyu_monitor_core::{Range, SHARED_ALIGNMENT, SHARED_BYTES};

/// A kernel is at a multiple of this, plus its offset.
pub const ALIGNMENT: u64 = 2 << 20;
/// A device tree is in a room of 2 MiB (`booting.rst`, section 2).
pub const TREE_BYTES_MAX: u64 = ALIGNMENT;

/// Addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Of the device tree.
    pub tree: u64,
    /// Of the kernel's first byte, which is its first instruction.
    pub kernel: u64,
    /// Of the initrd, whatever its length.
    pub initrd: u64,
    /// Of the memory that both systems have, at the end (MON-60).
    pub shared: u64,
}

/// Memory is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceError {
    /// MiB that are needed.
    pub needed_mib: u64,
    /// MiB that are there.
    pub there_mib: u64,
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlaceError { needed_mib, there_mib } = self;
        write!(
            f,
            "kernel and initrd need {needed_mib} MiB of memory, {there_mib} are there: QEMU's -m says how much"
        )
    }
}

/// The memory that both systems have: the last whole piece, wherever memory ends; nothing: there is none.
pub fn shared_of(memory: Range) -> Option<Range> {
    let last = memory.base.checked_add(memory.bytes)?.checked_sub(SHARED_BYTES)?;
    let base = last - last % SHARED_ALIGNMENT;
    memory.holds(base, SHARED_BYTES).then_some(Range { base, bytes: SHARED_BYTES })
}

impl Places {
    /// In the memory where the machine's begins.
    ///
    /// # Errors
    /// [`PlaceError`]: it does not fit.
    pub fn find(
        memory: Range,
        kernel: &Kernel,
        kernel_bytes: u64,
        initrd_bytes: u64,
    ) -> Result<Places, PlaceError> {
        let wrong = |needed: Option<u64>| PlaceError {
            needed_mib: needed.map_or(u64::MAX >> 20, |bytes| bytes.div_ceil(1 << 20)),
            there_mib: memory.bytes >> 20,
        };
        let places = || {
            let tree = memory.base.checked_next_multiple_of(ALIGNMENT)?;
            let at = tree.checked_add(TREE_BYTES_MAX)?.checked_add(kernel.text_offset)?;
            let end = at.checked_add(kernel.image_bytes.max(kernel_bytes))?;
            let initrd = end.checked_next_multiple_of(ALIGNMENT)?;
            let end = initrd.checked_add(initrd_bytes)?;
            let shared = shared_of(memory).map_or(0, |shared| shared.base);
            Some((Places { tree, kernel: at, initrd, shared }, end))
        };
        let (places, end) = places().ok_or_else(|| wrong(None))?;
        let needed =
            end.checked_next_multiple_of(SHARED_ALIGNMENT).and_then(|end| end.checked_add(SHARED_BYTES));
        if end <= places.shared { Ok(places) } else { Err(wrong(needed.map(|needed| needed - memory.base))) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_machine_of_a_gibibyte_has_room() {
        let memory = Range { base: 0x4000_0000, bytes: 1 << 30 };
        let kernel = Kernel { text_offset: 0, image_bytes: 0x28d_0000 };
        let places =
            Places { tree: 0x4000_0000, kernel: 0x4020_0000, initrd: 0x42c0_0000, shared: 0x7fc0_0000 };
        assert_eq!(Places::find(memory, &kernel, 0x27d_c000, 1 << 20), Ok(places));
        let small = Range { bytes: 32 << 20, ..memory };
        let error = Places::find(small, &kernel, 0x27d_c000, 1 << 20).expect_err("too small");
        assert_eq!(error, PlaceError { needed_mib: 50, there_mib: 32 });
    }

    proptest! {
        /// In their order, apart from each other, and within memory; whatever a file claims.
        #[test]
        fn nothing_overlaps(base in 0..1_u64 << 40, bytes: u64, offset: u64, image: u64, file: u32, initrd: u32) {
            let memory = Range { base: base & !0xfff, bytes: bytes >> 8 };
            let kernel = Kernel { text_offset: offset >> 20, image_bytes: image >> 16 };
            if let Ok(places) = Places::find(memory, &kernel, file.into(), initrd.into()) {
                prop_assert!(memory.holds(places.tree, TREE_BYTES_MAX));
                prop_assert!(places.tree + TREE_BYTES_MAX <= places.kernel);
                prop_assert!(places.kernel + kernel.image_bytes.max(file.into()) <= places.initrd);
                prop_assert!(memory.holds(places.initrd, initrd.into()));
                prop_assert!(memory.holds(places.shared, SHARED_BYTES) && places.shared.is_multiple_of(SHARED_ALIGNMENT));
                prop_assert!(places.initrd + u64::from(initrd) <= places.shared);
            }
        }
    }
}
