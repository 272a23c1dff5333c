//! What can be wrong with a name, with the name and a remedy.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameProblem {
    /// It begins with something else than a letter, `/` or `~`.
    First,
    /// This is in it.
    Character(char),
    /// A node's own name that is empty or not plain.
    Node,
    /// A namespace that belongs to a node.
    Namespace,
    /// An argument that renames to nothing.
    NoTarget,
    /// An argument with no name of a parameter.
    NoParameter,
}

/// A name that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    /// The name, or the whole argument.
    pub name: String,
    /// What is wrong.
    pub problem: NameProblem,
}

impl NameProblem {
    pub(super) fn of(self, name: &str) -> NameError {
        NameError { name: name.to_owned(), problem: self }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ", self.name)?;
        match self.problem {
            NameProblem::First => f.write_str("begins with none of a letter, / and ~; begin it with one"),
            NameProblem::Character(c) => write!(f, "has {c:?} in it; letters, digits, _ and / may be"),
            NameProblem::Node => {
                f.write_str("is no node's own name; write a letter and then letters, digits or _")
            }
            NameProblem::Namespace => f.write_str("is no namespace; write a name without ~"),
            NameProblem::NoTarget => f.write_str("renames to nothing; write FROM:=TO"),
            NameProblem::NoParameter => f.write_str("sets no parameter; write _PARAM:=VALUE"),
        }
    }
}

impl core::error::Error for NameError {}
