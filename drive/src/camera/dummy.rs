//! The dummy source: samples of a given length whose bytes the receiver can check.
//!
//! Runs in the camera's thread and never waits; time that of one copy of its bytes, and at the receiver of a look at a word
//! in each `STRIDE`: the processor time of an experiment is to be the link's. SPEC.md DRV-26.
//! Invariant: the same sequence number and capture stamp give the same bytes. Whatever changes a word in each stride that it
//! touches, as a part in the wrong place does, fails [`verify`]; packets are authenticated, so a single byte does not change.
//!
//! ```text
//!  offset  size  field (after the picture header)
//!       0     8  sequence number
//!       8     8  capture stamp, nanoseconds on the sender's monotonic clock
//!      16     8  checksum of the two and the length
//!      24     n  a part of one endless pattern, which begins at a place that follows from the sequence number
//! ```
//! The pattern does not compress, so a network cannot cheat; samples that follow one another differ in every place, so
//! parts of two of them do not make a third.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{BufMut, Bytes, BytesMut};
use tokkyu_contract::{MonoTime, PeerTime};

use super::{Camera, CameraError, Frame, Shot};
use crate::picture::{Encoding, HEADER_BYTES, MAX_SAMPLE_BYTES, put_header};

/// Length of a whole sample when none is asked: one raw picture of the camera flow this project measures with.
pub const DEFAULT_SAMPLE_BYTES: usize = 374_000;

const SEQUENCE: std::ops::Range<usize> = 0..8;
const STAMP: std::ops::Range<usize> = 8..16;
const CHECKSUM: std::ops::Range<usize> = 16..24;
const CONTENT: usize = 24;
/// Places where a content can begin, in steps of a word.
const PLACES: u64 = 1_024;
const WORD_BYTES: usize = 8;
/// Of so many bytes one word is looked at: the link's parts are longer.
const STRIDE: usize = 256;
/// Samples whose memory is asked for again.
const MOST_GIVEN: usize = 16;

/// A source of checkable bytes; see the module.
pub struct Dummy {
    data_bytes: usize,
    sequence: u64,
    /// Samples handed out whose memory may be free again.
    given: VecDeque<Bytes>,
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
        Ok(Dummy { data_bytes: sample_bytes - HEADER_BYTES, sequence: 0, given: VecDeque::new() })
    }

    fn count(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence - 1
    }

    /// Memory of a sample that everybody is done with, or new memory, which the kernel would have to clear each time.
    fn spare(&mut self) -> BytesMut {
        let free = self.given.iter().position(Bytes::is_unique).and_then(|at| self.given.remove(at));
        let spare = free.and_then(|sample| sample.try_into_mut().ok());
        let mut spare = spare.unwrap_or_else(|| BytesMut::with_capacity(HEADER_BYTES + self.data_bytes));
        spare.clear();
        spare
    }
}

impl Camera for Dummy {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        let sequence = self.count();
        let mut data = BytesMut::with_capacity(self.data_bytes);
        put_content(&mut data, sequence, due, self.data_bytes);
        Ok(Frame {
            data: data.freeze(),
            encoding: Encoding::Opaque,
            sequence,
            source_time: None,
            given: None,
        })
    }

    /// Header and content in one buffer at once, in place of a copy.
    fn next_sample(&mut self, due: MonoTime, number: u32) -> Result<Shot, CameraError> {
        let (sequence, mut sample) = (self.count(), self.spare());
        put_header(&mut sample, Encoding::Opaque, number);
        put_content(&mut sample, sequence, due, self.data_bytes);
        let sample = sample.freeze();
        self.given.push_back(sample.clone());
        if self.given.len() > MOST_GIVEN {
            self.given.pop_front();
        }
        Ok(Shot { sample, given: None })
    }
}

/// True when `data` (a dummy picture without its header) is as its source made it.
pub fn verify(data: &[u8]) -> bool {
    let (Some((sequence, stamp)), Some(written)) = (stamp(data), field(data, CHECKSUM)) else { return false };
    let is_header = written == checksum(sequence, stamp.as_nanos(), data.len());
    let pattern = pattern(data.len() - CONTENT);
    is_header && looks_alike(&data[CONTENT..], &pattern[range(sequence, data.len())])
}

/// Compares the first word of each stride, and the last bytes. Both are of one length.
fn looks_alike(data: &[u8], pattern: &[u8]) -> bool {
    let word = |bytes: &[u8]| bytes.first_chunk::<WORD_BYTES>().copied();
    let words = data.chunks(STRIDE).zip(pattern.chunks(STRIDE)).all(|(one, other)| word(one) == word(other));
    let last = |bytes: &[u8]| bytes.len().saturating_sub(WORD_BYTES);
    words && data[last(data)..] == pattern[last(pattern)..]
}

/// Sequence number and capture stamp written in `data`, `None` if it is too short to hold them. Worth something only
/// when [`verify`] is true.
pub fn stamp(data: &[u8]) -> Option<(u64, PeerTime)> {
    Some((field(data, SEQUENCE)?, PeerTime::from_nanos(field(data, STAMP)?)))
}

fn field(data: &[u8], at: std::ops::Range<usize>) -> Option<u64> {
    data.get(at)?.try_into().ok().map(u64::from_le_bytes)
}

fn put_content(data: &mut BytesMut, sequence: u64, captured: MonoTime, bytes: usize) {
    let stamp = captured.as_nanos();
    for word in [sequence, stamp, checksum(sequence, stamp, bytes)] {
        data.put_u64_le(word);
    }
    data.put_slice(&pattern(bytes - CONTENT)[range(sequence, bytes)]);
}

/// Where in the pattern the content of a sample of `bytes` stands.
fn range(sequence: u64, bytes: usize) -> std::ops::Range<usize> {
    let from = (sequence % PLACES) as usize * WORD_BYTES;
    from..from + bytes - CONTENT
}

/// The pattern, long enough for a content of `bytes` from every place. Made once for the longest asked so far.
fn pattern(bytes: usize) -> Arc<[u8]> {
    static MADE: Mutex<Option<Arc<[u8]>>> = Mutex::new(None);
    let needed = bytes + PLACES as usize * WORD_BYTES;
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = made.as_ref().filter(|made| made.len() >= needed) {
        return Arc::clone(made);
    }
    let mut state = 0;
    let words = (0..needed.div_ceil(WORD_BYTES)).flat_map(|_| mixed(&mut state).to_le_bytes());
    Arc::clone(made.insert(words.collect()))
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): one addition and two
/// multiplications for eight bytes.
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A sum of what stands before the content. Each step (xor, odd multiplication, rotation) can be undone, so two headers
/// that differ in one word never have the same sum. Against accidents, not against an attacker: the link authenticates.
fn checksum(sequence: u64, stamp: u64, bytes: usize) -> u64 {
    let add = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    add(add(bytes as u64, sequence), stamp)
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
    fn parts_of_two_samples_do_not_make_one() {
        let mut dummy = Dummy::new(4_000).unwrap();
        let [first, second] = [(); 2].map(|()| dummy.next(MonoTime::ZERO).unwrap().data);
        let mixed = [&first[..2_000], &second[2_000..]].concat();
        assert!(verify(&first) && verify(&second) && !verify(&mixed));
        assert!(first[CONTENT..].chunks(8).zip(second[CONTENT..].chunks(8)).all(|(one, other)| one != other));
    }

    #[test]
    fn a_sample_is_the_picture_that_would_have_been_next_and_its_memory_is_used_again() {
        let (mut dummy, mut other) = (Dummy::new(1_000).unwrap(), Dummy::new(1_000).unwrap());
        let mut places = Vec::new();
        for number in 5..9 {
            let sample = dummy.next_sample(MonoTime::from_millis(7), number).unwrap().sample;
            let frame = other.next(MonoTime::from_millis(7)).unwrap();
            let picture = Picture { sequence: number, ..Picture::from(frame) };
            assert_eq!(Picture::decode(&sample).unwrap(), picture);
            assert!(verify(&picture.data));
            places.push(sample.as_ptr());
        }
        assert!(places.iter().all(|place| *place == places[0]), "nobody held one");
        let held: Vec<Bytes> =
            (0..40).map(|n| dummy.next_sample(MonoTime::ZERO, n).unwrap().sample).collect();
        assert!(held.windows(2).all(|pair| pair[0] != pair[1]) && dummy.given.len() <= MOST_GIVEN);
    }

    #[test]
    fn a_size_that_cannot_hold_the_fields_is_refused() {
        assert!(Dummy::new(39).is_err());
        assert!(Dummy::new(40).unwrap().next(MonoTime::ZERO).is_ok_and(|frame| verify(&frame.data)));
        assert!(Dummy::new(MAX_SAMPLE_BYTES + 1).is_err());
    }

    proptest! {
        #[test]
        fn one_changed_byte_in_the_header_or_a_part_out_of_place_anywhere_fails_the_check(
            bytes in 700usize..3_000, at: proptest::sample::Index, header: proptest::sample::Index, change in 1u8..=255,
        ) {
            let frame = Dummy::new(bytes).unwrap().next(MonoTime::from_nanos(7)).unwrap();
            let mut data = frame.data.to_vec();
            data[header.index(CONTENT)] ^= change;
            prop_assert!(!verify(&data));
            let mut data = frame.data.to_vec();
            let from = CONTENT + at.index(data.len() - CONTENT - STRIDE - WORD_BYTES + 1);
            data[from..from + STRIDE + WORD_BYTES].rotate_left(WORD_BYTES);
            prop_assert!(!verify(&data));
        }

        #[test]
        fn bytes_of_any_length_are_checked_without_a_panic(data in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = (verify(&data), stamp(&data));
        }
    }
}
