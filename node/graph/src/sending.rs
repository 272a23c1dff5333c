//! A subscriber of ours on the network: samples of a topic to its connection (NODE-52, NODE-54).

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::message_head;
use tokkyu_topic::{Reader, Sample};

use crate::connection::TURN;
use crate::net::{ConnId, Io, Net};
use crate::payload::{NoMemory, Payload};

/// What is sent to one subscriber.
pub(crate) struct Sending {
    pub(crate) topic: String,
    /// Who it is.
    pub(crate) callerid: String,
    reader: Reader<Payload>,
    current: Option<Current>,
    /// Wire forms of objects.
    scratch: Vec<u8>,
    pub(crate) messages: u32,
    pub(crate) bytes: u64,
}

/// The sample that is on its way, held until its last byte is written.
struct Current {
    sample: Sample<Payload>,
    head: [u8; 4],
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
    pub(crate) fn new(topic: String, callerid: String, reader: Reader<Payload>) -> Sending {
        Sending { topic, callerid, reader, current: None, scratch: Vec::new(), messages: 0, bytes: 0 }
    }

    /// Samples that this link has lost.
    pub(crate) fn dropped(&self) -> u32 {
        self.reader.dropped()
    }

    /// Writes what there is, as far as there is room, one turn's worth at most.
    ///
    /// # Errors
    ///
    /// [`NoMemory`]: a sample was left out.
    pub(crate) fn pump(&mut self, net: &mut impl Net, id: ConnId) -> Result<Pumped, NoMemory> {
        let mut left = TURN;
        while self.current.is_some() || self.begin()? {
            if left == 0 {
                return Ok(Pumped::Later);
            }
            match self.write(net, id, left) {
                Io::Done(count) => left = left.saturating_sub(count),
                Io::Later => return Ok(Pumped::Later),
                Io::Over => return Ok(Pumped::Over),
            }
        }
        Ok(Pumped::Idle)
    }

    /// The next sample; false: there is none.
    fn begin(&mut self) -> Result<bool, NoMemory> {
        // The one that was held is written and gone.
        let Some(sample) = self.reader.take().unwrap_or_default() else { return Ok(false) };
        let len = sample.wire(&mut self.scratch)?.len();
        let head = message_head(u32::try_from(len).map_err(|_| NoMemory { bytes: len })?);
        self.current = Some(Current { sample, head, written: 0 });
        Ok(true)
    }

    /// One piece of the current sample, of at most so many bytes.
    fn write(&mut self, net: &mut impl Net, id: ConnId, most: usize) -> Io {
        let Some(current) = &mut self.current else { return Io::Later };
        let body = if current.sample.object().is_some() { &self.scratch[..] } else { current.sample.bytes() };
        let head = &current.head[current.written.min(4)..];
        let rest = &body[current.written.saturating_sub(4)..];
        let io = net.write(id, [head, &rest[..rest.len().min(most)]]);
        if let Io::Done(count) = io {
            current.written += count;
            if current.written == 4 + body.len() {
                self.messages = self.messages.wrapping_add(1);
                self.bytes += current.written as u64;
                self.current = None;
            }
        }
        io
    }
}
