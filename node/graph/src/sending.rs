//! A subscriber of ours on the network: samples of a topic to its connection (NODE-52, NODE-54, NODE-57).
//!
//! ```text
//!  publisher's thread ─ publish ─► queue ─ bell ─► AtOnce ─┐ small, and nothing waits
//!                                    │                     ▼
//!                                    └──────────────► Line at its desk ─► connection
//!                                                          ▲
//!  network's thread ─ bell, or room to write ─► pump ──────┘ all else
//! ```
//!
//! Neither thread waits for the other: the desk (NODE-22) tells who has it that the other one came.

use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::cell::Cell;

use tokkyu_ros1::tcpros::message_head;
use tokkyu_topic::{Channel, Desk, Doorbell, JoinError, Reader, Sample, Terms, Worked};

use crate::net::{ConnId, Io, Net, Outgoing};
use crate::payload::{NoMemory, Payload, join};

/// What one turn writes at most (NODE-57). Many small pieces of a large message each wake the reader, who sleeps before the next: 3 MB took 0.67 times
/// as long in pieces of 512 KiB as in those of 256 KiB, and no less in larger ones.
const TURN: usize = 512 << 10;
/// So much more is written if the message ends with it: the few bytes of a header behind a picture are not worth a turn.
const TAIL: usize = 4 << 10;
/// A longer message, 64 KiB and its other fields, is copied to the kernel in the network's thread: publishing takes no time that grows with it.
const AT_ONCE_BYTES: usize = (64 << 10) + TAIL;
/// Samples that one publication writes at once; more may wait where another thread was at the desk.
const AT_ONCE_SAMPLES: u32 = 4;

/// What is sent to one subscriber.
pub(crate) struct Sending {
    pub(crate) topic: String,
    /// Who it is.
    pub(crate) callerid: String,
    pipe: Arc<Pipe>,
    /// Messages and bytes that were written, when they were looked at last.
    seen: Cell<(u32, u64)>,
}

/// What the network's thread and the publishers' share of it.
struct Pipe {
    desk: Desk<Line>,
    /// Of the network's thread.
    bell: Arc<dyn Doorbell>,
    source: u32,
}

/// The samples of a topic on their way to one connection.
struct Line {
    /// Nothing: it could not join.
    reader: Option<Reader<Payload>>,
    /// For publishers' threads, once the connection's header is written.
    outgoing: Option<Arc<dyn Outgoing>>,
    current: Option<Current>,
    /// Wire forms of objects.
    scratch: Vec<u8>,
    messages: u32,
    bytes: u64,
}

/// The sample that is on its way, held until its last byte is written.
struct Current {
    sample: Sample<Payload>,
    /// Nothing before the first piece is written: then that and the wire form of an object are made.
    head: Option<[u8; 4]>,
    /// Of head and body.
    written: usize,
}

/// How far writing got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pumped {
    /// Everything is written.
    Idle,
    /// There is more, once there is room, or it is this connection's turn again.
    Later,
    /// The connection is over.
    Over,
}

impl Sending {
    /// Joins a topic of ours. `bell`: the network thread's, and its source. With `at_once` publishers' threads write small messages themselves.
    pub(crate) fn join(
        (topic, callerid): (String, String),
        (channel, depth): (&Arc<Channel<Payload>>, u32),
        (bell, source): (&Arc<dyn Doorbell>, u32),
        at_once: bool,
    ) -> Result<Sending, JoinError> {
        let mut refused = None;
        let pipe = Arc::new_cyclic(|pipe| {
            let own: Arc<dyn Doorbell> = Arc::new(AtOnce { pipe: pipe.clone(), bell: bell.clone() });
            let rung = if at_once { &own } else { bell };
            let reader = join(channel, Terms::keep_last(depth), rung, source);
            Pipe::new(reader.map_err(|error| refused = Some(error)).ok(), bell.clone(), source)
        });
        match refused {
            Some(error) => Err(error),
            None => Ok(Sending { topic, callerid, pipe, seen: Cell::default() }),
        }
    }

    /// Samples that this link has lost.
    pub(crate) fn dropped(&self) -> u32 {
        self.pipe.look(|line| line.reader.as_ref().map_or(0, Reader::dropped)).unwrap_or(0)
    }

    /// Messages and bytes that were written; without those that a publisher's thread is just writing.
    pub(crate) fn numbers(&self) -> (u32, u64) {
        if let Some(numbers) = self.pipe.look(|line| (line.messages, line.bytes)) {
            self.seen.set(numbers);
        }
        self.seen.get()
    }

    /// Writes what there is, as far as there is room, one turn's worth at most. The connection's header is written.
    ///
    /// # Errors
    ///
    /// [`NoMemory`]: a sample was left out.
    pub(crate) fn pump(&mut self, net: &mut impl Net, id: ConnId) -> Result<Pumped, NoMemory> {
        let worked = self.pipe.desk.work(|line| {
            if line.outgoing.is_none() {
                line.outgoing = net.outgoing(id);
            }
            line.pump(|parts| net.write(id, parts))
        });
        match worked {
            // A publisher has it, and rings when it is done.
            None => Ok(Pumped::Idle),
            Some(Worked { result: Ok(Pumped::Idle), was_called: true }) => Ok(Pumped::Later),
            Some(worked) => worked.result,
        }
    }
}

impl Pipe {
    fn new(reader: Option<Reader<Payload>>, bell: Arc<dyn Doorbell>, source: u32) -> Pipe {
        let line = Line { reader, outgoing: None, current: None, scratch: Vec::new(), messages: 0, bytes: 0 };
        Pipe { desk: Desk::new(line), bell, source }
    }

    fn look<R>(&self, look: impl FnOnce(&Line) -> R) -> Option<R> {
        let worked = self.desk.work(|line| look(line))?;
        if worked.was_called {
            self.bell.ring(self.source);
        }
        Some(worked.result)
    }

    /// In a publisher's thread. False: there is something left for the network's.
    fn send_at_once(&self) -> bool {
        match self.desk.work(Line::send_at_once) {
            // That one is at it, and looks again.
            None => true,
            Some(worked) => worked.result && !worked.was_called,
        }
    }
}

/// Rung in the publisher's thread: sends there, or wakes the network's.
struct AtOnce {
    pipe: Weak<Pipe>,
    bell: Arc<dyn Doorbell>,
}

impl Doorbell for AtOnce {
    fn ring(&self, source: u32) {
        if !self.pipe.upgrade().is_some_and(|pipe| pipe.send_at_once()) {
            self.bell.ring(source);
        }
    }
}

impl Line {
    fn pump(&mut self, mut write: impl FnMut([&[u8]; 2]) -> Io) -> Result<Pumped, NoMemory> {
        let mut left = TURN;
        while self.has_current() {
            if left == 0 {
                return Ok(Pumped::Later);
            }
            match self.write(&mut write, left)? {
                Io::Done(count) => left = left.saturating_sub(count),
                Io::Later => return Ok(Pumped::Later),
                Io::Over => return Ok(Pumped::Over),
            }
        }
        Ok(Pumped::Idle)
    }

    /// True: all is written. What is not stays as it is.
    fn send_at_once(&mut self) -> bool {
        let Some(outgoing) = self.outgoing.clone().filter(|_| self.current.is_none()) else { return false };
        for _ in 0..AT_ONCE_SAMPLES {
            if !self.has_current() {
                return true;
            }
            // An error is found by the network's thread as well.
            let is_written = self.is_small() && self.write(&mut |parts| outgoing.write(parts), TURN).is_ok();
            if !is_written || self.current.is_some() {
                return false;
            }
        }
        false
    }

    fn is_small(&self) -> bool {
        let is_small = |current: &Current| {
            current.sample.object().is_none() && current.sample.wire_len() <= AT_ONCE_BYTES
        };
        self.current.as_ref().is_some_and(is_small)
    }

    /// Whether there is a sample to be written, perhaps the next one.
    fn has_current(&mut self) -> bool {
        if self.current.is_none() {
            let sample = self.reader.as_mut().and_then(|reader| reader.take().unwrap_or_default());
            self.current = sample.map(|sample| Current { sample, head: None, written: 0 });
        }
        self.current.is_some()
    }

    /// One piece of the current sample, of at most so many bytes.
    fn write(&mut self, write: &mut impl FnMut([&[u8]; 2]) -> Io, most: usize) -> Result<Io, NoMemory> {
        let Some(mut current) = self.current.take() else { return Ok(Io::Later) };
        let head = match current.head {
            Some(head) => head,
            None => begin(&current.sample, &mut self.scratch)?,
        };
        current.head = Some(head);
        let body = if current.sample.object().is_some() { &self.scratch[..] } else { current.sample.bytes() };
        let rest = &body[current.written.saturating_sub(4)..];
        let most = if rest.len() <= most + TAIL { rest.len() } else { most };
        let io = write([&head[current.written.min(4)..], &rest[..most]]);
        let whole = 4 + body.len();
        current.written += if let Io::Done(count) = io { count } else { 0 };
        if current.written == whole {
            self.messages = self.messages.wrapping_add(1);
            self.bytes += whole as u64;
        } else {
            self.current = Some(current);
        }
        Ok(io)
    }
}

/// What stands before a message; the wire form of an object is in `scratch` then.
fn begin(sample: &Sample<Payload>, scratch: &mut Vec<u8>) -> Result<[u8; 4], NoMemory> {
    let bytes = sample.wire(scratch)?.len();
    Ok(message_head(u32::try_from(bytes).map_err(|_| NoMemory { bytes })?))
}

#[cfg(test)]
mod tests;
