//! What ROS's methods answer: `[code, text, value]` (NODE-43).

use core::fmt;

use super::read::Answer;
use super::text::Text;
use super::value::Value;

/// An answer of one of ROS's methods.
#[derive(Clone, Copy, Debug)]
pub struct Triple<'a> {
    /// 1 done; 0 failed, perhaps half done; -1 the caller's mistake.
    pub code: i32,
    /// A word for a person.
    pub text: Text<'a>,
    /// What the method returns; without meaning unless it is done.
    pub value: Value<'a>,
}

/// An answer that is no triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TripleError<'a> {
    /// A fault: the server does not know the method, or broke in it.
    Fault {
        /// The server's number for it.
        code: i32,
        /// The server's word for it.
        text: Text<'a>,
    },
    /// No array of three.
    NotThree,
    /// The first is none of 1, 0 and -1.
    Code,
    /// The second is no string.
    Text,
}

impl<'a> Triple<'a> {
    /// The triple that an answer is.
    ///
    /// # Errors
    /// It is another thing, and which.
    pub fn of(answer: Answer<'a>) -> Result<Triple<'a>, TripleError<'a>> {
        let value = match answer {
            Answer::Value(value) => value,
            Answer::Fault { code, text } => return Err(TripleError::Fault { code, text }),
        };
        let Value::Array(mut items) = value else { return Err(TripleError::NotThree) };
        let (Some(code), Some(text), Some(value), None) =
            (items.next(), items.next(), items.next(), items.next())
        else {
            return Err(TripleError::NotThree);
        };
        let Value::Int(code @ -1..=1) = code else { return Err(TripleError::Code) };
        let Value::Str(text) = text else { return Err(TripleError::Text) };
        Ok(Triple { code, text, value })
    }
}

impl fmt::Display for TripleError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TripleError::Fault { code, text } => write!(f, "the call was refused with fault {code}: {text}"),
            TripleError::NotThree => {
                f.write_str("the answer is no array of code, text and value; is a ROS node there?")
            }
            TripleError::Code => f.write_str("the answer's code is none of the ints 1, 0 and -1"),
            TripleError::Text => f.write_str("the answer's text is no string"),
        }
    }
}

impl core::error::Error for TripleError<'_> {}
