//! What a definition says.

use std::fmt;

use crate::error::{Error, Problem};

/// The name of a type, `PACKAGE/NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// The package: a letter, then letters, digits and `_`.
    pub package: String,
    /// The type's own name: a letter, then letters, digits and `_`.
    pub own: String,
}

impl Name {
    /// From `PACKAGE/NAME`.
    ///
    /// # Errors
    ///
    /// [`Problem::Name`]: it is none.
    pub fn parse(text: &str) -> Result<Name, Error> {
        Name::within(text).ok_or_else(|| Problem::Name(text.to_owned()).nowhere())
    }

    pub(crate) fn within(text: &str) -> Option<Name> {
        let (package, own) = text.split_once('/')?;
        (is_word(package) && is_word(own)).then(|| Name { package: package.to_owned(), own: own.to_owned() })
    }

    pub(crate) fn header() -> Name {
        Name { package: "std_msgs".to_owned(), own: "Header".to_owned() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.package, self.own)
    }
}

/// A letter, then letters, digits and `_`: names of packages, types, fields and constants.
pub(crate) fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|other| other.is_ascii_alphanumeric() || other == '_')
}

/// A type that needs no definition. `time` and `duration` are two words of 32 bits, seconds and nanoseconds.
#[allow(missing_docs)] // each is what its name says
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    Bool,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float32,
    Float64,
    String,
    Time,
    Duration,
    /// Deprecated alias of int8.
    Byte,
    /// Deprecated alias of uint8.
    Char,
}

impl Builtin {
    const ALL: [(Builtin, &str); 16] = [
        (Builtin::Bool, "bool"),
        (Builtin::Int8, "int8"),
        (Builtin::Uint8, "uint8"),
        (Builtin::Int16, "int16"),
        (Builtin::Uint16, "uint16"),
        (Builtin::Int32, "int32"),
        (Builtin::Uint32, "uint32"),
        (Builtin::Int64, "int64"),
        (Builtin::Uint64, "uint64"),
        (Builtin::Float32, "float32"),
        (Builtin::Float64, "float64"),
        (Builtin::String, "string"),
        (Builtin::Time, "time"),
        (Builtin::Duration, "duration"),
        (Builtin::Byte, "byte"),
        (Builtin::Char, "char"),
    ];

    pub(crate) fn from_word(word: &str) -> Option<Builtin> {
        Builtin::ALL.iter().find(|(_, name)| *name == word).map(|(builtin, _)| *builtin)
    }

    /// The word of `.msg` files.
    pub fn as_str(self) -> &'static str {
        Builtin::ALL.iter().find(|(builtin, _)| *builtin == self).map_or("", |(_, name)| name)
    }

    /// The least and the greatest value, of an integer.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        let signed = |bits: u32| (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1);
        let unsigned = |bits: u32| (0, (1_i128 << bits) - 1);
        Some(match self {
            Builtin::Int8 | Builtin::Byte => signed(8),
            Builtin::Int16 => signed(16),
            Builtin::Int32 => signed(32),
            Builtin::Int64 => signed(64),
            Builtin::Uint8 | Builtin::Char => unsigned(8),
            Builtin::Uint16 => unsigned(16),
            Builtin::Uint32 => unsigned(32),
            Builtin::Uint64 => unsigned(64),
            _ => return None,
        })
    }
}

/// What one element is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// Needs no definition.
    Builtin(Builtin),
    /// Another message.
    Message(Name),
}

/// How many elements there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// `[]`: as many as the message says.
    Any,
    /// `[N]`.
    Exactly(u32),
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// One element.
    pub base: Base,
    /// Nothing: it is a single one.
    pub array: Option<Array>,
}

/// `TYPE NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it is.
    pub of: Type,
    /// What it is called.
    pub name: String,
}

/// `TYPE NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// What it is: a number, `bool` or `string`.
    pub of: Builtin,
    /// What it is called.
    pub name: String,
    /// The value as it is written, which its md5sum goes by.
    pub value: String,
}

/// What a `.msg` file, or half of a `.srv` file, says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// In their order.
    pub constants: Vec<Constant>,
    /// In their order, which is that on the wire.
    pub fields: Vec<Field>,
    /// The text itself.
    pub text: String,
}

impl Definition {
    /// The messages that it uses, in the order of its fields; one that is used twice is there twice.
    pub fn uses(&self) -> impl Iterator<Item = &Name> {
        self.fields.iter().filter_map(|field| match &field.of.base {
            Base::Message(name) => Some(name),
            Base::Builtin(_) => None,
        })
    }
}

/// What a `.srv` file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Before `---`.
    pub request: Definition,
    /// After it.
    pub response: Definition,
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Base::Builtin(builtin) => f.write_str(builtin.as_str()),
            Base::Message(name) => name.fmt(f),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.array {
            None => self.base.fmt(f),
            Some(Array::Any) => write!(f, "{}[]", self.base),
            Some(Array::Exactly(count)) => write!(f, "{}[{count}]", self.base),
        }
    }
}
