//! Sizes of messages, as people write them.

use std::fmt;
use std::str::FromStr;

/// Bytes of a message: 32 to 16 MB (LOCAL-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u32);

const KB: u32 = 1024;
const MB: u32 = 1024 * KB;

impl Size {
    /// As small as a command of a robot.
    pub const SMALL: Size = Size(64);
    /// As big as a picture.
    pub const LARGE: Size = Size(3 * MB);

    /// So many, if a peer takes that.
    pub fn of(bytes: u32) -> Option<Size> {
        (32..=16 * MB).contains(&bytes).then_some(Size(bytes))
    }

    /// How many.
    pub const fn bytes(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= MB && bytes.is_multiple_of(MB) => f.pad(&format!("{} MB", bytes / MB)),
            bytes if bytes >= KB && bytes.is_multiple_of(KB) => f.pad(&format!("{} KB", bytes / KB)),
            bytes => f.pad(&format!("{bytes} B")),
        }
    }
}

/// Of a result's case: as a size, or in bytes where no peer takes such a one.
pub(crate) fn told(bytes: u64) -> String {
    let size = u32::try_from(bytes).ok().and_then(Size::of);
    size.map_or_else(|| format!("{bytes} B"), |size| size.to_string())
}

/// The word is no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSize;

impl fmt::Display for UnknownSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a size: give bytes from 32 to 16777216, or such as 4K or 3M (of 1024 each)")
    }
}

impl std::error::Error for UnknownSize {}

impl FromStr for Size {
    type Err = UnknownSize;

    fn from_str(word: &str) -> Result<Size, UnknownSize> {
        let (digits, unit) = match word.strip_suffix(['K', 'k']) {
            Some(digits) => (digits, KB),
            None => word.strip_suffix(['M', 'm']).map_or((word, 1), |digits| (digits, MB)),
        };
        let number: u32 = digits.parse().map_err(|_| UnknownSize)?;
        number.checked_mul(unit).and_then(Size::of).ok_or(UnknownSize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_told_in_bytes_and_multiples_of_1024() {
        let told = |word: &str| word.parse::<Size>().map(|size| size.to_string());
        assert_eq!(told("64"), Ok("64 B".to_owned()));
        assert_eq!(told("4K"), Ok("4 KB".to_owned()));
        assert_eq!(told("3145728"), Ok("3 MB".to_owned()));
        assert_eq!(told("1000"), Ok("1000 B".to_owned()));
        assert_eq!("3m".parse(), Ok(Size::LARGE));
    }

    #[test]
    fn what_no_peer_takes_is_no_size() {
        for word in ["31", "17M", "16777217", "4 K", "-1", "K", "", "4294967295M", "3MB"] {
            assert_eq!(word.parse::<Size>(), Err(UnknownSize), "{word}");
        }
    }
}
