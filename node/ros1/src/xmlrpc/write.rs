//! Calls and answers, written (NODE-42).
//!
//! In the style that all readers known to us take, roscpp's included: no white space between tags, each value with its type's tag, no entity
//! other than `&lt;`, `&gt;`, `&amp;`, and `&#13;` for the carriage return, which would be read as a line feed if it stood there as itself.

use core::fmt::{self, Write};

use super::MAX_DEPTH;
use super::text::is_xml;
use super::value::Value;

/// Why something was not written. What was written until then is no document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WriteError {
    /// What it is written into has no room.
    Full,
    /// A character that XML 1.0 does not have.
    Character(char),
    /// A double that is not finite.
    NotFinite(f64),
    /// Values nested too deep.
    Depth,
    /// Another number of values than one, where one belongs.
    NotOne(u32),
}

impl From<fmt::Error> for WriteError {
    fn from(_: fmt::Error) -> WriteError {
        WriteError::Full
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Full => f.write_str("no room for the document; give a longer buffer"),
            WriteError::Character(c) => {
                write!(f, "XML 1.0 has no character U+{:04X}; leave it out, or write base64", u32::from(*c))
            }
            WriteError::NotFinite(number) => {
                write!(f, "XML-RPC has no double {number}; write a finite one, or a string")
            }
            WriteError::Depth => write!(f, "values nested more than {MAX_DEPTH} deep; write a flatter one"),
            WriteError::NotOne(count) => write!(f, "{count} values where one belongs; write one"),
        }
    }
}

impl core::error::Error for WriteError {}

type Written = Result<(), WriteError>;

/// Writes whole documents. What is not possible is a [`WriteError`].
#[derive(Debug)]
pub struct Writer;

impl Writer {
    /// A call of `method` with the values that `params` writes.
    pub fn call<W: Write>(
        out: &mut W,
        method: &str,
        params: impl FnOnce(&mut Values<'_, W>) -> Written,
    ) -> Written {
        out.write_str("<?xml version=\"1.0\"?><methodCall><methodName>")?;
        characters(out, method.chars())?;
        out.write_str("</methodName><params>")?;
        params(&mut Values { out, depth: MAX_DEPTH, params: true, count: 0 })?;
        Ok(out.write_str("</params></methodCall>")?)
    }

    /// An answer with the one value that `value` writes.
    pub fn answer<W: Write>(out: &mut W, value: impl FnOnce(&mut Values<'_, W>) -> Written) -> Written {
        out.write_str("<?xml version=\"1.0\"?><methodResponse><params><param>")?;
        one(out, MAX_DEPTH, value)?;
        Ok(out.write_str("</param></params></methodResponse>")?)
    }

    /// The answer to a call that is wrong itself.
    pub fn fault<W: Write>(out: &mut W, code: i32, text: &str) -> Written {
        out.write_str("<?xml version=\"1.0\"?><methodResponse><fault>")?;
        one(out, MAX_DEPTH, |fault| {
            fault.structure(|members| {
                members.member("faultCode", |value| value.int(code))?;
                members.member("faultString", |value| value.string(text))
            })
        })?;
        Ok(out.write_str("</fault></methodResponse>")?)
    }

    /// The answer of one of ROS's methods (NODE-43): 1 done, 0 failed, -1 the caller's mistake.
    pub fn triple<W: Write>(
        out: &mut W,
        code: i32,
        text: &str,
        value: impl FnOnce(&mut Values<'_, W>) -> Written,
    ) -> Written {
        Writer::answer(out, |answer| {
            answer.array(|three| {
                three.int(code)?;
                three.string(text)?;
                let before = three.count;
                value(three)?;
                exactly_one(three.count - before)
            })
        })
    }
}

/// Writes values: the parameters of a call, the items of an array, or the one of an answer or member.
#[derive(Debug)]
pub struct Values<'w, W> {
    out: &'w mut W,
    /// So many more may be inside one another, those of this one included.
    depth: u8,
    params: bool,
    count: u32,
}

/// Writes the members of a struct.
#[derive(Debug)]
pub struct Fields<'w, W> {
    out: &'w mut W,
    depth: u8,
}

impl<W: Write> Values<'_, W> {
    /// `int`.
    pub fn int(&mut self, value: i32) -> Written {
        self.typed("int", |out| Ok(write!(out, "{value}")?))
    }

    /// `i8`. roscpp cannot read it.
    pub fn long(&mut self, value: i64) -> Written {
        self.typed("i8", |out| Ok(write!(out, "{value}")?))
    }

    /// `boolean`.
    pub fn boolean(&mut self, value: bool) -> Written {
        self.typed("boolean", |out| Ok(out.write_char(if value { '1' } else { '0' })?))
    }

    /// `double`, in the fewest digits that are read back as the same; with an exponent where Python has one.
    pub fn double(&mut self, value: f64) -> Written {
        if !value.is_finite() {
            return Err(WriteError::NotFinite(value));
        }
        self.typed("double", |out| Ok(write!(out, "{value:?}")?))
    }

    /// `string`.
    pub fn string(&mut self, value: &str) -> Written {
        self.characters("string", value.chars())
    }

    /// `dateTime.iso8601`, such as `19980717T14:08:55`; written as it is given.
    pub fn date_time(&mut self, value: &str) -> Written {
        self.characters("dateTime.iso8601", value.chars())
    }

    /// `base64`.
    pub fn base64(&mut self, value: impl IntoIterator<Item = u8>) -> Written {
        self.typed("base64", |out| Ok(base64(out, value.into_iter())?))
    }

    /// `nil`. roscpp cannot read it.
    pub fn nil(&mut self) -> Written {
        self.element(|out, _| Ok(out.write_str("<nil/>")?))
    }

    /// `array`, with the values that `items` writes.
    pub fn array(&mut self, items: impl FnOnce(&mut Values<'_, W>) -> Written) -> Written {
        self.element(|out, depth| {
            out.write_str("<array><data>")?;
            items(&mut Values { out, depth, params: false, count: 0 })?;
            Ok(out.write_str("</data></array>")?)
        })
    }

    /// `struct`, with the members that `members` writes.
    pub fn structure(&mut self, members: impl FnOnce(&mut Fields<'_, W>) -> Written) -> Written {
        self.element(|out, depth| {
            out.write_str("<struct>")?;
            members(&mut Fields { out, depth })?;
            Ok(out.write_str("</struct>")?)
        })
    }

    /// A value that was read, whatever its type.
    pub fn value(&mut self, value: Value<'_>) -> Written {
        match value {
            Value::Int(value) => self.int(value),
            Value::Long(value) => self.long(value),
            Value::Bool(value) => self.boolean(value),
            Value::Double(value) => self.double(value),
            Value::Str(text) => self.characters("string", text.chars()),
            Value::DateTime(text) => self.characters("dateTime.iso8601", text.chars()),
            Value::Base64(bytes) => self.base64(bytes.bytes()),
            Value::Array(mut items) => self.array(|array| items.try_for_each(|item| array.value(item))),
            Value::Struct(mut members) => self.structure(|fields| {
                members.try_for_each(|(name, value)| fields.named(name.chars(), |out| out.value(value)))
            }),
            Value::Nil => self.nil(),
        }
    }

    fn characters(&mut self, kind: &str, text: impl Iterator<Item = char>) -> Written {
        self.typed(kind, |out| characters(out, text))
    }

    fn typed(&mut self, kind: &str, inside: impl FnOnce(&mut W) -> Written) -> Written {
        self.element(|out, _| {
            write!(out, "<{kind}>")?;
            inside(out)?;
            Ok(write!(out, "</{kind}>")?)
        })
    }

    fn element(&mut self, inside: impl FnOnce(&mut W, u8) -> Written) -> Written {
        let depth = self.depth.checked_sub(1).ok_or(WriteError::Depth)?;
        self.out.write_str(if self.params { "<param><value>" } else { "<value>" })?;
        inside(self.out, depth)?;
        self.out.write_str(if self.params { "</value></param>" } else { "</value>" })?;
        self.count += 1;
        Ok(())
    }
}

impl<W: Write> Fields<'_, W> {
    /// A member with the one value that `value` writes.
    pub fn member(&mut self, name: &str, value: impl FnOnce(&mut Values<'_, W>) -> Written) -> Written {
        self.named(name.chars(), value)
    }

    fn named(
        &mut self,
        name: impl Iterator<Item = char>,
        value: impl FnOnce(&mut Values<'_, W>) -> Written,
    ) -> Written {
        self.out.write_str("<member><name>")?;
        characters(self.out, name)?;
        self.out.write_str("</name>")?;
        one(self.out, self.depth, value)?;
        Ok(self.out.write_str("</member>")?)
    }
}

fn one<W: Write>(out: &mut W, depth: u8, value: impl FnOnce(&mut Values<'_, W>) -> Written) -> Written {
    let mut values = Values { out, depth, params: false, count: 0 };
    value(&mut values)?;
    exactly_one(values.count)
}

fn exactly_one(count: u32) -> Written {
    if count == 1 { Ok(()) } else { Err(WriteError::NotOne(count)) }
}

fn characters(out: &mut impl Write, mut text: impl Iterator<Item = char>) -> Written {
    text.try_for_each(|c| {
        Ok(match c {
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '&' => out.write_str("&amp;"),
            '\r' => out.write_str("&#13;"),
            c if is_xml(c) => out.write_char(c),
            c => return Err(WriteError::Character(c)),
        }?)
    })
}

/// RFC 4648, section 4.
fn base64(out: &mut impl Write, mut bytes: impl Iterator<Item = u8>) -> fmt::Result {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while let Some(first) = bytes.next() {
        let (second, third) = (bytes.next(), bytes.next());
        let bits = u32::from_be_bytes([0, first, second.unwrap_or(0), third.unwrap_or(0)]);
        let digit = |place: u32| char::from(DIGITS[(bits >> (6 * place)) as usize % 64]);
        out.write_char(digit(3))?;
        out.write_char(digit(2))?;
        out.write_char(if second.is_some() { digit(1) } else { '=' })?;
        out.write_char(if third.is_some() { digit(0) } else { '=' })?;
    }
    Ok(())
}
