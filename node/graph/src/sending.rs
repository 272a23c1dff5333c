//! A subscriber of ours on the network: samples of a topic to its connection (NODE-52, NODE-54).

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::message_head;
use tokkyu_topic::{Reader, Sample};

use crate::net::{ConnId, Io, Net};
use crate::payload::{NoMemory, Payload};

/// What one turn writes at most (NODE-57). Many small pieces of a large message each wake the reader, who sleeps before the next: 3 MB took 0.8 times
/// as long in pieces of 512 KiB as in those of 256 KiB, and no less in larger ones.
const TURN: usize = 512 << 10;
/// So much more is written if the message ends with it: the few bytes of a header behind a picture are not worth a turn.
const TAIL: usize = 4 << 10;

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
        let most = if rest.len() <= most + TAIL { rest.len() } else { most };
        let io = net.write(id, [head, &rest[..most]]);
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

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use alloc::vec;

    use tokkyu_contract::Class;
    use tokkyu_topic::{Doorbell, Limits, Terms};

    use super::*;
    use crate::net::{Listener, NetError};

    const ID: ConnId = ConnId(3);

    struct Nobody;

    impl Doorbell for Nobody {
        fn ring(&self, _source: u32) {}
    }

    /// Has room for everything.
    #[derive(Default)]
    struct Endless(Vec<u8>);

    impl Net for Endless {
        fn connect(&mut self, _: ConnId, _: &str, _: u16) -> Result<(), NetError> {
            Err(NetError)
        }

        fn accept(&mut self, _: Listener, _: ConnId) -> Option<()> {
            None
        }

        fn read(&mut self, _: ConnId, _: &mut [u8]) -> Io {
            Io::Later
        }

        fn write(&mut self, _: ConnId, parts: [&[u8]; 2]) -> Io {
            parts.iter().for_each(|part| self.0.extend_from_slice(part));
            Io::Done(parts.concat().len())
        }

        fn set_no_delay(&mut self, _: ConnId, _: bool) {}

        fn set_class(&mut self, _: ConnId, _: Class) {}

        fn close(&mut self, _: ConnId) {}
    }

    /// What has messages of these lengths to send.
    fn sending(lens: &[usize]) -> Sending {
        let limits = Limits { loans: 1, ..Limits::for_links(1, 4) }.with_all_slots();
        let (mut publisher, channel) = crate::channel(limits, 0).unwrap();
        let reader = channel.join(Terms::keep_last(4), Arc::new(Nobody), 0).unwrap();
        for (number, len) in lens.iter().enumerate() {
            let mut loan = publisher.loan().unwrap();
            loan.bytes_mut(*len).unwrap().fill(number as u8);
            publisher.publish(loan).unwrap();
        }
        Sending::new("chatter".into(), "/listener".into(), reader)
    }

    /// What each turn wrote, until nothing was left.
    fn turns(lens: &[usize]) -> (Vec<usize>, Vec<u8>) {
        let (mut sending, mut net, mut turns) = (sending(lens), Endless::default(), vec![]);
        loop {
            let before = net.0.len();
            let pumped = sending.pump(&mut net, ID).unwrap();
            turns.push(net.0.len() - before);
            if pumped == Pumped::Idle {
                return (turns, net.0);
            }
            assert_eq!(pumped, Pumped::Later);
        }
    }

    /// NODE-57: others have their turn.
    #[test]
    fn a_turn_writes_no_more_than_512_kib() {
        let (turns, written) = turns(&[3 * TURN - 4, TURN / 2, 5]);
        assert_eq!(turns[..2], [TURN + 4, TURN]);
        assert!(turns.iter().all(|bytes| *bytes <= TURN + TAIL), "{turns:?}");
        let expected = [(3 * TURN - 4, 0_u8), (TURN / 2, 1), (5, 2)]
            .map(|(len, fill)| [&(len as u32).to_le_bytes()[..], &vec![fill; len]].concat());
        assert!(written == expected.concat());
    }

    #[test]
    fn a_few_bytes_at_the_end_take_no_turn_of_their_own() {
        assert_eq!(turns(&[TURN + TAIL]).0, [4 + TURN + TAIL]);
        assert_eq!(turns(&[TURN + TAIL + 1]).0.len(), 2);
    }
}
