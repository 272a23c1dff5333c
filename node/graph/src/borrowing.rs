//! A publisher in another process of this device: we read its topic in shared memory (NODE-80, NODE-81).

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::{Header, read_header};

use crate::connection::{After, Connection, Role};
use crate::engine::Engine;
use crate::header::header;
use crate::host::{Host, Level, Listening, Origin, Receipts, Subscriber};
use crate::lending::FRAME;
use crate::net::{ConnId, Net};
use crate::subscribing::{LinkKey, PATIENCE};

/// What comes from one such publisher.
pub(crate) struct Borrowing {
    pub(crate) origin: Arc<Origin>,
    lender: String,
    members: Vec<Member>,
}

/// One subscription of ours.
struct Member {
    subscriber: Arc<dyn Subscriber>,
    bell: String,
    source: u32,
    /// Whether the publisher has said that it knows.
    is_linked: bool,
}

impl Borrowing {
    pub(crate) fn new(origin: Origin, lender: &str) -> Borrowing {
        Borrowing { origin: Arc::new(origin), lender: lender.to_string(), members: Vec::new() }
    }

    /// Opens the topic for a subscription, and says which bell is to be rung.
    pub(crate) fn add(
        &mut self,
        subscriber: &Arc<dyn Subscriber>,
        connection: &mut Connection,
    ) -> Result<(), String> {
        let Listening { bell, source, receipts } = subscriber.borrow(&self.origin, &self.lender)?;
        connection.queue(&joining(&bell, source, receipts));
        self.members.push(Member { subscriber: subscriber.clone(), bell, source, is_linked: false });
        Ok(())
    }

    /// The publisher has answered the oldest of those that wait for it.
    fn on_joined(&mut self) {
        if let Some(member) = self.members.iter_mut().find(|member| !member.is_linked) {
            member.is_linked = true;
            member.subscriber.on_linked(self.origin.link);
        }
    }

    fn is_complete(&self) -> bool {
        self.members.iter().all(|member| member.is_linked)
    }

    /// A subscription is over: nobody needs to ring for it any more.
    fn remove(&mut self, subscriber: &Arc<dyn Subscriber>) -> Option<Vec<u8>> {
        let at = self.members.iter().position(|member| Arc::ptr_eq(&member.subscriber, subscriber))?;
        let member = self.members.remove(at);
        Some(header(&[("tokkyu_leaves", &member.bell), ("tokkyu_source", &member.source.to_string())]))
    }

    pub(crate) fn on_gone(&self) {
        self.members.iter().for_each(|member| member.subscriber.on_gone(self.origin.link));
    }
}

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
        let added = readers.iter().try_for_each(|reader| borrowing.add(reader, connection));
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
        let added = borrowing.add(subscriber, connection);
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

fn joining(bell: &str, source: u32, receipts: Option<Receipts>) -> Vec<u8> {
    let source = source.to_string();
    let place = [("tokkyu_bell", bell), ("tokkyu_source", &source)];
    let Some(Receipts { word, depth }) = receipts else { return header(&place) };
    let [word, depth] = [word, depth].map(|number| number.to_string());
    header(&[place[0], place[1], ("tokkyu_receipts", &word), ("tokkyu_depth", &depth)])
}

fn on_answer(borrowing: &mut Borrowing, said: Header<'_>) -> Result<(), String> {
    if let Some(error) = said.bytes("error") {
        return Err(alloc::format!("the publisher refuses: {}", String::from_utf8_lossy(error)));
    }
    if said.get("tokkyu_joined").is_some() {
        borrowing.on_joined();
    }
    Ok(())
}
