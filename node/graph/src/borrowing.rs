//! A publisher in another process of this device, whose topic is read in shared memory (NODE-80, NODE-81).

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::Header;

use crate::header::header;
use crate::host::{Listening, Origin, Receipts, Subscriber};

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

    /// Opens the topic for a subscription. Gives what tells the publisher which bell is to be rung.
    pub(crate) fn add(&mut self, subscriber: &Arc<dyn Subscriber>) -> Result<Vec<u8>, String> {
        let Listening { bell, source, receipts } = subscriber.borrow(&self.origin, &self.lender)?;
        let frame = joining(&bell, source, receipts);
        self.members.push(Member { subscriber: subscriber.clone(), bell, source, is_linked: false });
        Ok(frame)
    }

    /// The publisher has answered the oldest of those that wait for it.
    pub(crate) fn on_joined(&mut self) {
        if let Some(member) = self.members.iter_mut().find(|member| !member.is_linked) {
            member.is_linked = true;
            member.subscriber.on_linked(self.origin.link);
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.members.iter().all(|member| member.is_linked)
    }

    /// A subscription is over: nobody needs to ring for it any more.
    pub(crate) fn remove(&mut self, subscriber: &Arc<dyn Subscriber>) -> Option<Vec<u8>> {
        let at = self.members.iter().position(|member| Arc::ptr_eq(&member.subscriber, subscriber))?;
        let member = self.members.remove(at);
        Some(header(&[("tokkyu_leaves", &member.bell), ("tokkyu_source", &member.source.to_string())]))
    }

    pub(crate) fn on_gone(&self) {
        self.members.iter().for_each(|member| member.subscriber.on_gone(self.origin.link));
    }
}

fn joining(bell: &str, source: u32, receipts: Option<Receipts>) -> Vec<u8> {
    let source = source.to_string();
    let place = [("tokkyu_bell", bell), ("tokkyu_source", &source)];
    let Some(Receipts { word, depth }) = receipts else { return header(&place) };
    let [word, depth] = [word, depth].map(|number| number.to_string());
    header(&[place[0], place[1], ("tokkyu_receipts", &word), ("tokkyu_depth", &depth)])
}

/// What the publisher says to the oldest of those that wait for it.
pub(crate) fn on_answer(borrowing: &mut Borrowing, said: Header<'_>) -> Result<(), String> {
    if let Some(error) = said.bytes("error") {
        return Err(alloc::format!("the publisher refuses: {}", String::from_utf8_lossy(error)));
    }
    if said.get("tokkyu_joined").is_some() {
        borrowing.on_joined();
    }
    Ok(())
}
