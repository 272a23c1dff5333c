//! TCPROS: a header each way, then messages (NODE-44, NODE-45).

mod frames;
mod header;

pub use frames::{Frame, FrameError, Frames, Step, Wanted, answer_head, message_head};
pub use header::{Fields, Header, HeaderError, HeaderWriter, MAX_HEADER, read_header};
