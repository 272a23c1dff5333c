//! Pictures that a camera compressed itself: one JPEG (ITU-T T.81) after the other in a stream.
//!
//! Pure; time proportional to the bytes. Runs in the thread that reads a camera's pipe. What is no JPEG is passed over up
//! to the next beginning of one. Memory is bounded by the longest picture that a sample carries, and one chunk.
//!
//! ```text
//!   SOI  segment  segment ... SOS  scan  (segment ... SOS  scan)  EOI
//!   ffd8 ffxx len             ffda  │                            ffd9
//!                                   └ until ff that is not followed by 00 or a restart
//! ```
//! Many cameras leave the Huffman tables out, for they are always the same (annex K); decoders of pictures want them.

use std::sync::LazyLock;

use jpeg_encoder::{ColorType, Encoder};

use crate::picture::{HEADER_BYTES, MAX_SAMPLE_BYTES};

/// A longer picture is none.
const LONGEST: usize = MAX_SAMPLE_BYTES - HEADER_BYTES - 1_024;

const SOI: u8 = 0xd8;
const EOI: u8 = 0xd9;
const SOS: u8 = 0xda;
const DHT: u8 = 0xc4;

/// One picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jpeg {
    /// Its bytes, Huffman tables included.
    pub data: Vec<u8>,
    /// Its width, as its frame header says.
    pub width: u16,
    /// Its height, likewise.
    pub height: u16,
}

/// Cuts a stream into pictures.
#[derive(Debug, Default)]
pub struct Splitter {
    buffer: Vec<u8>,
    /// Up to here the present picture is read.
    at: usize,
    is_in_scan: bool,
    size: Option<(u16, u16)>,
    first_scan: Option<usize>,
    has_tables: bool,
}

/// What stands at the place that is read next.
enum Step {
    /// Go on behind it.
    On,
    /// Not enough bytes yet.
    More,
    /// The picture ends here.
    End,
    /// No JPEG.
    Broken,
}

impl Splitter {
    /// Whether a picture has begun.
    pub fn is_begun(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Takes more of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole picture, if it is there.
    pub fn take(&mut self) -> Option<Jpeg> {
        loop {
            match self.step() {
                Step::On => {}
                Step::End => {
                    if let Some(jpeg) = self.cut() {
                        return Some(jpeg);
                    }
                }
                Step::More if self.buffer.len() <= LONGEST => return None,
                Step::More | Step::Broken => self.pass_over(),
            }
        }
    }

    fn step(&mut self) -> Step {
        let rest = self.buffer.get(self.at..).unwrap_or_default();
        if self.is_in_scan {
            let ends = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff | 0xd0..=0xd7);
            let end = rest.windows(2).position(ends);
            // The last byte may be the first of a marker.
            self.at += end.unwrap_or(rest.len().saturating_sub(1));
            self.is_in_scan = end.is_none();
            return if end.is_some() { Step::On } else { Step::More };
        }
        match *rest {
            [] | [0xff] => Step::More,
            // Any number of them may stand before a marker.
            [0xff, 0xff, ..] if self.at > 0 => self.go_on(1),
            [0xff, SOI, ..] if self.at == 0 => self.go_on(2),
            [0xff, EOI, ..] if self.at > 0 => self.go_on_to(2, Step::End),
            [0xff, marker @ (0xc0..=0xcf | 0xda..=0xfe), high, low, ..] if self.at > 0 => {
                self.segment(marker, usize::from(u16::from_be_bytes([high, low])))
            }
            [0xff, 0xc0..=0xcf | 0xda..=0xfe, ..] if self.at > 0 => Step::More,
            _ => Step::Broken,
        }
    }

    fn go_on(&mut self, bytes: usize) -> Step {
        self.go_on_to(bytes, Step::On)
    }

    fn go_on_to(&mut self, bytes: usize, step: Step) -> Step {
        self.at += bytes;
        step
    }

    /// A marker and a segment of `length`, which counts its own two bytes.
    fn segment(&mut self, marker: u8, length: usize) -> Step {
        let Some(segment) = self.buffer.get(self.at + 2..self.at + 2 + length) else { return Step::More };
        if length < 2 {
            return Step::Broken;
        }
        match (marker, segment) {
            (DHT, _) => self.has_tables = true,
            (SOS, _) => {
                self.first_scan = self.first_scan.or(Some(self.at));
                self.is_in_scan = true;
            }
            // The other two of these numbers are an extension and arithmetic coding's conditioning.
            (0xc8 | 0xcc, _) => {}
            (0xc0..=0xcf, [_, _, _, y1, y0, x1, x0, ..]) => {
                self.size = Some((u16::from_be_bytes([*x1, *x0]), u16::from_be_bytes([*y1, *y0])));
            }
            (0xc0..=0xcf, _) => return Step::Broken,
            _ => {}
        }
        self.go_on(2 + length)
    }

    /// The picture that ends at the present place; none where it has no size or no scan.
    fn cut(&mut self) -> Option<Jpeg> {
        let rest = self.buffer.split_off(self.at);
        let Splitter { buffer: mut data, size, first_scan, has_tables, .. } =
            std::mem::replace(self, Splitter { buffer: rest, ..Splitter::default() });
        let (width, height) = size.filter(|(width, height)| *width > 0 && *height > 0)?;
        let scan = first_scan?;
        if !has_tables {
            data.splice(scan..scan, USUAL_TABLES.iter().copied());
        }
        Some(Jpeg { data, width, height })
    }

    /// Leaves what cannot be read, up to the next place at which a picture may begin.
    fn pass_over(&mut self) {
        let begins = |pair: &[u8]| pair == [0xff, SOI];
        let next = self.buffer.get(1..).and_then(|rest| rest.windows(2).position(begins));
        let rest = match (next, self.buffer.last()) {
            (Some(next), _) => self.buffer.split_off(next + 1),
            (None, Some(0xff)) if self.buffer.len() > 1 => vec![0xff],
            (None, _) => Vec::new(),
        };
        *self = Splitter { buffer: rest, ..Splitter::default() };
    }
}

/// The usual tables, as an encoder that knows them writes them: they stand in what it makes of one block of colour.
static USUAL_TABLES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut picture = Vec::new();
    // It fails for pictures without pixels alone.
    let _ = Encoder::new(&mut picture, 50).encode(&[0; 8 * 8 * 3], 8, 8, ColorType::Rgb);
    segments(&picture).filter(|(marker, _)| *marker == DHT).flat_map(|(_, bytes)| bytes).copied().collect()
});

/// Marker and bytes, marker included, of each segment of `picture` before its scan.
fn segments(picture: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = picture.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let [0xff, marker, high, low, ..] = *rest else { return None };
        let (segment, after) = rest.split_at_checked(2 + usize::from(u16::from_be_bytes([high, low])))?;
        rest = after;
        (marker != SOS).then_some((marker, segment))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A picture of stripes, `width` × 16.
    fn picture(width: u16) -> Vec<u8> {
        let (mut data, pixels) = (Vec::new(), usize::from(width) * 16 * 3);
        let stripes: Vec<u8> = (0..pixels).map(|at| (at * 7) as u8).collect();
        Encoder::new(&mut data, 80).encode(&stripes, width, 16, ColorType::Rgb).unwrap();
        data
    }

    fn without_tables(picture: &[u8]) -> Vec<u8> {
        let mut bare = picture[..2].to_vec();
        let mut read = 2;
        for (marker, segment) in segments(picture) {
            read += segment.len();
            if marker != DHT {
                bare.extend_from_slice(segment);
            }
        }
        bare.extend_from_slice(&picture[read..]);
        bare
    }

    fn pixels(jpeg: &[u8]) -> Vec<u8> {
        zune_jpeg::JpegDecoder::new(std::io::Cursor::new(jpeg)).decode().unwrap()
    }

    fn all(splitter: &mut Splitter) -> Vec<Jpeg> {
        std::iter::from_fn(|| splitter.take()).collect()
    }

    #[test]
    fn pictures_are_found_in_a_stream_whatever_stands_between_them() {
        let stream =
            [b"no".as_slice(), &picture(32), b"\xff\xd8 cut", &picture(40), &[0xff], &picture(48)].concat();
        for chunk in [1, 7, 1_000_000] {
            let mut splitter = Splitter::default();
            let found: Vec<Jpeg> = stream
                .chunks(chunk)
                .flat_map(|bytes| {
                    splitter.push(bytes);
                    all(&mut splitter)
                })
                .collect();
            let sizes: Vec<_> = found.iter().map(|jpeg| (jpeg.width, jpeg.height)).collect();
            assert_eq!(sizes, [(32, 16), (40, 16), (48, 16)], "in chunks of {chunk}");
            assert_eq!(found[1].data, picture(40));
        }
    }

    #[test]
    fn tables_that_were_left_out_are_put_in() {
        let bare = without_tables(&picture(32));
        assert!(bare.len() + 400 < picture(32).len(), "no tables were cut out");
        let mut splitter = Splitter::default();
        splitter.push(&bare);
        let jpeg = splitter.take().unwrap();
        assert_eq!(pixels(&jpeg.data), pixels(&picture(32)));
    }

    #[test]
    fn a_stream_without_pictures_takes_no_memory() {
        let mut splitter = Splitter::default();
        let endless = vec![0x55; 1 << 20];
        // A scan that never ends.
        let picture = picture(32);
        splitter.push(&picture[..picture.len() - 2]);
        for _ in 0..40 {
            splitter.push(&endless);
            assert_eq!(splitter.take(), None);
            assert!(splitter.buffer.len() <= LONGEST + endless.len());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_cut_the_same_way_in_any_pieces(
            noise in proptest::collection::vec(prop_oneof![Just(0xff), Just(0xd8), Just(0xd9), Just(0xda), any::<u8>()], 0..200),
            at in 0usize..500, pieces in 1usize..50,
        ) {
            let mut stream = [picture(32), picture(40)].concat();
            let at = at.min(stream.len());
            stream.splice(at..at, noise);
            let mut whole = Splitter::default();
            whole.push(&stream);
            let whole = all(&mut whole);
            let mut split = Splitter::default();
            let found: Vec<Jpeg> = stream
                .chunks(pieces)
                .flat_map(|bytes| {
                    split.push(bytes);
                    all(&mut split)
                })
                .collect();
            prop_assert_eq!(found, whole);
        }
    }
}
