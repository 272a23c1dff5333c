//! Calls and answers: the frame around values.

use super::MAX_DEPTH;
use super::error::{Problem, XmlError};
use super::scan::Scanner;
use super::text::Text;
use super::value::{Items, Value, close, leaf, next_in, open, param, value};

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What is called.
    pub method: Text<'a>,
    /// With what.
    pub params: Items<'a>,
}

/// What a call is answered by.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    /// What the method returns; of ROS's methods a [`Triple`](super::Triple).
    Value(Value<'a>),
    /// The call itself was wrong: no such method, or the method broke.
    Fault {
        /// The server's number for it.
        code: i32,
        /// The server's word for it.
        text: Text<'a>,
    },
}

/// Reads a body that is a call.
///
/// # Errors
/// Where it is not what NODE-41 says.
pub fn read_call(body: &[u8]) -> Result<Call<'_>, XmlError> {
    let mut scanner = Scanner::document(body)?;
    open(&mut scanner, "methodCall")?;
    open(&mut scanner, "methodName")?;
    let method = leaf(&mut scanner, "methodName")?;
    let mut params = Items { text: "", left: 0, params: true };
    if next_in(&mut scanner, "methodCall", "params")? {
        let (start, mut end) = (scanner.at(), scanner.at());
        while next_in(&mut scanner, "params", "param")? {
            param(&mut scanner)?;
            (params.left, end) = (params.left + 1, scanner.at());
        }
        params.text = &scanner.since(start)[..end - start];
        close(&mut scanner, "methodCall")?;
    }
    behind(&mut scanner)?;
    Ok(Call { method, params })
}

/// Reads a body that is an answer.
///
/// # Errors
/// Where it is not what NODE-41 says.
pub fn read_answer(body: &[u8]) -> Result<Answer<'_>, XmlError> {
    let mut scanner = Scanner::document(body)?;
    open(&mut scanner, "methodResponse")?;
    let mut other = scanner.clone();
    let answer = if open(&mut other, "fault").is_ok() {
        scanner = other;
        fault(&mut scanner)?
    } else {
        open(&mut scanner, "params")?;
        open(&mut scanner, "param")?;
        let value = param(&mut scanner)?;
        close(&mut scanner, "params")?;
        Answer::Value(value)
    };
    close(&mut scanner, "methodResponse")?;
    behind(&mut scanner)?;
    Ok(answer)
}

/// What a fault is, `<fault>` being read already.
fn fault<'a>(scanner: &mut Scanner<'a>) -> Result<Answer<'a>, XmlError> {
    open(scanner, "value")?;
    let start = scanner.at();
    let inside = value(scanner, MAX_DEPTH)?;
    close(scanner, "fault")?;
    let Value::Struct(members) = inside else { return Err(Problem::Fault.at(start)) };
    match (members.get("faultCode"), members.get("faultString")) {
        (Some(Value::Int(code)), Some(Value::Str(text))) => Ok(Answer::Fault { code, text }),
        _ => Err(Problem::Fault.at(start)),
    }
}

/// Nothing that means something.
fn behind(scanner: &mut Scanner<'_>) -> Result<(), XmlError> {
    scanner.outside()?;
    if scanner.is_at_end() { Ok(()) } else { scanner.wrong(Problem::Behind) }
}
