//! A head: where it ends, its first line, and the three fields that say where the body ends and whether the connection stays.
//!
//! Lenient where RFC 9112 lets a recipient be (line ends of a bare LF, empty lines before the head), strict where leniency lets two
//! recipients disagree about where a body ends: spaces before the colon, folded lines, signs and lists in a length.

use super::{MAX_HEAD, MAX_LINES, Refusal};

/// A head that is there to its end.
pub(super) struct Head<'a> {
    /// Its first line, ASCII without control characters.
    pub first: &'a str,
    lines: &'a [u8],
    /// Its bytes, with the empty lines before it and the one after.
    pub used: usize,
}

/// What the fields say.
#[derive(Clone, Copy, Default)]
pub(super) struct Fields {
    /// `Content-Length`, bytes.
    pub length: Option<u64>,
    /// `Connection: close`.
    pub close: bool,
    /// `Connection: keep-alive`.
    pub keep: bool,
    /// Any `Transfer-Encoding`.
    pub pieces: bool,
}

impl Fields {
    /// Whether the connection stays open (RFC 9112, section 9.3); HTTP/1.`minor`.
    pub fn keep_alive(self, minor: u8) -> bool {
        !self.close && (minor > 0 || self.keep)
    }
}

/// The lines before the first empty one. `None`: more has to come.
pub(super) fn find(bytes: &[u8]) -> Result<Option<Head<'_>>, Refusal> {
    let window = &bytes[..bytes.len().min(MAX_HEAD)];
    let (mut at, mut begin, mut count) = (0, 0, 0);
    while let Some(length) = window[at..].iter().position(|&byte| byte == b'\n') {
        let (line, next) = (without_return(&window[at..at + length]), at + length + 1);
        match (line.is_empty(), count) {
            (true, 0) => begin = next,
            (true, _) => return whole(&window[begin..at], next).map(Some),
            (false, MAX_LINES) => return Err(Refusal::HeadTooLong),
            (false, _) => count += 1,
        }
        at = next;
    }
    if bytes.len() < MAX_HEAD { Ok(None) } else { Err(Refusal::HeadTooLong) }
}

fn whole(text: &[u8], used: usize) -> Result<Head<'_>, Refusal> {
    let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
    let first = without_return(&text[..end]);
    if !first.iter().all(|&byte| byte == b' ' || byte.is_ascii_graphic()) {
        return Err(Refusal::Malformed("first line"));
    }
    let first = core::str::from_utf8(first).map_err(|_| Refusal::Malformed("first line"))?;
    Ok(Head { first, lines: text.get(end + 1..).unwrap_or_default(), used })
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl Head<'_> {
    pub fn fields(&self) -> Result<Fields, Refusal> {
        let mut fields = Fields::default();
        let lines = self.lines.strip_suffix(b"\n").unwrap_or(self.lines);
        if lines.is_empty() {
            return Ok(fields);
        }
        for line in lines.split(|&byte| byte == b'\n').map(without_return) {
            let (name, value) = field(line)?;
            if name.eq_ignore_ascii_case(b"content-length") {
                fields.length = Some(same(fields.length, value)?);
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                fields.pieces = true;
            } else if name.eq_ignore_ascii_case(b"connection") {
                let mut words = value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
                fields.close |= words.clone().any(|word| word.eq_ignore_ascii_case(b"close"));
                fields.keep |= words.any(|word| word.eq_ignore_ascii_case(b"keep-alive"));
            }
        }
        Ok(fields)
    }
}

/// `NAME: VALUE`. A line that begins with a space would go on with the one before (RFC 9112, section 5.2): its name is no token.
fn field(line: &[u8]) -> Result<(&[u8], &[u8]), Refusal> {
    let colon =
        line.iter().position(|&byte| byte == b':').ok_or(Refusal::Malformed("field without a colon"))?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    if name.is_empty() || !name.iter().copied().all(is_token) {
        return Err(Refusal::Malformed("name of a field"));
    }
    if value.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()) {
        return Err(Refusal::Malformed("value of a field"));
    }
    Ok((name, value.trim_ascii()))
}

/// RFC 9110, section 5.6.2.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A length, and the same as the one before.
fn same(before: Option<u64>, digits: &[u8]) -> Result<u64, Refusal> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::Malformed("Content-Length"));
    }
    let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    let length = digits.iter().fold(0, add);
    match before {
        Some(other) if other != length => {
            Err(Refusal::Malformed("Content-Length: there are two that differ"))
        }
        _ => Ok(length),
    }
}
