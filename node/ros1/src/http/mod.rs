//! Heads and bodies of HTTP/1.0 and 1.1 (NODE-40), as much of RFC 9112 as XML-RPC needs.
//!
//! The readers keep no state: the caller gathers what comes in a buffer of [`MAX_HEAD`] and its own `max_body` bytes, and asks again. A head
//! is read once it is there to its end, so that the answer does not depend on how the bytes were split.

mod head;
mod read;
mod refusal;
mod write;

pub use read::{Request, Response, read_request, read_response};
pub use refusal::Refusal;
pub use write::{HeadError, write_request_head, write_response_head};

/// Bytes of a head with its end at most, empty lines before it included (NODE-40).
pub const MAX_HEAD: usize = 8192;
/// Lines of a head at most, the first one included (NODE-40).
pub const MAX_LINES: usize = 64;
