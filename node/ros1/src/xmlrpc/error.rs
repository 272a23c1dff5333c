//! What can be wrong with a document, with the byte and a remedy.

use core::fmt;

use super::MAX_DEPTH;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Bytes that are no UTF-8.
    Utf8,
    /// A declaration of another encoding.
    Encoding,
    /// A character that XML 1.0 does not have, as itself or as `&#N;`.
    Character,
    /// A document type.
    Doctype,
    /// The end, before the document's.
    Ended,
    /// No tag, comment, CDATA section or processing instruction, where one begins.
    Markup,
    /// No entity where `&` begins one.
    Entity,
    /// `]]>` that ends nothing.
    SectionEnd,
    /// Something else than what belongs there.
    Expected(&'static str),
    /// No type of a value.
    Type,
    /// No number of the type; or one that is not written plainly (entities, CDATA) in more than 64 bytes.
    Number(&'static str),
    /// A boolean other than 0 and 1.
    Boolean,
    /// No base64.
    Base64,
    /// Values nested too deep.
    Depth,
    /// A fault without its code or its text.
    Fault,
    /// Something behind the document.
    Behind,
}

/// A document that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XmlError {
    /// Bytes before it.
    pub at: usize,
    /// What is wrong.
    pub problem: Problem,
}

impl Problem {
    pub(super) fn at(self, at: usize) -> XmlError {
        XmlError { at, problem: self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::Utf8 => "not UTF-8; send text as UTF-8",
            Problem::Encoding => "another encoding than UTF-8 declared; send UTF-8",
            Problem::Character => "a character that XML 1.0 does not have; send it in base64",
            Problem::Doctype => "a DOCTYPE; leave it out",
            Problem::Ended => "ends in the middle; send the whole document",
            Problem::Markup => "not a well-formed tag, comment or section; write < as &lt;",
            Problem::Entity => "not one of &amp; &lt; &gt; &apos; &quot; &#N; &#xH;; write & as &amp;",
            Problem::SectionEnd => "]]> outside a CDATA section; write > as &gt;",
            Problem::Expected(what) => return write!(f, "{what} belongs here"),
            Problem::Type => {
                "no type of a value; it is one of i4, int, i8, boolean, double, string, dateTime.iso8601, base64, array, struct, nil"
            }
            Problem::Number(of) => return write!(f, "no number of type {of}, or one out of its range"),
            Problem::Boolean => "no boolean; it is 0 or 1",
            Problem::Base64 => "no base64; it is groups of 4 of A-Z a-z 0-9 + /, the last one filled up with =",
            Problem::Depth => return write!(f, "values nested more than {MAX_DEPTH} deep; send a flatter one"),
            Problem::Fault => "a fault is a struct with the int faultCode and the string faultString",
            Problem::Behind => "something behind the document; leave it out",
        })
    }
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XML, byte {}: {}", self.at, self.problem)
    }
}

impl core::error::Error for XmlError {}
