//! Text of a checked document: as it stands there, decoded while it is read out.

use core::fmt::{self, Write};

/// Text of a document. It may be in pieces (CDATA sections, comments between) and have entities; all of these are checked already.
#[derive(Clone, Copy)]
pub struct Text<'a>(pub(super) &'a str);

/// The characters of a [`Text`], decoded.
#[derive(Clone, Debug)]
pub struct Chars<'a> {
    rest: &'a str,
    in_section: bool,
}

pub(super) const SECTION: (&str, &str) = ("<![CDATA[", "]]>");
pub(super) const COMMENT: (&str, &str) = ("<!--", "-->");
pub(super) const INSTRUCTION: (&str, &str) = ("<?", "?>");

impl<'a> Text<'a> {
    /// The characters, decoded.
    pub fn chars(self) -> Chars<'a> {
        Chars { rest: self.0, in_section: false }
    }

    /// All of it as it stands in the document, if there is nothing to decode.
    pub fn plain(self) -> Option<&'a str> {
        (!self.0.contains(['&', '<', '\r'])).then_some(self.0)
    }

    /// No character.
    pub fn is_empty(self) -> bool {
        self.chars().next().is_none()
    }

    pub(super) fn is_blank(self) -> bool {
        self.chars().all(is_space)
    }

    /// The text less white space at both ends, in `room` unless it stands so in the document. `None`: it is longer than that.
    pub(super) fn trimmed<'r>(self, room: &'r mut [u8; 64]) -> Option<&'r str>
    where
        'a: 'r,
    {
        // A carriage return is to be trimmed, or else no part of what this is for.
        if !self.0.contains(['&', '<']) {
            return Some(self.0.trim_matches(is_space));
        }
        let mut buffer = crate::Buffer::new(room);
        self.chars().skip_while(|&c| is_space(c)).try_for_each(|c| buffer.write_char(c)).ok()?;
        let used = buffer.as_bytes().len();
        Some(core::str::from_utf8(&room[..used]).ok()?.trim_end_matches(is_space))
    }
}

/// XML 1.0, production 3.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// XML 1.0, production 2.
pub(super) fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The character that an entity stands for, and the entity's bytes. `None`: `text` begins with none; or that of a character that XML does
/// not have.
pub(super) fn entity(text: &str) -> Option<(char, usize)> {
    if !text.starts_with('&') {
        return None;
    }
    // The longest that means something is &#x, zeros left out, 6 digits and the semicolon; what has more zeros than that is nobody's.
    let end = text.bytes().take(16).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let decoded = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "quot" => '"',
        _ => numbered(name.strip_prefix('#')?)?,
    };
    Some((decoded, end + 1))
}

fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
    // from_str_radix would take a sign.
    let all_digits = digits.chars().all(|c| c.is_digit(radix));
    let code = u32::from_str_radix(digits, radix).ok().filter(|_| all_digits)?;
    char::from_u32(code).filter(|&c| is_xml(c))
}

impl Chars<'_> {
    /// One character of the document. Line ends are one line feed each, however they stand there (XML 1.0, section 2.11).
    fn literal(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = match chars.as_str().strip_prefix('\n') {
            Some(rest) if c == '\r' => rest,
            _ => chars.as_str(),
        };
        Some(if c == '\r' { '\n' } else { c })
    }

    /// Past what begins and ends with these, if it begins here. Its beginning is no part of its end: `<!-->` ends nothing.
    fn pass(&mut self, (begin, end): (&str, &str)) -> bool {
        let Some(inside) = self.rest.strip_prefix(begin) else { return false };
        self.rest = inside.split_once(end).map_or("", |(_, rest)| rest);
        true
    }
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            if self.in_section {
                match self.rest.strip_prefix(SECTION.1) {
                    Some(rest) => (self.rest, self.in_section) = (rest, false),
                    None => return self.literal(),
                }
            } else if let Some(rest) = self.rest.strip_prefix(SECTION.0) {
                (self.rest, self.in_section) = (rest, true);
            } else if self.pass(COMMENT) || self.pass(INSTRUCTION) {
                // It is no text.
            } else if let Some((c, used)) = entity(self.rest) {
                self.rest = &self.rest[used..];
                return Some(c);
            } else {
                return self.literal();
            }
        }
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Text<'_>) -> bool {
        self.chars().eq(other.chars())
    }
}

impl Eq for Text<'_> {}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|c| f.write_char(c))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        self.chars().flat_map(char::escape_debug).try_for_each(|c| f.write_char(c))?;
        f.write_char('"')
    }
}

/// Bytes of a document in base64 (RFC 4648, section 4), decoded while they are read out.
#[derive(Clone, Copy, Debug)]
pub struct Base64<'a>(Text<'a>);

impl<'a> Base64<'a> {
    /// White space may stand anywhere; nothing else may, and the last group is filled up.
    pub(super) fn checked(text: Text<'a>) -> Option<Base64<'a>> {
        let (mut digits, mut fill) = (0_usize, 0_usize);
        for c in text.chars().filter(|&c| !is_space(c)) {
            match (c, sextet(c)) {
                ('=', _) => fill += 1,
                (_, Some(_)) if fill == 0 => digits += 1,
                _ => return None,
            }
        }
        let whole = matches!((digits % 4, fill), (0, 0) | (2, 2) | (3, 1));
        whole.then_some(Base64(text))
    }

    /// The bytes, decoded.
    pub fn bytes(self) -> impl Iterator<Item = u8> + 'a {
        let mut sextets = self.0.chars().filter_map(sextet);
        let (mut bits, mut count) = (0_u32, 0);
        core::iter::from_fn(move || {
            while count < 8 {
                bits = bits << 6 | sextets.next()?;
                count += 6;
            }
            count -= 8;
            Some((bits >> count) as u8)
        })
    }
}

fn sextet(c: char) -> Option<u32> {
    Some(match c {
        'A'..='Z' => c as u32 - 'A' as u32,
        'a'..='z' => c as u32 - 'a' as u32 + 26,
        '0'..='9' => c as u32 - '0' as u32 + 52,
        '+' => 62,
        '/' => 63,
        _ => return None,
    })
}
