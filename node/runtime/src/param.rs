//! Parameters of the master, as a program wants them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokkyu_graph::{Command, Param};

use crate::error::NodeError;
use crate::master::MasterError;
use crate::node::Node;

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

/// Values that the master told by itself.
#[derive(Default)]
pub(crate) struct Cached {
    values: Mutex<BTreeMap<String, Param>>,
}

impl Cached {
    /// The value, or nothing in it: it is not set. Nothing: the master has not told it.
    fn get(&self, name: &str) -> Option<Option<Param>> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        // The master's word for one that is not set.
        let is_set = |value: &Param| !matches!(value, Param::Map(items) if items.is_empty());
        values.get(name).map(|value| Some(value.clone()).filter(is_set))
    }

    /// The master tells it.
    pub(crate) fn set(&self, name: &str, value: Param) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), value);
    }

    /// One that is not so any more, or all.
    pub(crate) fn forget(&self, name: Option<&str>) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        match name {
            Some(name) => drop(values.remove(name)),
            None => values.clear(),
        }
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

impl Node {
    fn ask_param(
        &self,
        method: &'static str,
        name: &str,
        value: Option<&Param>,
    ) -> Result<(String, Result<Param, MasterError>), ParamError> {
        let name = self.resolve(name)?;
        let answer = self.inner.call_master(method, value.is_some(), |out| {
            out.string(&name)?;
            value.map_or(Ok(()), |value| value.write(out))
        });
        Ok((name, answer))
    }

    /// The value of a parameter; nothing: it is not set.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn param<T: FromParam>(&self, name: &str) -> Result<Option<T>, ParamError> {
        let (name, answer) = self.ask_param("getParam", name, None)?;
        let value = match answer {
            Ok(value) => value,
            // The master's word for one that is not set.
            Err(MasterError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(ParamError::Master { name, error }),
        };
        let have = format!("{value:?}");
        let wrong = || ParamError::Type { name, wanted: T::WHAT, have };
        T::from_param(value).map(Some).ok_or_else(wrong)
    }

    /// The value of a parameter, or `default` if it is not set.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn param_or<T: FromParam>(&self, name: &str, default: T) -> Result<T, ParamError> {
        Ok(self.param(name)?.unwrap_or(default))
    }

    /// Sets a parameter.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn set_param(&self, name: &str, value: &Param) -> Result<(), ParamError> {
        let (name, answer) = self.ask_param("setParam", name, Some(value))?;
        answer.map(drop).map_err(|error| ParamError::Master { name, error })
    }

    /// Whether a parameter is set.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn has_param(&self, name: &str) -> Result<bool, ParamError> {
        let (name, answer) = self.ask_param("hasParam", name, None)?;
        answer
            .map(|value| matches!(value, Param::Bool(true) | Param::Int(1)))
            .map_err(|error| ParamError::Master { name, error })
    }

    /// The value of a parameter as the master told it last: it is asked once, and tells of changes from then on.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn param_cached<T: FromParam>(&self, name: &str) -> Result<Option<T>, ParamError> {
        let global = self.resolve(name)?;
        if let Some(value) = self.inner.cached.get(&global) {
            let have = format!("{value:?}");
            let wrong = || ParamError::Type { name: global, wanted: T::WHAT, have };
            return value.map(|value| T::from_param(value).ok_or_else(wrong)).transpose();
        }
        self.inner.network.ask(Command::Watch { key: global });
        self.param(name)
    }

    /// Asks the master for the next cached value of a parameter, or of all: this node has set it itself.
    ///
    /// # Errors
    ///
    /// No name.
    pub fn forget_param(&self, name: Option<&str>) -> Result<(), ParamError> {
        let global = name.map(|name| self.resolve(name)).transpose()?;
        self.inner.cached.forget(global.as_deref());
        Ok(())
    }

    /// Removes a parameter. False: it was not set.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn delete_param(&self, name: &str) -> Result<bool, ParamError> {
        match self.ask_param("deleteParam", name, None)? {
            (_, Ok(_)) => Ok(true),
            (_, Err(MasterError::Refused { .. })) => Ok(false),
            (name, Err(error)) => Err(ParamError::Master { name, error }),
        }
    }

    /// The next namespace from this node's upwards that has the parameter: its global name.
    ///
    /// # Errors
    ///
    /// [`ParamError`].
    pub fn search_param(&self, name: &str) -> Result<Option<String>, ParamError> {
        let answer = self.inner.call_master("searchParam", false, |out| out.string(name));
        match answer {
            Ok(Param::Text(found)) => Ok(Some(found)),
            Ok(_) | Err(MasterError::Refused { .. }) => Ok(None),
            Err(error) => Err(ParamError::Master { name: name.to_owned(), error }),
        }
    }
}
