//! Plain CDR, as ROS 2 writes it (RTPS 2.3 §10.5, XCDR1 of DDS-XTypes 1.3): numbers aligned to their size, counted from
//! behind the header of 4 bytes. For the few messages that the program itself says and hears; what crosses stays bytes.
//!
//! Pure. What is read comes from any program: nothing is taken from behind its end, and no length is believed.

/// Little-endian, plain.
const HEADER: [u8; 4] = [0, 1, 0, 0];
/// Longest text that is skipped: more than any frame's name.
const TEXT_MAX_BYTES: usize = 64 * 1024;

/// A sample that is being written.
#[derive(Clone, Debug)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer { bytes: HEADER.to_vec() }
    }
}

impl Writer {
    fn align(&mut self, to: usize) {
        let length = (self.bytes.len() - HEADER.len()).next_multiple_of(to) + HEADER.len();
        self.bytes.resize(length, 0);
    }

    /// A byte.
    pub fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// A whole number of 32 bits; signed ones have the same bytes.
    pub fn word(&mut self, value: u32) {
        self.align(4);
        self.bytes.extend(value.to_le_bytes());
    }

    /// A number of 32 bits.
    pub fn single(&mut self, value: f32) {
        self.word(value.to_bits());
    }

    /// A number of 64 bits.
    pub fn double(&mut self, value: f64) {
        self.align(8);
        self.bytes.extend(value.to_le_bytes());
    }

    /// A text; a NUL in it would end it, and is left out.
    pub fn text(&mut self, text: &str) {
        let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
        self.word(u32::try_from(bytes.len() + 1).unwrap_or(u32::MAX));
        self.bytes.extend(bytes);
        self.bytes.push(0);
    }

    /// The sample, header first.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// A sample that is being read. Every reading is `None` where the sample has no such thing any more.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    body: &'a [u8],
    at: usize,
    is_little: bool,
}

impl<'a> Reader<'a> {
    /// Of a sample in plain CDR of either byte order; `None` of any other.
    pub fn new(sample: &'a [u8]) -> Option<Reader<'a>> {
        let (header, body) = sample.split_at_checked(HEADER.len())?;
        let is_little = match header {
            [0, 0, ..] => false,
            [0, 1, ..] => true,
            _ => return None,
        };
        Some(Reader { body, at: 0, is_little })
    }

    fn take<const N: usize>(&mut self, align: usize) -> Option<[u8; N]> {
        let begin = self.at.next_multiple_of(align);
        let bytes = self.body.get(begin..begin.checked_add(N)?)?;
        self.at = begin + N;
        let mut bytes: [u8; N] = bytes.try_into().ok()?;
        if !self.is_little {
            bytes.reverse();
        }
        Some(bytes)
    }

    /// A whole number of 32 bits.
    pub fn word(&mut self) -> Option<u32> {
        self.take::<4>(4).map(u32::from_le_bytes)
    }

    /// A number of 64 bits.
    pub fn double(&mut self) -> Option<f64> {
        self.take::<8>(8).map(f64::from_le_bytes)
    }

    /// Passes over so many numbers of 64 bits.
    pub fn skip_doubles(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.double().map(drop))
    }

    /// Passes over a text.
    pub fn skip_text(&mut self) -> Option<()> {
        let length = usize::try_from(self.word()?).ok().filter(|length| *length <= TEXT_MAX_BYTES)?;
        let end = self.at.checked_add(length)?;
        self.at = end;
        (end <= self.body.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_from_behind_the_header_and_texts_end_with_nul() {
        let mut writer = Writer::default();
        writer.byte(7);
        writer.word(1);
        writer.text("a\0bcd");
        writer.double(1.0);
        let bytes = writer.into_bytes();
        let expected = [
            &[0, 1, 0, 0][..],
            &[7, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, b'a', b'b', b'c', b'd', 0, 0, 0, 0, 0, 0, 0, 0],
            &1.0_f64.to_le_bytes(),
        ];
        assert_eq!(bytes, expected.concat());
    }

    #[test]
    fn either_byte_order_is_read_and_nothing_behind_the_end() {
        let little = [&[0, 1, 0, 0, 2, 0, 0, 0, b'x', 0, 0, 0][..], &2.5_f64.to_le_bytes()].concat();
        let big = [&[0, 0, 0, 0, 0, 0, 0, 2, b'x', 0, 0, 0][..], &2.5_f64.to_be_bytes()].concat();
        for sample in [little, big] {
            let read = |sample: &[u8]| {
                let mut reader = Reader::new(sample)?;
                reader.skip_text()?;
                reader.double()
            };
            assert_eq!(read(&sample), Some(2.5));
            for length in 0..sample.len() {
                assert_eq!(read(&sample[..length]), None, "{length}");
            }
        }
    }

    #[test]
    fn other_encodings_and_lengths_that_are_not_there_are_none() {
        assert!(Reader::new(&[0, 7, 0, 0, 1, 2, 3, 4]).is_none(), "XCDR2");
        let mut reader = Reader::new(&[0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff]).unwrap();
        assert_eq!(reader.skip_text(), None);
    }
}
