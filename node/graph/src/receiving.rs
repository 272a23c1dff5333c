//! A publisher of ours on the network: its connection's messages into slots that subscriptions read (NODE-53, NODE-54).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use tokkyu_ros1::tcpros::{FrameError, Frames, Step, Wanted};
use tokkyu_topic::{Channel, Loan, Publisher};

use crate::host::Origin;
use crate::net::{ConnId, Io, Net, TURN};
use crate::payload::{NoMemory, Payload};

/// What comes from one publisher.
pub(crate) struct Receiving {
    frames: Frames,
    publisher: Publisher<Payload>,
    /// The message that is coming.
    loan: Option<Loan<Payload>>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) messages: u32,
    pub(crate) bytes: u64,
}

/// Why nothing more is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The connection is over.
    Over,
    Frame(FrameError),
    Memory(NoMemory),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Over => f.write_str("the connection is over"),
            Broken::Frame(error) => error.fmt(f),
            Broken::Memory(error) => error.fmt(f),
        }
    }
}

impl Receiving {
    pub(crate) fn new(publisher: Publisher<Payload>, origin: Arc<Origin>, longest: usize) -> Receiving {
        let limit = u32::try_from(longest).unwrap_or(u32::MAX);
        Receiving { frames: Frames::new(limit), publisher, loan: None, origin, messages: 0, bytes: 0 }
    }

    /// What subscriptions join.
    pub(crate) fn channel(&self) -> &Arc<Channel<Payload>> {
        self.publisher.channel()
    }

    /// Reads what has come, one turn's worth at most, by way of `input`. What is longer than a chunk is read where it belongs.
    pub(crate) fn pump(&mut self, net: &mut impl Net, id: ConnId, input: &mut Vec<u8>) -> Result<(), Broken> {
        let mut left = TURN;
        loop {
            self.digest(input)?;
            if left == 0 {
                return Ok(());
            }
            let io = match self.frames.wanted() {
                Wanted::Body { offset, missing } => {
                    let Some(loan) = &mut self.loan else { return Err(Broken::Over) };
                    let io = net.read(id, loan.part_mut(offset, missing.min(left)));
                    if let Io::Done(count) = io {
                        self.frames.filled(count);
                    }
                    io
                }
                Wanted::Head(_) => read_chunk(net, id, input),
            };
            match io {
                Io::Done(count) => left = left.saturating_sub(count),
                Io::Later => return Ok(()),
                Io::Over => return Err(Broken::Over),
            }
        }
    }

    /// Takes everything out of the connection's input.
    fn digest(&mut self, input: &mut Vec<u8>) -> Result<(), Broken> {
        let mut left = &input[..];
        loop {
            match self.frames.step(&mut left).map_err(Broken::Frame)? {
                Step::More => break,
                Step::Begin(frame) => self.begin(frame.len).map_err(Broken::Memory)?,
                Step::Body { offset, bytes } => {
                    if let Some(loan) = &mut self.loan {
                        loan.part_mut(offset, bytes.len()).copy_from_slice(bytes);
                    }
                }
                Step::Whole(frame) => self.publish(frame.len),
            }
        }
        // Its memory is used again.
        input.clear();
        Ok(())
    }

    fn begin(&mut self, len: usize) -> Result<(), NoMemory> {
        // It never fails: there is one loan at a time.
        let mut loan = self.publisher.loan().map_err(|_| NoMemory { bytes: len })?;
        loan.begin(len)?;
        self.loan = Some(loan);
        Ok(())
    }

    fn publish(&mut self, len: usize) {
        self.messages = self.messages.wrapping_add(1);
        self.bytes += len as u64 + 4;
        // Refused only by a subscription that is reliable and full, which counts what it has not got by its number.
        let _ = self.loan.take().map(|loan| self.publisher.publish(loan));
    }
}

/// Small messages come many at a time.
const CHUNK: usize = 16 << 10;

fn read_chunk(net: &mut impl Net, id: ConnId, input: &mut Vec<u8>) -> Io {
    input.resize(CHUNK, 0);
    let io = net.read(id, input);
    input.truncate(if let Io::Done(count) = io { count } else { 0 });
    io
}
