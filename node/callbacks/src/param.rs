//! Parameters of the master, as a program wants them.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_graph::Param;

use crate::error::NodeError;
use crate::master::MasterError;

/// A type that parameters may have.
pub trait FromParam: Sized {
    /// What a person calls it.
    const WHAT: &'static str;

    /// The value; nothing: it is another type's.
    fn from_param(param: Param) -> Option<Self>;
}

/// A parameter cannot be read or set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// Its name is none.
    #[error(transparent)]
    Name(#[from] NodeError),
    /// The master has not answered.
    #[error("parameter {name}: {error}")]
    Master {
        /// Which.
        name: String,
        /// What happened.
        error: MasterError,
    },
    /// It has a value of another type.
    #[error("parameter {name} is {have}, and {wanted} is wanted; set it anew")]
    Type {
        /// Which.
        name: String,
        /// What is wanted.
        wanted: &'static str,
        /// What there is.
        have: String,
    },
}

impl FromParam for bool {
    const WHAT: &'static str = "true or false";

    fn from_param(param: Param) -> Option<bool> {
        match param {
            Param::Bool(value) => Some(value),
            // As in roscpp: somebody wrote 1 for true.
            Param::Int(value @ (0 | 1)) => Some(value == 1),
            _ => None,
        }
    }
}

impl FromParam for i32 {
    const WHAT: &'static str = "a whole number of 32 bits";

    fn from_param(param: Param) -> Option<i32> {
        if let Param::Int(value) = param { Some(value) } else { None }
    }
}

impl FromParam for f64 {
    const WHAT: &'static str = "a number";

    fn from_param(param: Param) -> Option<f64> {
        match param {
            Param::Double(value) => Some(value),
            Param::Int(value) => Some(value.into()),
            _ => None,
        }
    }
}

impl FromParam for String {
    const WHAT: &'static str = "text";

    fn from_param(param: Param) -> Option<String> {
        if let Param::Text(value) = param { Some(value) } else { None }
    }
}

impl<T: FromParam> FromParam for Vec<T> {
    const WHAT: &'static str = "a list";

    fn from_param(param: Param) -> Option<Vec<T>> {
        if let Param::List(items) = param { items.into_iter().map(T::from_param).collect() } else { None }
    }
}

impl<T: FromParam> FromParam for BTreeMap<String, T> {
    const WHAT: &'static str = "a map";

    fn from_param(param: Param) -> Option<BTreeMap<String, T>> {
        let Param::Map(items) = param else { return None };
        items.into_iter().map(|(name, value)| Some((name, T::from_param(value)?))).collect()
    }
}

impl FromParam for Param {
    const WHAT: &'static str = "anything";

    fn from_param(param: Param) -> Option<Param> {
        Some(param)
    }
}

/// What roscpp makes of a value on the command line: `_PARAM:=VALUE`.
pub(crate) fn from_argument(text: &str) -> Param {
    match text {
        "true" => Param::Bool(true),
        "false" => Param::Bool(false),
        _ => {
            let int = text.parse().map(Param::Int);
            let double = || text.parse().map(Param::Double);
            int.or_else(|_| double()).unwrap_or_else(|_| Param::Text(text.to_owned()))
        }
    }
}
