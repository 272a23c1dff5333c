//! ROS 1's protocols as bytes (SPEC, section 4).
//!
//! ```text
//!            http      a head and a body        ┐
//!  master ─► xmlrpc    calls, answers, triples  ├─ control: who publishes what, and where
//!            uri       where that is            ┘
//!            names     what is meant by a name
//!  node ───► tcpros    header, then messages      data
//! ```
//!
//! Readers get the bytes that have come so far, and say *more*, *whole* ([`Progress`]), or why not. They read no clock and no socket, take no
//! memory from a heap, never panic, and their time is bounded by the bytes that they are given. Only [`names`] makes strings.
//!
//! ```
//! use tokkyu_ros1::xmlrpc::{Triple, Value, Writer, read_answer};
//!
//! let mut body = String::new();
//! Writer::triple(&mut body, 1, "here you are", |value| value.array(|uris| uris.string("http://a:1/")))?;
//! let triple = Triple::of(read_answer(body.as_bytes())?).map_err(|wrong| wrong.to_string())?;
//! let Value::Array(mut uris) = triple.value else { panic!("not an array") };
//! assert!(matches!(uris.next(), Some(Value::Str(uri)) if uri == "http://a:1/"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod buffer;
pub mod http;
pub mod names;
pub mod tcpros;
pub mod uri;
pub mod xmlrpc;

pub use buffer::Buffer;

/// What a reader makes of the bytes that have come so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// The message goes on: come again with all of these bytes, and more behind them.
    More,
    /// A whole message.
    Whole {
        /// The message; it points into the bytes.
        message: T,
        /// So many bytes it was; the next message begins behind them.
        used: usize,
    },
}
