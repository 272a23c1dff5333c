//! What a program asks of the master.

use std::sync::Arc;

use tokkyu_graph::{Call, Command, Failure, Param};
use tokkyu_ros1::xmlrpc::{Triple, Values, WriteError, Writer, read_answer};

use crate::node::Inner;

/// The master has not done what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MasterError {
    /// It was not reached, or the node ends.
    #[error(transparent)]
    Call(#[from] Failure),
    /// It refuses.
    #[error("{method}: {text}")]
    Refused {
        /// What it was asked.
        method: String,
        /// What it said.
        text: String,
    },
    /// What it was to be told cannot be said, or what it said not be understood.
    #[error("{method}: {text}")]
    Words {
        /// What it was asked.
        method: String,
        /// What is wrong.
        text: String,
    },
}

impl Inner {
    /// Calls a method of the master; the caller's name, the first argument of each, is put in front.
    pub(crate) fn call_master(
        self: &Arc<Self>,
        method: &str,
        waits: bool,
        arguments: impl FnOnce(&mut Values<'_, String>) -> Result<(), WriteError>,
    ) -> Result<Param, MasterError> {
        let mut body = String::new();
        let words = |text: String| MasterError::Words { method: method.to_owned(), text };
        Writer::call(&mut body, method, |params| {
            params.string(self.names.node())?;
            arguments(params)
        })
        .map_err(|error| words(error.to_string()))?;
        let document = self.network.ask_and_wait(|done| Command::Call(Call { body, waits, done }))?;
        let answer = read_answer(&document).map_err(|error| words(error.to_string()))?;
        let triple = Triple::of(answer).map_err(|error| words(error.to_string()))?;
        if triple.code == 1 {
            Ok(Param::from_value(triple.value))
        } else {
            Err(MasterError::Refused { method: method.to_owned(), text: triple.text.to_string() })
        }
    }
}
