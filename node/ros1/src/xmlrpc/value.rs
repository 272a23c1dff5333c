//! Values: read from where they begin, their insides checked now and walked later.

use super::MAX_DEPTH;
use super::error::{Problem, XmlError};
use super::scan::{Scanner, Tag};
use super::text::{Base64, Text};

/// A value. What it has inside points into the document.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// `i4`, `int`.
    Int(i32),
    /// `i8`.
    Long(i64),
    /// `boolean`.
    Bool(bool),
    /// `double`. Not always finite: rospy writes parameters such as `inf` so.
    Double(f64),
    /// `string`, or no type.
    Str(Text<'a>),
    /// `dateTime.iso8601`, as it was written.
    DateTime(Text<'a>),
    /// `base64`.
    Base64(Base64<'a>),
    /// `array`.
    Array(Items<'a>),
    /// `struct`.
    Struct(Members<'a>),
    /// `nil`.
    Nil,
}

/// The values of an array, or the parameters of a call, in order.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    /// From the first to the last.
    pub(super) text: &'a str,
    /// So many are left.
    pub(super) left: usize,
    /// Each stands in `<param>`.
    pub(super) params: bool,
}

/// The members of a struct, in the order of the document; a name may come more than once.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    text: &'a str,
    left: usize,
}

type Read<T> = Result<T, XmlError>;

/// White space and the tag that opens `name`.
pub(super) fn open(scanner: &mut Scanner<'_>, name: &'static str) -> Read<()> {
    let start = scanner.at();
    scanner.blank(name)?;
    if scanner.tag()? == Tag::Open(name) { Ok(()) } else { Err(Problem::Expected(name).at(start)) }
}

/// White space and the tag that closes `name`.
pub(super) fn close(scanner: &mut Scanner<'_>, name: &'static str) -> Read<()> {
    if next_in(scanner, name, "")? { scanner.wrong(Problem::Expected(name)) } else { Ok(()) }
}

/// White space and either the tag that opens the next `child`, or the one that closes `parent`.
pub(super) fn next_in(scanner: &mut Scanner<'_>, parent: &'static str, child: &'static str) -> Read<bool> {
    let start = scanner.at();
    scanner.blank(if child.is_empty() { parent } else { child })?;
    match scanner.tag()? {
        Tag::Open(name) if name == child => Ok(true),
        Tag::Close(name) if name == parent => Ok(false),
        Tag::Close(_) => Err(Problem::Expected(parent).at(start)),
        Tag::Open(_) => Err(Problem::Expected(if child.is_empty() { parent } else { child }).at(start)),
    }
}

/// A value whose `<value>` is read already, to its end. `depth`: so many more may be inside one another, this one included.
pub(super) fn value<'a>(scanner: &mut Scanner<'a>, depth: u8) -> Read<Value<'a>> {
    let start = scanner.at();
    let Some(inside) = depth.checked_sub(1) else { return scanner.wrong(Problem::Depth) };
    let before = scanner.text()?;
    match scanner.tag()? {
        Tag::Close("value") => Ok(Value::Str(before)),
        Tag::Open(kind) if before.is_blank() => {
            let value = typed(scanner, kind, inside)?;
            close(scanner, "value")?;
            Ok(value)
        }
        _ => Err(Problem::Expected("value").at(start)),
    }
}

/// A value whose `<KIND>` is read already.
fn typed<'a>(scanner: &mut Scanner<'a>, kind: &str, inside: u8) -> Read<Value<'a>> {
    match kind {
        "int" => number(scanner, "int").map(Value::Int),
        "i4" => number(scanner, "i4").map(Value::Int),
        "i8" => number(scanner, "i8").map(Value::Long),
        "double" => number(scanner, "double").map(Value::Double),
        "boolean" => boolean(scanner),
        "string" => leaf(scanner, "string").map(Value::Str),
        "dateTime.iso8601" => leaf(scanner, "dateTime.iso8601").map(Value::DateTime),
        "base64" => {
            let start = scanner.at();
            Base64::checked(leaf(scanner, "base64")?).map(Value::Base64).ok_or(Problem::Base64.at(start))
        }
        "array" => array(scanner, inside).map(Value::Array),
        "struct" => members(scanner, inside).map(Value::Struct),
        "nil" => close(scanner, "nil").map(|()| Value::Nil),
        _ => scanner.wrong(Problem::Type),
    }
}

/// The text up to the tag that closes `name`.
pub(super) fn leaf<'a>(scanner: &mut Scanner<'a>, name: &'static str) -> Read<Text<'a>> {
    let text = scanner.text()?;
    let end = scanner.at();
    if scanner.tag()? == Tag::Close(name) { Ok(text) } else { Err(Problem::Expected(name).at(end)) }
}

/// A number of any type, white space around it allowed.
fn number<T: core::str::FromStr>(scanner: &mut Scanner<'_>, kind: &'static str) -> Read<T> {
    let start = scanner.at();
    let text = leaf(scanner, kind)?;
    let parsed = text.trimmed(&mut [0; 64]).and_then(|digits| digits.parse().ok());
    parsed.ok_or(Problem::Number(kind).at(start))
}

fn boolean<'a>(scanner: &mut Scanner<'a>) -> Read<Value<'a>> {
    let start = scanner.at();
    match leaf(scanner, "boolean")?.trimmed(&mut [0; 64]) {
        Some("0") => Ok(Value::Bool(false)),
        Some("1") => Ok(Value::Bool(true)),
        _ => Err(Problem::Boolean.at(start)),
    }
}

fn array<'a>(scanner: &mut Scanner<'a>, inside: u8) -> Read<Items<'a>> {
    open(scanner, "data")?;
    let (start, mut left, mut end) = (scanner.at(), 0, scanner.at());
    while next_in(scanner, "data", "value")? {
        value(scanner, inside)?;
        (left, end) = (left + 1, scanner.at());
    }
    let text = &scanner.since(start)[..end - start];
    close(scanner, "array")?;
    Ok(Items { text, left, params: false })
}

fn members<'a>(scanner: &mut Scanner<'a>, inside: u8) -> Read<Members<'a>> {
    let (start, mut left, mut end) = (scanner.at(), 0, scanner.at());
    while next_in(scanner, "struct", "member")? {
        member(scanner, inside)?;
        (left, end) = (left + 1, scanner.at());
    }
    Ok(Members { text: &scanner.since(start)[..end - start], left })
}

/// A member whose `<member>` is read already, to its end.
fn member<'a>(scanner: &mut Scanner<'a>, inside: u8) -> Read<(Text<'a>, Value<'a>)> {
    open(scanner, "name")?;
    let name = leaf(scanner, "name")?;
    open(scanner, "value")?;
    let value = value(scanner, inside)?;
    close(scanner, "member")?;
    Ok((name, value))
}

/// A parameter whose `<param>` is read already, to its end.
pub(super) fn param<'a>(scanner: &mut Scanner<'a>) -> Read<Value<'a>> {
    open(scanner, "value")?;
    let value = value(scanner, MAX_DEPTH)?;
    close(scanner, "param")?;
    Ok(value)
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        let mut scanner = Scanner::inside(self.text);
        // Checked already, by the same functions: it does not fail.
        let value = if self.params {
            open(&mut scanner, "param").and_then(|()| param(&mut scanner))
        } else {
            open(&mut scanner, "value").and_then(|()| value(&mut scanner, MAX_DEPTH))
        };
        self.text = &self.text[scanner.at()..];
        value.ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}

impl<'a> Iterator for Members<'a> {
    type Item = (Text<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut scanner = Scanner::inside(self.text);
        let read = open(&mut scanner, "member").and_then(|()| member(&mut scanner, MAX_DEPTH));
        self.text = &self.text[scanner.at()..];
        read.ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Members<'_> {}

impl<'a> Members<'a> {
    /// The value of that name; of several the last, as in Python.
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        self.filter(|(own, _)| *own == *name).last().map(|(_, value)| value)
    }
}
