//! The bytes of a sample (LOCAL-10). All numbers are little endian.
//!
//! ```text
//! 0        4        8          16                     bytes - 4
//! | number | zero   | sent_ns   | pattern of the number | number |
//! ```

/// Writes every byte but the stamp's, which it leaves zero: a sample that was given away without one shows.
///
/// # Panics
/// When there is no room for a head and an end; the command line asks for 32 bytes at least.
pub fn fill(bytes: &mut [u8], number: u32) {
    let end = bytes.len() - 4;
    bytes.fill(number as u8);
    bytes[..16].fill(0);
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes[end..].copy_from_slice(&number.to_le_bytes());
}

/// Writes the stamp.
pub fn stamp(bytes: &mut [u8], sent_ns: u64) {
    bytes[8..16].copy_from_slice(&sent_ns.to_le_bytes());
}

/// What a receiver finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// At the beginning.
    pub number: u32,
    /// In the last four bytes.
    pub number_at_end: u32,
    /// The stamp.
    pub sent_ns: u64,
}

/// Whether every byte is one that [`fill`] writes for the same number: of a sample that was written over while it was read
/// some are another's.
pub fn is_whole(bytes: &[u8]) -> bool {
    let Some(found) = read(bytes) else { return false };
    let middle = bytes.get(16..bytes.len() - 4).unwrap_or_default();
    found.number == found.number_at_end
        && bytes[4..8] == [0; 4]
        && middle.iter().all(|byte| *byte == found.number as u8)
}

/// `None` for what is too short to be a sample.
pub fn read(bytes: &[u8]) -> Option<Found> {
    let number = u32::from_le_bytes(*bytes.first_chunk()?);
    let number_at_end = u32::from_le_bytes(*bytes.last_chunk()?);
    let sent_ns = u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    Some(Found { number, number_at_end, sent_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_filled_and_stamped_is_found() {
        let mut bytes = [0xff; 40];
        fill(&mut bytes, 0x0102_0304);
        assert_eq!(read(&bytes).unwrap().sent_ns, 0, "an old stamp is gone");
        stamp(&mut bytes, 77);
        assert_eq!(
            read(&bytes),
            Some(Found { number: 0x0102_0304, number_at_end: 0x0102_0304, sent_ns: 77 })
        );
        assert!(bytes[16..36].iter().all(|byte| *byte == 4));
        assert_eq!(read(&bytes[..15]), None);
    }

    #[test]
    fn one_byte_of_another_sample_is_a_torn_one() {
        let mut bytes = [0; 64];
        fill(&mut bytes, 300);
        stamp(&mut bytes, 77);
        assert!(is_whole(&bytes));
        for at in [0, 5, 16, 40, 59, 60, 63] {
            let mut torn = bytes;
            torn[at] ^= 1;
            assert!(!is_whole(&torn), "byte {at}");
        }
        assert!(!is_whole(&bytes[..12]));
    }
}
