//! Parameters of the master, read and set by a node.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use tokkyu_graph::{Command, Param};

use crate::master::MasterError;
use crate::node::Node;
use crate::param::{FromParam, ParamError};

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
