//! The header of a connection (NODE-44): `LENGTH (LENGTH NAME=VALUE)*`, lengths of 32 bits, little endian.

use core::fmt;

use crate::Progress;

/// Bytes of a header's fields at most, its own length not counted.
pub const MAX_HEADER: usize = 64 << 10;

/// A header that is checked to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    fields: &'a [u8],
}

/// The fields of a header, name and value, in the order in which they stand there.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

/// Why a header is not read or not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// Longer than allowed.
    TooLong {
        /// So many bytes it has.
        len: usize,
        /// So many it may have.
        max: usize,
    },
    /// A field that goes on beyond the header's end.
    Beyond,
    /// A field that is not `NAME=VALUE`.
    NoName,
    /// A name to write that has `=` in it, or nothing.
    Name,
    /// No room for what is written.
    Full,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderError::TooLong { len, max } => {
                write!(f, "a TCPROS header of {len} bytes; at most {max} are taken")
            }
            HeaderError::Beyond => f.write_str("a field of the TCPROS header goes beyond the header's end"),
            HeaderError::NoName => f.write_str("a field of the TCPROS header is not NAME=VALUE"),
            HeaderError::Name => f.write_str("a field's name is empty or has = in it; give another"),
            HeaderError::Full => f.write_str("no room for the TCPROS header; give a longer buffer"),
        }
    }
}

impl core::error::Error for HeaderError {}

/// Reads a header off the front of `bytes`, of `max` bytes of fields and never more than [`MAX_HEADER`].
///
/// # Errors
/// Longer than that, told as soon as its length is there; or fields that are none.
pub fn read_header(bytes: &[u8], max: usize) -> Result<Progress<Header<'_>>, HeaderError> {
    let Some((len, rest)) = length(bytes) else { return Ok(Progress::More) };
    let max = max.min(MAX_HEADER);
    if len > max {
        return Err(HeaderError::TooLong { len, max });
    }
    let Some(fields) = rest.get(..len) else { return Ok(Progress::More) };
    let mut unchecked = fields;
    while !unchecked.is_empty() {
        unchecked = field(unchecked)?.1;
    }
    Ok(Progress::Whole { message: Header { fields }, used: 4 + len })
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    // Where usize is 16 bits it is too long all the same.
    Some((usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX), rest))
}

type Field<'a> = (&'a [u8], &'a [u8]);

/// Name and value of the first field, and what is behind it.
fn field(bytes: &[u8]) -> Result<(Field<'_>, &[u8]), HeaderError> {
    let (len, rest) = length(bytes).ok_or(HeaderError::Beyond)?;
    let (text, rest) = rest.split_at_checked(len).ok_or(HeaderError::Beyond)?;
    let equals =
        text.iter().position(|&byte| byte == b'=').filter(|&at| at > 0).ok_or(HeaderError::NoName)?;
    Ok(((&text[..equals], &text[equals + 1..]), rest))
}

impl<'a> Header<'a> {
    /// The value of the first field of that name, if it is UTF-8. A definition may be something else: see [`Header::bytes`].
    pub fn get(self, name: &str) -> Option<&'a str> {
        core::str::from_utf8(self.bytes(name)?).ok()
    }

    /// The value of the first field of that name.
    pub fn bytes(self, name: &str) -> Option<&'a [u8]> {
        self.fields().find(|(own, _)| *own == name.as_bytes()).map(|(_, value)| value)
    }

    /// All fields, those that nobody knows included.
    pub fn fields(self) -> Fields<'a> {
        Fields { rest: self.fields }
    }
}

impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.fields().map(|(name, value)| (Shown(name), Shown(value)))).finish()
    }
}

/// Bytes that may be text.
struct Shown<'a>(&'a [u8]);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (first, rest) = field(self.rest).ok()?;
        self.rest = rest;
        Some(first)
    }
}

/// Writes a header into memory of the caller: 4 bytes, and for each field 5 and those of its name and value.
#[derive(Debug)]
pub struct HeaderWriter<'b> {
    memory: &'b mut [u8],
    used: usize,
}

impl<'b> HeaderWriter<'b> {
    /// A header without fields.
    ///
    /// # Errors
    /// No room for its length.
    pub fn new(memory: &'b mut [u8]) -> Result<HeaderWriter<'b>, HeaderError> {
        let mut writer = HeaderWriter { memory, used: 0 };
        writer.put(&[0; 4])?;
        Ok(writer)
    }

    /// A field more. Of fields of one name, who reads takes the first.
    ///
    /// # Errors
    /// No room, a header over [`MAX_HEADER`], or no name. The header is then what it was before.
    pub fn field(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        if name.is_empty() || name.contains('=') {
            return Err(HeaderError::Name);
        }
        let field = name.len().saturating_add(value.len()).saturating_add(1);
        // The header's own length does not count, the field's does: the same 4 bytes.
        let len = self.used.saturating_add(field);
        if len > MAX_HEADER {
            return Err(HeaderError::TooLong { len, max: MAX_HEADER });
        }
        let before = self.used;
        let written = [&u32_of(field)[..], name.as_bytes(), b"=", value.as_bytes()]
            .into_iter()
            .try_for_each(|part| self.put(part));
        if written.is_err() {
            self.used = before;
        }
        written
    }

    /// The header, ready to be sent.
    pub fn finish(self) -> &'b [u8] {
        let HeaderWriter { memory, used } = self;
        memory[..4].copy_from_slice(&u32_of(used - 4));
        &memory[..used]
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), HeaderError> {
        let room = self.memory[self.used..].get_mut(..bytes.len()).ok_or(HeaderError::Full)?;
        room.copy_from_slice(bytes);
        self.used += bytes.len();
        Ok(())
    }
}

/// At most [`MAX_HEADER`].
fn u32_of(length: usize) -> [u8; 4] {
    (length as u32).to_le_bytes()
}
