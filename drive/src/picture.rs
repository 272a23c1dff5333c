//! The bytes of one picture sample: a 16-byte header, then the picture. SPEC.md DRV-20 to DRV-25.
//!
//! Runs on both sides, in the thread that sends or receives; pure, no waiting, time proportional to one copy when
//! encoding and constant when decoding (the picture is a slice of the sample).
//! Invariant: a decoded picture has exactly the bytes its encoding and size ask for, so a reader may index by row.
//!
//! ```text
//!  offset  size  field
//!       0     4  magic "TKP1"
//!       4     1  encoding: 0 opaque, 1 mono8, 2 rgb8, 3 jpeg
//!       5     1  reserved, 0
//!       6     2  width in pixels   (0 for opaque)
//!       8     2  height in pixels  (0 for opaque)
//!      10     2  reserved, 0
//!      12     4  number of the picture in its flow, low 32 bits
//!      16     n  the picture
//! ```
//! All numbers are little-endian.

use bytes::{BufMut, Bytes, BytesMut};

/// Bytes before the picture.
pub const HEADER_BYTES: usize = 16;
/// Longest sample taken: an uncompressed 4K colour picture (24.9 MB) fits, a length gone wrong does not.
pub const MAX_SAMPLE_BYTES: usize = 32 << 20;

const MAGIC: [u8; 4] = *b"TKP1";
/// Every JPEG stream starts with the marker SOI (ITU-T T.81, table B.1).
const JPEG_START: [u8; 2] = [0xff, 0xd8];

/// What the bytes of a picture mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One byte for each pixel, 0 black to 255 white, rows from the top.
    Mono8 {
        /// Pixels in a row, at least 1.
        width: u16,
        /// Rows, at least 1.
        height: u16,
    },
    /// Three bytes for each pixel, red, green, blue, rows from the top.
    Rgb8 {
        /// Pixels in a row, at least 1.
        width: u16,
        /// Rows, at least 1.
        height: u16,
    },
    /// One JPEG image. The size is what the sender says; a decoder must believe the image's own header.
    Jpeg {
        /// Pixels in a row, at least 1.
        width: u16,
        /// Rows, at least 1.
        height: u16,
    },
    /// Bytes that are no picture, such as the dummy source's.
    Opaque,
}

impl Encoding {
    /// The word used in tables and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Encoding::Mono8 { .. } => "mono8",
            Encoding::Rgb8 { .. } => "rgb8",
            Encoding::Jpeg { .. } => "jpeg",
            Encoding::Opaque => "opaque",
        }
    }

    /// Width and height in pixels, (0, 0) for opaque bytes.
    pub const fn size(self) -> (u16, u16) {
        match self {
            Encoding::Mono8 { width, height }
            | Encoding::Rgb8 { width, height }
            | Encoding::Jpeg { width, height } => (width, height),
            Encoding::Opaque => (0, 0),
        }
    }

    /// Bytes a picture of this encoding has, `None` where the encoding leaves it open.
    pub const fn fixed_bytes(self) -> Option<usize> {
        match self {
            Encoding::Mono8 { width, height } => Some(width as usize * height as usize),
            Encoding::Rgb8 { width, height } => Some(width as usize * height as usize * 3),
            Encoding::Jpeg { .. } | Encoding::Opaque => None,
        }
    }

    const fn code(self) -> u8 {
        match self {
            Encoding::Opaque => 0,
            Encoding::Mono8 { .. } => 1,
            Encoding::Rgb8 { .. } => 2,
            Encoding::Jpeg { .. } => 3,
        }
    }

    fn from_code(code: u8, width: u16, height: u16) -> Result<Self, PictureError> {
        let encoding = match code {
            0 => Encoding::Opaque,
            1 => Encoding::Mono8 { width, height },
            2 => Encoding::Rgb8 { width, height },
            3 => Encoding::Jpeg { width, height },
            _ => return Err(PictureError::UnknownEncoding { code }),
        };
        let (empty, opaque) = (width == 0 || height == 0, encoding == Encoding::Opaque);
        if opaque && (width, height) != (0, 0) || !opaque && empty {
            return Err(PictureError::Size { encoding: encoding.as_str(), width, height });
        }
        Ok(encoding)
    }
}

/// Why bytes are not a picture sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// Shorter than its header.
    #[error("a picture sample has at least {HEADER_BYTES} bytes, this one has {bytes}")]
    Short {
        /// Length of the sample.
        bytes: usize,
    },
    /// Longer than [`MAX_SAMPLE_BYTES`].
    #[error("a picture sample has at most {MAX_SAMPLE_BYTES} bytes, this one has {bytes}")]
    Long {
        /// Length of the sample.
        bytes: usize,
    },
    /// Does not start with `TKP1`.
    #[error("the sample starts with {found:02x?}, not with \"TKP1\": is the flow a camera of tokkyu?")]
    Magic {
        /// What stands there instead.
        found: [u8; 4],
    },
    /// No encoding has this code.
    #[error("encoding {code} is unknown: the sender is newer than this program")]
    UnknownEncoding {
        /// Byte 4 of the header.
        code: u8,
    },
    /// Bytes that must be zero are not.
    #[error("reserved bytes of the picture header are not 0: the sender is newer than this program")]
    Reserved,
    /// A width or height that this encoding cannot have.
    #[error("{encoding} pictures cannot be {width}×{height} pixels")]
    Size {
        /// Word of the encoding.
        encoding: &'static str,
        /// Width in the header.
        width: u16,
        /// Height in the header.
        height: u16,
    },
    /// The picture's length does not follow from its size.
    #[error("a {encoding} picture of {width}×{height} pixels has {expected} bytes, this one has {found}")]
    Length {
        /// Word of the encoding.
        encoding: &'static str,
        /// Width in the header.
        width: u16,
        /// Height in the header.
        height: u16,
        /// Bytes the size asks for.
        expected: usize,
        /// Bytes there are.
        found: usize,
    },
    /// Said to be JPEG, but does not start like one.
    #[error("the picture is said to be JPEG but does not start with ff d8")]
    NotJpeg,
}

/// One picture with what its header says. Cloning is cheap: the bytes are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What the bytes mean.
    pub encoding: Encoding,
    /// Number in its flow, low 32 bits; a gap is a picture the vehicle offered and the link did not bring.
    pub sequence: u32,
    /// The picture without its header.
    pub data: Bytes,
}

impl Picture {
    /// The sample that carries this picture: header and picture in one buffer.
    ///
    /// # Errors
    /// The same as [`Picture::decode`] gives for the result; nothing is sent that a receiver would refuse.
    pub fn encode(&self) -> Result<Bytes, PictureError> {
        let (width, height) = self.encoding.size();
        Encoding::from_code(self.encoding.code(), width, height)?;
        check_data(self.encoding, &self.data)?;
        let mut sample = BytesMut::with_capacity(HEADER_BYTES + self.data.len());
        put_header(&mut sample, self.encoding, self.sequence);
        sample.put_slice(&self.data);
        Ok(sample.freeze())
    }

    /// The picture in `sample`, sharing its memory.
    ///
    /// # Errors
    /// Any sample that is not exactly of the layout above; see [`PictureError`].
    pub fn decode(sample: &Bytes) -> Result<Picture, PictureError> {
        let header: &[u8; HEADER_BYTES] =
            sample.first_chunk().ok_or(PictureError::Short { bytes: sample.len() })?;
        let [m0, m1, m2, m3, code, reserved, w0, w1, h0, h1, r0, r1, s0, s1, s2, s3] = *header;
        let found = [m0, m1, m2, m3];
        if found != MAGIC {
            return Err(PictureError::Magic { found });
        }
        if [reserved, r0, r1] != [0; 3] {
            return Err(PictureError::Reserved);
        }
        let (width, height) = (u16::from_le_bytes([w0, w1]), u16::from_le_bytes([h0, h1]));
        let encoding = Encoding::from_code(code, width, height)?;
        let data = sample.slice(HEADER_BYTES..);
        check_data(encoding, &data)?;
        Ok(Picture { encoding, sequence: u32::from_le_bytes([s0, s1, s2, s3]), data })
    }
}

/// Writes the header of a picture's sample.
pub(crate) fn put_header(sample: &mut BytesMut, encoding: Encoding, sequence: u32) {
    let (width, height) = encoding.size();
    sample.put_slice(&MAGIC);
    sample.put_u8(encoding.code());
    sample.put_u8(0);
    sample.put_u16_le(width);
    sample.put_u16_le(height);
    sample.put_u16_le(0);
    sample.put_u32_le(sequence);
}

fn check_data(encoding: Encoding, data: &[u8]) -> Result<(), PictureError> {
    let (width, height) = encoding.size();
    if data.len() > MAX_SAMPLE_BYTES - HEADER_BYTES {
        return Err(PictureError::Long { bytes: data.len() + HEADER_BYTES });
    }
    if let Some(expected) = encoding.fixed_bytes().filter(|&expected| expected != data.len()) {
        let (encoding, found) = (encoding.as_str(), data.len());
        return Err(PictureError::Length { encoding, width, height, expected, found });
    }
    if matches!(encoding, Encoding::Jpeg { .. }) && !data.starts_with(&JPEG_START) {
        return Err(PictureError::NotJpeg);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mono(width: u16, height: u16) -> Picture {
        let data = Bytes::from(vec![7; usize::from(width) * usize::from(height)]);
        Picture { encoding: Encoding::Mono8 { width, height }, sequence: 0x0102_0304, data }
    }

    #[test]
    fn the_header_has_the_layout_the_specification_draws() {
        let sample = mono(3, 2).encode().unwrap();
        assert_eq!(sample[..16], *b"TKP1\x01\x00\x03\x00\x02\x00\x00\x00\x04\x03\x02\x01");
        assert_eq!(sample[16..], [7; 6]);
    }

    #[test]
    fn decoding_shares_the_samples_memory() {
        let sample = mono(680, 550).encode().unwrap();
        let picture = Picture::decode(&sample).unwrap();
        assert_eq!(picture.data.as_ptr(), sample[HEADER_BYTES..].as_ptr());
    }

    fn broken(change: impl FnOnce(&mut Vec<u8>)) -> PictureError {
        let mut sample = mono(3, 2).encode().unwrap().to_vec();
        change(&mut sample);
        Picture::decode(&Bytes::from(sample)).unwrap_err()
    }

    #[test]
    fn each_fault_of_a_sample_is_named() {
        assert_eq!(broken(|s| s.truncate(15)), PictureError::Short { bytes: 15 });
        assert_eq!(broken(|s| s[3] = b'2'), PictureError::Magic { found: *b"TKP2" });
        assert_eq!(broken(|s| s[4] = 9), PictureError::UnknownEncoding { code: 9 });
        for reserved in [5, 10, 11] {
            assert_eq!(broken(|s| s[reserved] = 1), PictureError::Reserved);
        }
        assert_eq!(broken(|s| s[6] = 0), PictureError::Size { encoding: "mono8", width: 0, height: 2 });
        assert_eq!(broken(|s| s[4] = 0), PictureError::Size { encoding: "opaque", width: 3, height: 2 });
        let length = broken(|s| s.push(0));
        assert!(matches!(length, PictureError::Length { expected: 6, found: 7, .. }), "{length}");
        assert_eq!(broken(|s| s[4] = 3), PictureError::NotJpeg);
    }

    #[test]
    fn a_sample_no_receiver_would_take_is_not_made() {
        let empty = Picture { encoding: Encoding::Mono8 { width: 0, height: 0 }, ..mono(1, 1) };
        assert!(matches!(empty.encode(), Err(PictureError::Size { .. })));
        let data = Bytes::from(vec![0; MAX_SAMPLE_BYTES]);
        let long = Picture { encoding: Encoding::Opaque, sequence: 0, data };
        assert!(matches!(long.encode(), Err(PictureError::Long { .. })));
    }

    fn any_picture() -> impl Strategy<Value = Picture> {
        (0u8..4, 1u16..40, 1u16..40, any::<u32>()).prop_map(|(code, width, height, sequence)| {
            let (width, height) = if code == 0 { (0, 0) } else { (width, height) };
            let encoding = Encoding::from_code(code, width, height).unwrap();
            let mut data = vec![0x5a; encoding.fixed_bytes().unwrap_or(100)];
            if code == 3 {
                data[..2].copy_from_slice(&JPEG_START);
            }
            Picture { encoding, sequence, data: Bytes::from(data) }
        })
    }

    proptest! {
        #[test]
        fn every_picture_survives_the_way_through_its_sample(picture in any_picture()) {
            prop_assert_eq!(Picture::decode(&picture.encode().unwrap()), Ok(picture));
        }

        #[test]
        fn any_bytes_decode_to_an_error_or_to_themselves(
            start in prop_oneof![Just(vec![]), Just(b"TKP1\x01\x00".to_vec()), Just(b"TKP1\x00\x00".to_vec())],
            rest in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let sample = Bytes::from([start, rest].concat());
            if let Ok(picture) = Picture::decode(&sample) {
                prop_assert_eq!(picture.encode().unwrap(), sample);
            }
        }
    }
}
