//! A client of a service of ours (NODE-58).

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::{FrameError, Frames, Step};

/// Requests of one connection, one after the other.
pub(crate) struct Serving {
    pub(crate) service: String,
    pub(crate) callerid: String,
    /// Whether it stays for more than one request.
    pub(crate) is_persistent: bool,
    frames: Frames,
    request: Vec<u8>,
    /// Bytes of the request that is coming, or that the program has.
    pub(crate) held: usize,
    /// Whether the program has a request that it has not answered yet.
    pub(crate) is_busy: bool,
}

impl Serving {
    pub(crate) fn new(service: String, callerid: String, is_persistent: bool, longest: usize) -> Serving {
        let limit = u32::try_from(longest).unwrap_or(u32::MAX);
        let frames = Frames::new(limit);
        Serving { service, callerid, is_persistent, frames, request: Vec::new(), held: 0, is_busy: false }
    }

    /// The next request out of `input`, once it is whole. What comes after it waits in `input` until it is answered.
    pub(crate) fn next(&mut self, input: &mut Vec<u8>) -> Result<Option<Vec<u8>>, FrameError> {
        let mut left = &input[..];
        let request = loop {
            match self.frames.step(&mut left)? {
                Step::More => break None,
                // Memory as the bytes come, not for what somebody only says.
                Step::Begin(_) => self.request.clear(),
                Step::Body { bytes, .. } => self.request.extend_from_slice(bytes),
                Step::Whole(_) => break Some(core::mem::take(&mut self.request)),
            }
        };
        let used = input.len() - left.len();
        input.drain(..used);
        self.held = request.as_ref().unwrap_or(&self.request).len();
        Ok(request)
    }
}
