//! The bytes of a sample (PEER-12): capture time, camera, sequence, then a fixed filling that no layer can compress.
//!
//! Pure. The receiver checks length, camera, number and the last byte (PEER-13).

use std::io::{Read, Seek, SeekFrom};

/// Capture time 8, camera 4, sequence 4, little endian.
pub const HEADER_BYTES: usize = 16;
/// Smallest and largest sample (PEER-4).
pub const LEAST_BYTES: usize = 32;
pub const MOST_BYTES: usize = 16 << 20;

/// `size` bytes of the generator (xorshift64*), to be copied for each sample and its header written over.
pub fn filling(size: usize) -> Vec<u8> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(&mut next).take(size.div_ceil(8)).flatten().collect();
    bytes.truncate(size);
    bytes
}

/// What a sample says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub capture_ns: u64,
    /// From 1.
    pub camera: u32,
    /// From 0.
    pub sequence: u32,
}

impl Header {
    /// Writes the header over the beginning of `sample`.
    pub fn write(self, sample: &mut [u8]) {
        sample[..8].copy_from_slice(&self.capture_ns.to_le_bytes());
        sample[8..12].copy_from_slice(&self.camera.to_le_bytes());
        sample[12..16].copy_from_slice(&self.sequence.to_le_bytes());
    }

    fn read(bytes: [u8; HEADER_BYTES]) -> Header {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Header {
            capture_ns: u64::from(word(0)) | u64::from(word(4)) << 32,
            camera: word(8),
            sequence: word(12),
        }
    }
}

/// What a good sample looks like.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub size: usize,
    pub samples: u32,
    pub last_byte: u8,
}

impl Expected {
    /// The header of a sample of `length` bytes that came from `camera`, of which only the header and the last byte are read.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(
        &self,
        camera: u32,
        length: usize,
        mut bytes: impl Read + Seek,
    ) -> Result<Header, &'static str> {
        if length != self.size {
            return Err("wrong size");
        }
        let mut head = [0; HEADER_BYTES];
        bytes.read_exact(&mut head).map_err(|_| "unreadable")?;
        let header = Header::read(head);
        if header.camera != camera {
            return Err("wrong camera");
        }
        if header.sequence >= self.samples {
            return Err("wrong sequence");
        }
        let mut last = [0];
        let found = bytes.seek(SeekFrom::End(-1)).and_then(|_| bytes.read_exact(&mut last));
        match found {
            Ok(()) if last[0] == self.last_byte => Ok(header),
            Ok(()) => Err("wrong filling"),
            Err(_) => Err("unreadable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_sample_is_read_back_and_each_fault_has_its_name() {
        let mut sample = filling(1000);
        let header = Header { capture_ns: 7 << 33, camera: 2, sequence: 4 };
        header.write(&mut sample);
        let expected = Expected { size: 1000, samples: 5, last_byte: sample[999] };
        let check = |bytes: &[u8]| expected.check(2, bytes.len(), Cursor::new(bytes));
        assert_eq!(check(&sample), Ok(header));
        assert_eq!(check(&sample[..999]), Err("wrong size"));
        let with = |at: usize, byte: u8| [&sample[..at], &[byte], &sample[at + 1..]].concat();
        assert_eq!(check(&with(8, 1)), Err("wrong camera"), "another camera's key");
        assert_eq!(check(&with(12, 5)), Err("wrong sequence"));
        assert_eq!(check(&with(999, !sample[999])), Err("wrong filling"));
    }

    #[test]
    fn the_filling_is_fixed_and_does_not_repeat_itself() {
        assert_eq!(filling(100), filling(1000)[..100]);
        let mut counts = [0u32; 256];
        filling(256_000).iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        assert!(counts.iter().all(|count| (700..1300).contains(count)), "{counts:?}");
    }
}
