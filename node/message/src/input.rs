//! Bytes that came from outside, read from front to back (NODE-36).

use core::fmt;

/// What is left of a message in its wire form.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    left: &'a [u8],
}

impl<'a> Input<'a> {
    /// All of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { left: bytes }
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    ///
    /// [`ReadError::Short`].
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let (taken, left) = self.left.split_at_checked(count).ok_or(ReadError::Short)?;
        self.left = left;
        Ok(taken)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    ///
    /// [`ReadError::Short`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let (taken, left) = self.left.split_first_chunk().ok_or(ReadError::Short)?;
        self.left = left;
        Ok(*taken)
    }

    /// The number of elements of an array, each of at least `least` bytes: never more than can follow, so that memory may be taken for them.
    ///
    /// # Errors
    ///
    /// [`ReadError::Short`], [`ReadError::Count`].
    pub fn count(&mut self, least: usize) -> Result<usize, ReadError> {
        let count = u32::from_le_bytes(self.array()?);
        let most = match least {
            0 => EMPTY_ELEMENTS,
            _ => self.left.len() / least,
        };
        if count as usize > most { Err(ReadError::Count(count)) } else { Ok(count as usize) }
    }

    /// Bytes that are left.
    pub const fn len(&self) -> usize {
        self.left.len()
    }

    /// Whether everything has been read.
    pub const fn is_empty(&self) -> bool {
        self.left.is_empty()
    }
}

/// Elements of a type without fields take no bytes; so many of them are believed.
const EMPTY_ELEMENTS: usize = 1 << 16;

/// Bytes that are no message of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The message ends before its last field does.
    Short,
    /// An array says that it has so many elements, more than the bytes after it can be.
    Count(u32),
    /// A string is not UTF-8.
    Text,
    /// So many bytes follow after the last field.
    Rest(usize),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Short => f.write_str("the message ends before its last field does"),
            ReadError::Count(count) => {
                write!(f, "an array of {count} elements is longer than the message that it is in")
            }
            ReadError::Text => f.write_str("a string is not UTF-8"),
            ReadError::Rest(bytes) => write!(f, "{bytes} bytes follow after the last field"),
        }
    }
}

impl core::error::Error for ReadError {}
