//! Heads, written. The body follows them as it is.

use core::fmt::{self, Write};

/// Why a head was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadError {
    /// What it is written into has no room.
    Full,
    /// The argument of that name would not be read as what it is.
    Argument(&'static str),
}

impl From<fmt::Error> for HeadError {
    fn from(_: fmt::Error) -> HeadError {
        HeadError::Full
    }
}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeadError::Full => f.write_str("no room for the head; give a longer buffer"),
            HeadError::Argument(name) => {
                write!(
                    f,
                    "{name} is no part of a head; write visible ASCII characters without spaces, and a status of 3 digits"
                )
            }
        }
    }
}

impl core::error::Error for HeadError {}

/// Writes the head of a call to `path` (`/` or `/RPC2`) at `host` (`HOST:PORT`), with a body of `body_len` bytes.
///
/// # Errors
/// No room, or a host or path that would break out of its line.
pub fn write_request_head(
    out: &mut impl Write,
    host: &str,
    path: &str,
    body_len: usize,
) -> Result<(), HeadError> {
    checked("host", host)?;
    checked("path", path)?;
    write!(out, "POST {path} HTTP/1.1\r\nHost: {host}\r\n")?;
    Ok(content(out, body_len)?)
}

/// Writes the head of an answer: 200, or the status of a [`Refusal`](super::Refusal), with a body of `body_len` bytes.
///
/// # Errors
/// No room, or a status that has not three digits.
pub fn write_response_head(
    out: &mut impl Write,
    status: u16,
    body_len: usize,
    keep_alive: bool,
) -> Result<(), HeadError> {
    if !(100..1000).contains(&status) {
        return Err(HeadError::Argument("status"));
    }
    write!(out, "HTTP/1.1 {status} {}\r\n", reason(status))?;
    // RFC 9110, section 15.5.6: a 405 says what would be allowed.
    out.write_str(if status == 405 { "Allow: POST\r\n" } else { "" })?;
    // A client of HTTP/1.0 keeps the connection only if it is told.
    write!(out, "Connection: {}\r\n", if keep_alive { "keep-alive" } else { "close" })?;
    Ok(content(out, body_len)?)
}

fn content(out: &mut impl Write, body_len: usize) -> fmt::Result {
    write!(out, "Content-Type: text/xml\r\nContent-Length: {body_len}\r\n\r\n")
}

fn checked(name: &'static str, value: &str) -> Result<(), HeadError> {
    let visible = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
    if visible { Ok(()) } else { Err(HeadError::Argument(name)) }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "",
    }
}
