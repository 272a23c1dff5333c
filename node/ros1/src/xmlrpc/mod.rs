//! XML-RPC: calls and answers, read and written (NODE-41 to NODE-43).
//!
//! ```text
//!  body ─► read_call, read_answer ─► Call, Answer ─► Value ─┬─► Text, Base64    decoded while it is read out
//!          the whole document, once                         └─► Items, Members  walked while they are read out
//! ```
//!
//! A document is checked to its last byte before anything of it is handed out; what is handed out points into it and cannot fail. Nothing is
//! copied. Checking takes time linear in the document; walking what is nested takes that once for each level, of which there are
//! [`MAX_DEPTH`] at most.

mod error;
mod read;
mod scan;
mod text;
mod triple;
mod value;
mod write;

pub use error::{Problem, XmlError};
pub use read::{Answer, Call, read_answer, read_call};
pub use text::{Base64, Chars, Text};
pub use triple::{Triple, TripleError};
pub use value::{Items, Members, Value};
pub use write::{Fields, Values, WriteError, Writer};

/// Values nest so deep at most, the outermost one counted (NODE-41).
pub const MAX_DEPTH: u8 = 16;
