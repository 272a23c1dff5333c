//! The dummy source: samples of a given length whose bytes the receiver can check.
//!
//! Runs in the camera's thread and never waits; time proportional to the length. SPEC.md DRV-26.
//! Invariant: the same sequence number and capture stamp give the same bytes, and one changed byte anywhere fails
//! [`verify`].
//!
//! ```text
//!  offset  size  field (after the picture header)
//!       0     8  sequence number
//!       8     8  capture stamp, nanoseconds on the sender's monotonic clock
//!      16     8  checksum of everything else
//!      24     n  bytes that follow from the sequence number
//! ```
//! The content does not compress, so a network cannot cheat, and costs a fraction of a picture to make.

use bytes::Bytes;
use tokkyu_contract::{MonoTime, PeerTime};

use super::{Camera, CameraError, Frame};
use crate::picture::{Encoding, HEADER_BYTES, MAX_SAMPLE_BYTES};

/// Length of a whole sample when none is asked: one raw picture of the camera flow this project measures with.
pub const DEFAULT_SAMPLE_BYTES: usize = 374_000;

const SEQUENCE: std::ops::Range<usize> = 0..8;
const STAMP: std::ops::Range<usize> = 8..16;
const CHECKSUM: std::ops::Range<usize> = 16..24;
const CONTENT: usize = 24;

/// A source of checkable bytes; see the module.
pub struct Dummy {
    data_bytes: usize,
    sequence: u64,
}

impl Dummy {
    /// A source of samples of `sample_bytes` each, the picture header included: 40 bytes to 32 MiB.
    ///
    /// # Errors
    /// [`CameraError::Setting`] outside that range.
    pub fn new(sample_bytes: usize) -> Result<Dummy, CameraError> {
        if !(HEADER_BYTES + CONTENT..=MAX_SAMPLE_BYTES).contains(&sample_bytes) {
            let allowed = "give 40 bytes to 32 MiB";
            return Err(CameraError::Setting { field: "size", value: format!("{sample_bytes} B"), allowed });
        }
        Ok(Dummy { data_bytes: sample_bytes - HEADER_BYTES, sequence: 0 })
    }
}

impl Camera for Dummy {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        let sequence = self.sequence;
        self.sequence += 1;
        let data = Bytes::from(content(sequence, due, self.data_bytes));
        Ok(Frame { data, encoding: Encoding::Opaque, sequence, source_time: None })
    }
}

/// True when `data` (a dummy picture without its header) is as its source made it.
pub fn verify(data: &[u8]) -> bool {
    field(data, CHECKSUM).is_some_and(|written| written == checksum(data))
}

/// Sequence number and capture stamp written in `data`, `None` if it is too short to hold them. Worth something only
/// when [`verify`] is true.
pub fn stamp(data: &[u8]) -> Option<(u64, PeerTime)> {
    Some((field(data, SEQUENCE)?, PeerTime::from_nanos(field(data, STAMP)?)))
}

fn field(data: &[u8], at: std::ops::Range<usize>) -> Option<u64> {
    data.get(at)?.try_into().ok().map(u64::from_le_bytes)
}

fn content(sequence: u64, captured: MonoTime, bytes: usize) -> Vec<u8> {
    let mut data = Vec::with_capacity(bytes + 8);
    data.extend_from_slice(&sequence.to_le_bytes());
    data.extend_from_slice(&captured.as_nanos().to_le_bytes());
    data.extend_from_slice(&[0; 8]);
    let mut state = sequence;
    while data.len() < bytes {
        data.extend_from_slice(&mixed(&mut state).to_le_bytes());
    }
    data.truncate(bytes);
    let sum = checksum(&data);
    data[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    data
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): one addition and two
/// multiplications for eight bytes.
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A sum over all bytes but the checksum's own. Each step (xor, odd multiplication, rotation) can be undone, so two
/// contents that differ in one word never have the same sum. Against accidents, not against an attacker: the link
/// authenticates.
fn checksum(data: &[u8]) -> u64 {
    let mut sum = data.len() as u64;
    let mut add = |word: [u8; 8]| {
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    };
    for part in [data.get(..CHECKSUM.start), data.get(CONTENT..)].into_iter().flatten() {
        let mut words = part.chunks_exact(8);
        for word in &mut words {
            add(word.try_into().expect("chunks_exact(8) gives 8 bytes"));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        add(last);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use proptest::prelude::*;

    #[test]
    fn a_default_sample_has_374_000_bytes_with_all_headers_and_verifies() {
        let frame = Dummy::new(DEFAULT_SAMPLE_BYTES).unwrap().next(MonoTime::from_millis(42)).unwrap();
        let sample = Picture::from(frame).encode().unwrap();
        assert_eq!(sample.len(), 374_000);
        let received = Picture::decode(&sample).unwrap();
        assert!(verify(&received.data));
        assert_eq!(stamp(&received.data), Some((0, PeerTime::from_millis(42))));
    }

    #[test]
    fn two_samples_differ_and_the_same_sample_is_the_same_again() {
        let samples = |_| {
            let mut dummy = Dummy::new(1_000).unwrap();
            [dummy.next(MonoTime::ZERO).unwrap(), dummy.next(MonoTime::ZERO).unwrap()]
        };
        let [first, second] = samples(());
        assert_ne!(first.data, second.data);
        assert_eq!(samples(()), [first, second]);
    }

    #[test]
    fn a_size_that_cannot_hold_the_fields_is_refused() {
        assert!(Dummy::new(39).is_err());
        assert!(Dummy::new(40).unwrap().next(MonoTime::ZERO).is_ok_and(|frame| verify(&frame.data)));
        assert!(Dummy::new(MAX_SAMPLE_BYTES + 1).is_err());
    }

    proptest! {
        #[test]
        fn one_changed_byte_anywhere_fails_the_check(
            bytes in 40usize..300, at: proptest::sample::Index, change in 1u8..=255,
        ) {
            let frame = Dummy::new(bytes).unwrap().next(MonoTime::from_nanos(7)).unwrap();
            let mut data = frame.data.to_vec();
            let at = at.index(data.len());
            data[at] ^= change;
            prop_assert!(!verify(&data));
        }

        #[test]
        fn bytes_of_any_length_are_checked_without_a_panic(data in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = (verify(&data), stamp(&data));
        }
    }
}
