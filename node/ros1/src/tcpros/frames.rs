//! Messages, one after the other (NODE-45): `LENGTH BYTES`, and of services' answers `DONE LENGTH BYTES`.
//!
//! ```text
//!           head is there            bytes                   all are there
//!  HEAD ────────────────────► BODY ─────────► BODY  ─────────────────────► HEAD
//!   │        Begin                  Body                     Whole
//!   └─ longer than the limit, no answer: refused, for good
//! ```
//!
//! The machine keeps no message: who takes the steps does, in memory that it asks for when a message begins, and is told where each piece goes.
//! It may also read from the socket straight into that memory: [`Frames::wanted`] says how much, [`Frames::filled`] hears what came.

use core::fmt;

/// A message that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Bytes of it.
    pub len: usize,
    /// Of a service's answer: whether it is done; else the bytes are the reason. A message always is.
    pub done: bool,
}

/// What the next bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Nothing is left of the bytes.
    More,
    /// A message begins: memory for it is needed now.
    Begin(Frame),
    /// A piece of it.
    Body {
        /// Where in the message it goes.
        offset: usize,
        /// The piece.
        bytes: &'a [u8],
    },
    /// The message is there.
    Whole(Frame),
}

/// What is missing next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// So many bytes of a length: give what comes to [`Frames::step`].
    Head(usize),
    /// Bytes of the message that began: they may be read where they belong. None are missing: [`Frames::step`] says that it is whole.
    Body {
        /// From this byte of the message.
        offset: usize,
        /// So many.
        missing: usize,
    },
}

/// Why nothing more is read from a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// A message that is longer than the connection allows.
    TooLong {
        /// So many bytes it has.
        len: u32,
        /// So many it may have.
        limit: u32,
    },
    /// The byte in front of a service's answer is neither 0 nor 1.
    Answer(u8),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::TooLong { len, limit } => {
                write!(
                    f,
                    "a message of {len} bytes, the connection's limit is {limit}; raise it where the subscription is made"
                )
            }
            FrameError::Answer(byte) => {
                write!(f, "a service's answer begins with {byte}; it is 1 for done, 0 for failed")
            }
        }
    }
}

impl core::error::Error for FrameError {}

#[derive(Clone, Copy, Debug)]
enum State {
    Head { have: usize },
    Body { frame: Frame, at: usize },
}

/// Where one message ends and the next begins, on one connection.
#[derive(Clone, Debug)]
pub struct Frames {
    limit: u32,
    /// With room for the byte in front; without one it stays 1.
    head: [u8; 5],
    /// Where the head begins in it.
    from: usize,
    state: State,
}

impl Frames {
    /// Messages of `limit` bytes at most: of a topic, or requests to a service.
    pub fn new(limit: u32) -> Frames {
        Frames::from(limit, 1)
    }

    /// Answers of a service, of `limit` bytes at most.
    pub fn of_answers(limit: u32) -> Frames {
        Frames::from(limit, 0)
    }

    fn from(limit: u32, from: usize) -> Frames {
        Frames { limit, head: [1; 5], from, state: State::Head { have: from } }
    }

    /// The next step, and takes its bytes off the front of `bytes`. An error comes again each time.
    ///
    /// # Errors
    /// A message that is too long, or an answer that is none.
    pub fn step<'a>(&mut self, bytes: &mut &'a [u8]) -> Result<Step<'a>, FrameError> {
        match self.state {
            State::Head { have } => {
                let new = take(bytes, self.head.len() - have);
                self.head[have..have + new.len()].copy_from_slice(new);
                self.on_head(have + new.len())
            }
            State::Body { frame, at } if at == frame.len => {
                self.state = State::Head { have: self.from };
                Ok(Step::Whole(frame))
            }
            State::Body { frame, at } => {
                let new = take(bytes, frame.len - at);
                self.filled(new.len());
                Ok(if new.is_empty() { Step::More } else { Step::Body { offset: at, bytes: new } })
            }
        }
    }

    /// What is missing next.
    pub fn wanted(&self) -> Wanted {
        match self.state {
            State::Head { have } => Wanted::Head(self.head.len() - have),
            State::Body { frame, at } => Wanted::Body { offset: at, missing: frame.len - at },
        }
    }

    /// So many of the missing bytes of the message that began were read where they belong. What is more than missing does not count.
    pub fn filled(&mut self, count: usize) {
        if let State::Body { frame, at } = &mut self.state {
            *at += count.min(frame.len - *at);
        }
    }

    fn on_head(&mut self, have: usize) -> Result<Step<'static>, FrameError> {
        self.state = State::Head { have };
        if have < self.head.len() {
            return Ok(Step::More);
        }
        let [first, length @ ..] = self.head;
        let len = u32::from_le_bytes(length);
        if first > 1 {
            return Err(FrameError::Answer(first));
        }
        match usize::try_from(len) {
            Ok(bytes) if len <= self.limit => {
                let frame = Frame { len: bytes, done: first == 1 };
                self.state = State::Body { frame, at: 0 };
                Ok(Step::Begin(frame))
            }
            _ => Err(FrameError::TooLong { len, limit: self.limit }),
        }
    }
}

fn take<'a>(bytes: &mut &'a [u8], at_most: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(at_most.min(bytes.len()));
    *bytes = rest;
    taken
}

/// What stands before a message of `len` bytes.
pub fn message_head(len: u32) -> [u8; 4] {
    len.to_le_bytes()
}

/// What stands before a service's answer of `len` bytes; not `done`: before the reason.
pub fn answer_head(done: bool, len: u32) -> [u8; 5] {
    let [a, b, c, d] = len.to_le_bytes();
    [u8::from(done), a, b, c, d]
}
