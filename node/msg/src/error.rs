//! What can be wrong with a definition, with place and remedy.

use std::fmt;

/// Where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, or the name of the type where there is none.
    pub file: String,
    /// From 1; 0: the whole of it.
    pub line: usize,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not a name of a type.
    #[error("\"{0}\" is no type's name; write PACKAGE/NAME, each a letter and then letters, digits or _")]
    Name(String),
    /// Not a line of a definition.
    #[error("\"{0}\" is neither a field nor a constant; write TYPE NAME or TYPE NAME=VALUE")]
    Line(String),
    /// Not a type.
    #[error(
        "\"{0}\" is no type; write a built-in one such as uint8 or string, NAME or PACKAGE/NAME, with [] or [N] after it for an array"
    )]
    Type(String),
    /// Not a name of a field.
    #[error("\"{0}\" is no name of a field; write a letter and then letters, digits or _")]
    FieldName(String),
    /// A name that is there already.
    #[error("{0} is there twice; give one of them another name")]
    Twice(String),
    /// A constant of a type that has none.
    #[error("a constant cannot be a {0}; it is a bool, a number or a string")]
    ConstantType(String),
    /// A value that the constant's type does not have.
    #[error("{value} is no {of}{hint}")]
    Value {
        /// The value as it is written.
        value: String,
        /// The type.
        of: &'static str,
        /// What would be.
        hint: String,
    },
    /// A service without two halves.
    #[error("{0} lines of --- where a service has one, between request and response")]
    Halves(usize),
    /// A type that is nowhere.
    #[error("{name} is not defined{looked}; give the folder that has {}/msg/{}.msg", name.package, name.own)]
    Unknown {
        /// Which.
        name: crate::Name,
        /// Where it was looked for.
        looked: String,
    },
    /// A type that has itself in it.
    #[error("{0} has itself in it{1}; leave out the field that closes the circle")]
    Circle(crate::Name, String),
    /// A file that cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

impl Problem {
    pub(crate) fn nowhere(self) -> Error {
        Error { place: Place::default(), problem: self }
    }

    pub(crate) fn at(self, file: &str, line: usize) -> Error {
        Error { place: Place { file: file.to_owned(), line }, problem: self }
    }
}

/// A definition that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub problem: Problem,
}

impl Error {
    pub(crate) fn unreadable(path: &std::path::Path, error: &std::io::Error) -> Error {
        Problem::Unreadable(error.to_string()).at(&path.display().to_string(), 0)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place.file[..], self.place.line) {
            ("", _) => self.problem.fmt(f),
            (file, 0) => write!(f, "{file}: {}", self.problem),
            (file, line) => write!(f, "{file}:{line}: {}", self.problem),
        }
    }
}

impl std::error::Error for Error {}
