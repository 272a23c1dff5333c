//! Which memory is Linux's (MON-30).

/// Bytes from an address on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    /// The first.
    pub base: u64,
    /// How many.
    pub bytes: u64,
}

impl Range {
    /// Whether all of `bytes` from `address` on are in it.
    pub const fn holds(&self, address: u64, bytes: u64) -> bool {
        match address.checked_sub(self.base) {
            Some(offset) => offset <= self.bytes && bytes <= self.bytes - offset,
            None => false,
        }
    }
}

/// Whether one of them has all of it.
pub fn holds(ranges: &[Range], address: u64, bytes: u64) -> bool {
    ranges.iter().any(|range| range.holds(address, bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_held_is_within(base: u64, bytes: u64, address: u64, wanted: u64) {
            let (base, bytes) = (u128::from(base), u128::from(bytes));
            let (first, end) = (u128::from(address), u128::from(address) + u128::from(wanted));
            // As a machine has it: memory does not go round.
            prop_assume!(base + bytes <= 1 << 64);
            let range = Range { base: base as u64, bytes: bytes as u64 };
            prop_assert_eq!(range.holds(address, wanted), first >= base && end <= base + bytes);
        }
    }

    #[test]
    fn the_ends_are_within() {
        let range = Range { base: 0x4000_0000, bytes: 0x1000 };
        assert!(
            range.holds(0x4000_0000, 0x1000) && range.holds(0x4000_0fff, 1) && range.holds(0x4000_1000, 0)
        );
        assert!(!range.holds(0x4000_0fff, 2) && !range.holds(0x3fff_ffff, 1) && !range.holds(u64::MAX, 2));
        assert!(holds(&[Range::default(), range], 0x4000_0004, 4) && !holds(&[], 0, 0));
    }
}
