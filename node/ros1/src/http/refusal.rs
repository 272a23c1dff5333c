//! Why a request or an answer is not read.

use core::fmt;

use super::{MAX_HEAD, MAX_LINES};

/// Why a request or an answer is not read. Nothing more can be read from its connection: where the next message begins is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not HTTP, and what of it is not.
    Malformed(&'static str),
    /// Another method than POST.
    Method,
    /// A request with no length.
    NoLength,
    /// A body that is longer than the caller allows.
    BodyTooLong {
        /// What the caller allows, bytes.
        max: usize,
    },
    /// A head over [`MAX_HEAD`] or [`MAX_LINES`].
    HeadTooLong,
    /// A body in pieces.
    TransferEncoding,
    /// The connection ended before the answer did.
    Ended,
}

impl Refusal {
    /// The status that a server answers it with (RFC 9110, section 15).
    pub fn status(self) -> u16 {
        match self {
            Refusal::Malformed(_) | Refusal::Ended => 400,
            Refusal::Method => 405,
            Refusal::NoLength => 411,
            Refusal::BodyTooLong { .. } => 413,
            Refusal::HeadTooLong => 431,
            Refusal::TransferEncoding => 501,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed(what) => write!(f, "malformed {what}; write it as RFC 9112 has it"),
            Refusal::Method => f.write_str("a method other than POST; XML-RPC calls with POST"),
            Refusal::NoLength => f.write_str("no Content-Length; send the body's bytes with it"),
            Refusal::BodyTooLong { max } => write!(f, "a body of more than {max} bytes; send less"),
            Refusal::HeadTooLong => {
                write!(f, "a head of more than {MAX_HEAD} bytes or {MAX_LINES} lines; leave out fields")
            }
            Refusal::TransferEncoding => {
                f.write_str("Transfer-Encoding; send the body as it is, with Content-Length")
            }
            Refusal::Ended => f.write_str("the connection ended before the answer did; call again"),
        }
    }
}

impl core::error::Error for Refusal {}
