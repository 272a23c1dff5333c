//! Requests and answers, read.

use super::head::{self, Head, is_token};
use super::{MAX_HEAD, Refusal};
use crate::Progress;

/// A call on its way to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// What it asks for, as it was sent: `/`, `/RPC2`, or a whole address.
    pub path: &'a str,
    /// As long as `Content-Length` said.
    pub body: &'a [u8],
    /// Whether the client wants the connection for another request.
    pub keep_alive: bool,
}

/// What a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// 100 to 999. Below 200 it is no answer yet: the answer follows (RFC 9110, section 15.2).
    pub status: u16,
    /// As long as `Content-Length` said, or until the connection ended.
    pub body: &'a [u8],
    /// Whether the server takes another request on this connection.
    pub keep_alive: bool,
}

/// Reads a request off the front of `bytes`, whose body may have `max_body` bytes.
///
/// # Errors
/// NODE-40's refusals, with the status to answer; the connection is then to be closed.
pub fn read_request(bytes: &[u8], max_body: usize) -> Result<Progress<Request<'_>>, Refusal> {
    let Some(head) = head::find(bytes)? else { return Ok(Progress::More) };
    let (path, minor) = request_line(&head)?;
    let fields = head.fields()?;
    if fields.pieces {
        return Err(Refusal::TransferEncoding);
    }
    let length = bounded(fields.length.ok_or(Refusal::NoLength)?, max_body)?;
    let Some(body) = bytes[head.used..].get(..length) else { return Ok(Progress::More) };
    let message = Request { path, body, keep_alive: fields.keep_alive(minor) };
    Ok(Progress::Whole { message, used: head.used + length })
}

/// Reads an answer off the front of `bytes`, whose body may have `max_body` bytes. `ended`: nothing comes after them.
///
/// # Errors
/// NODE-40's refusals, and that the connection ended in the middle.
pub fn read_response(bytes: &[u8], ended: bool, max_body: usize) -> Result<Progress<Response<'_>>, Refusal> {
    let more = || if ended { Err(Refusal::Ended) } else { Ok(Progress::More) };
    let Some(head) = head::find(bytes)? else { return more() };
    let (status, minor) = status_line(&head)?;
    let fields = head.fields()?;
    if fields.pieces {
        return Err(Refusal::TransferEncoding);
    }
    let rest = &bytes[head.used..];
    let length = match fields.length {
        _ if has_no_body(status) => 0,
        Some(length) => bounded(length, max_body)?,
        // It goes on until the connection ends.
        None if ended || rest.len() > max_body => bounded(rest.len() as u64, max_body)?,
        None => return Ok(Progress::More),
    };
    let Some(body) = rest.get(..length) else { return more() };
    let until_end = fields.length.is_none() && !has_no_body(status);
    let message = Response { status, body, keep_alive: fields.keep_alive(minor) && !until_end };
    Ok(Progress::Whole { message, used: head.used + length })
}

fn bounded(length: u64, max: usize) -> Result<usize, Refusal> {
    // So that what the caller has to keep is a number.
    let max = max.min(usize::MAX - MAX_HEAD);
    usize::try_from(length).ok().filter(|&length| length <= max).ok_or(Refusal::BodyTooLong { max })
}

/// RFC 9112, section 6.3.
fn has_no_body(status: u16) -> bool {
    matches!(status, 100..200 | 204 | 304)
}

/// Path and minor version of `POST PATH HTTP/1.N`.
fn request_line<'a>(head: &Head<'a>) -> Result<(&'a str, u8), Refusal> {
    let mut words = head.first.split(' ');
    let (Some(method), Some(path), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Refusal::Malformed("request line; it is POST PATH HTTP/1.1"));
    };
    let minor = minor(version).ok_or(Refusal::Malformed("version; it is HTTP/1.0 or HTTP/1.1"))?;
    if path.is_empty() || method.is_empty() || !method.bytes().all(is_token) {
        return Err(Refusal::Malformed("request line; it is POST PATH HTTP/1.1"));
    }
    if method == "POST" { Ok((path, minor)) } else { Err(Refusal::Method) }
}

/// Status and minor version of `HTTP/1.N STATUS REASON`, where the reason may be missing.
fn status_line(head: &Head<'_>) -> Result<(u16, u8), Refusal> {
    let mut words = head.first.splitn(3, ' ');
    let (version, status) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let minor = minor(version).ok_or(Refusal::Malformed("version; it is HTTP/1.0 or HTTP/1.1"))?;
    let three = status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit());
    match status.parse() {
        Ok(status @ 100..) if three => Ok((status, minor)),
        _ => Err(Refusal::Malformed("status; it is three digits")),
    }
}

/// A minor version that we do not know is read as the highest that we do (RFC 9110, section 2.5).
fn minor(version: &str) -> Option<u8> {
    match version.strip_prefix("HTTP/1.")?.as_bytes() {
        [b'0'] => Some(0),
        [b'1'..=b'9'] => Some(1),
        _ => None,
    }
}
