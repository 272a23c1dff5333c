//! What a program asks of the master.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_graph::{Call, Command, Failure, Param};
use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_response, write_request_head};
use tokkyu_ros1::uri::Uri;
use tokkyu_ros1::xmlrpc::{Triple, Values, WriteError, Writer, read_answer};

use crate::network::Network;
use crate::port::port;

/// A master that was reached answers within this.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// Asks a master from the calling thread, with no node: before there is one, and when it has ended. `caller` is put in front of the arguments.
///
/// # Errors
///
/// [`MasterError`].
pub fn ask_master(uri: &str, caller: &str, method: &str, arguments: &[Param]) -> Result<Param, MasterError> {
    let body = body(caller, method, |out| arguments.iter().try_for_each(|argument| argument.write(out)))?;
    let uri = Uri::parse(uri).map_err(|error| words(method, error))?;
    let document =
        exchange(&uri, &body).map_err(|error| words(method, format_args!("the master at {uri}: {error}")))?;
    payload(method, &document)
}

/// One call over a connection of its own.
fn exchange(uri: &Uri<'_>, body: &str) -> Result<Vec<u8>, String> {
    let host = uri.host.to_string();
    let mut head = String::new();
    write_request_head(&mut head, &format!("{host}:{}", uri.port), "/RPC2", body.len())
        .map_err(|error| error.to_string())?;
    let mut stream = port().connect(&host, uri.port)?;
    stream.set_patience(Some(PATIENCE))?;
    stream.write(head.as_bytes())?;
    stream.write(body.as_bytes())?;
    let longest = port().profile().answer_bytes;
    let (mut bytes, mut chunk) = (Vec::new(), [0; 1024]);
    loop {
        let read = stream.read(&mut chunk)?;
        bytes.extend_from_slice(&chunk[..read]);
        match read_response(&bytes, read == 0, longest).map_err(|error| error.to_string())? {
            Progress::Whole { message, .. } if message.status >= 200 => return Ok(message.body.to_vec()),
            Progress::Whole { used, .. } => drop(bytes.drain(..used)),
            Progress::More => {}
        }
    }
}

fn words(method: &str, error: impl ToString) -> MasterError {
    MasterError::Words { method: method.to_owned(), text: error.to_string() }
}

fn body(
    caller: &str,
    method: &str,
    arguments: impl FnOnce(&mut Values<'_, String>) -> Result<(), WriteError>,
) -> Result<String, MasterError> {
    let mut body = String::new();
    Writer::call(&mut body, method, |params| {
        params.string(caller)?;
        arguments(params)
    })
    .map_err(|error| words(method, error))?;
    Ok(body)
}

/// What the master's answer says.
fn payload(method: &str, document: &[u8]) -> Result<Param, MasterError> {
    let answer = read_answer(document).map_err(|error| words(method, error))?;
    let triple = Triple::of(answer).map_err(|error| words(method, error))?;
    if triple.code == 1 {
        Ok(Param::from_value(triple.value))
    } else {
        Err(MasterError::Refused { method: method.to_owned(), text: triple.text.to_string() })
    }
}

/// Calls a method of the master by a node's network; the caller's name, the first argument of each, is put in front.
pub(crate) fn call_master(
    network: &Network,
    caller: &str,
    method: &str,
    waits: bool,
    arguments: impl FnOnce(&mut Values<'_, String>) -> Result<(), WriteError>,
) -> Result<Param, MasterError> {
    let body = body(caller, method, arguments)?;
    let document = network.ask_and_wait(|done| Command::Call(Call { body, waits, done }))?;
    payload(method, &document)
}
