//! Bytes on the wire (SPEC §3, §4): parsing and writing, nothing else.
//!
//! Everything here is fed with bytes from outside: no function panics, allocates more than its input, or keeps state.

mod cursor;
mod frame;
mod packet;
mod table;

pub use cursor::{Malformed, Reader, Writer};
pub use frame::{Feedback, Fragment, Frame, MAX_FEEDBACK_WORDS, Whole};
pub use packet::{HEADER_LEN, Header};
pub use table::{EndpointKind, Entry, Table};

/// Number space of packets: the full 64-bit number; 32 bits travel.
///
/// The full number nearest to `expected` whose low 32 bits are `low` (as RFC 9000 §A.3 does for QUIC).
pub fn unwrap_u32(low: u32, expected: u64) -> u64 {
    let diff = low.wrapping_sub(expected as u32) as i32;
    expected.checked_add_signed(i64::from(diff)).unwrap_or(u64::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_again_on_both_sides_of_a_wrap() {
        let base = (7u64 << 32) + 5;
        for expected in [base, base - 10, base + 10] {
            assert_eq!(unwrap_u32(base as u32, expected), base);
        }
        assert_eq!(unwrap_u32(u32::MAX, 1 << 32), (1 << 32) - 1);
        assert_eq!(unwrap_u32(0, u64::from(u32::MAX)), 1 << 32);
        assert_eq!(unwrap_u32(u32::MAX, 0), u64::from(u32::MAX), "no number lies before the first");
    }
}
