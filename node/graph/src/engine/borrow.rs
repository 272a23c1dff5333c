//! A publisher in another process of this device: we read its topic in shared memory (NODE-80, NODE-81).

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::read_header;

use super::Engine;
use crate::borrowing::{Borrowing, on_answer};
use crate::connection::{After, Connection, Role};
use crate::host::{Host, Level, Subscriber};
use crate::lending::FRAME;
use crate::link::LinkKey;
use crate::net::{ConnId, Net};
use crate::subscription::PATIENCE;

impl<N: Net, H: Host> Engine<N, H> {
    /// A publisher of this device has said what its topic is opened by.
    pub(crate) fn begin_to_borrow(
        &mut self,
        id: ConnId,
        connection: &mut Connection,
        key: LinkKey,
        mut borrowing: Borrowing,
    ) -> After {
        let readers: Vec<_> =
            self.subscriptions.get(&key.topic).into_iter().flat_map(|one| one.readers()).collect();
        let added =
            readers.iter().try_for_each(|reader| borrowing.add(reader).map(|frame| connection.queue(&frame)));
        connection.deadline = Some(self.now + PATIENCE);
        if let Err(text) = added {
            borrowing.on_gone();
            self.go_plain(&key, &text);
            return After::End;
        }
        connection.role = Role::Borrowing(key, borrowing);
        match connection.flush(&mut self.net, id) {
            After::Stay => self.on_borrowing(id, connection),
            After::End => After::End,
        }
    }

    /// One subscription more.
    pub(crate) fn add_member(
        &mut self,
        id: ConnId,
        connection: &mut Connection,
        subscriber: &Arc<dyn Subscriber>,
    ) -> After {
        // Taken out, so that it and the connection's output can both be changed.
        let role = core::mem::replace(&mut connection.role, Role::Greeting);
        let Role::Borrowing(key, mut borrowing) = role else { return After::End };
        let added = borrowing.add(subscriber).map(|frame| connection.queue(&frame));
        if let Err(text) = &added {
            self.go_plain(&key, text);
        }
        connection.deadline = Some(self.now + PATIENCE);
        connection.role = Role::Borrowing(key, borrowing);
        if added.is_ok() { connection.flush(&mut self.net, id) } else { After::End }
    }

    /// One subscription less, while others stay.
    pub(crate) fn remove_member(
        &mut self,
        id: ConnId,
        connection: &mut Connection,
        subscriber: &Arc<dyn Subscriber>,
    ) -> After {
        let Role::Borrowing(_, borrowing) = &mut connection.role else { return After::Stay };
        let Some(frame) = borrowing.remove(subscriber) else { return After::Stay };
        connection.queue(&frame);
        connection.flush(&mut self.net, id)
    }

    /// What the publisher answers.
    pub(crate) fn on_borrowing(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, 16 * FRAME);
        let Role::Borrowing(key, borrowing) = &mut connection.role else { return After::End };
        let mut used = 0;
        let mut refusal = None;
        while refusal.is_none() {
            match read_header(&connection.input[used..], FRAME) {
                Ok(Progress::More) => break,
                Ok(Progress::Whole { message, used: more }) => {
                    used += more;
                    refusal = on_answer(borrowing, message).err();
                }
                Err(error) => refusal = Some(error.to_string()),
            }
        }
        if borrowing.is_complete() {
            connection.deadline = None;
        }
        let key = key.clone();
        connection.consume(used);
        if let Some(text) = &refusal {
            self.go_plain(&key, text);
        }
        if refusal.is_some() || received.is_over { After::End } else { After::Stay }
    }

    /// Memory cannot be shared with that publisher: it is joined anew, by TCPROS (NODE-83).
    fn go_plain(&mut self, key: &LinkKey, text: &str) {
        let (topic, uri) = (&key.topic, &key.uri);
        self.log(
            Level::Warn,
            format_args!("{topic} comes over TCPROS from {uri} inside this device: {text}"),
        );
        self.make_plain(key);
    }
}
