//! A whole session against a peer that sends anything at any time: it never panics, never holds more than its memory
//! bound (LNK-6), and its ledgers close (LNK-5), also of endpoints that go and come (LNK-32, LNK-34), and over
//! paths that do (LNK-90).

use std::time::Duration;
use tokkyu_contract::{Class, FlowId, History, MonoTime, Qos};
use crate::{Happening, Step, session_config, steps};
use tokkyu_link::core::{PathId, Publication, Session, Subscription};

/// Packets taken from the session after each step: more than a step can add, so that only a loop without end stops it.
const PACKETS: usize = 2_000;

struct Conversation {
    session: Session,
    now: MonoTime,
    sending: [FlowId; 2],
    reading: [FlowId; 2],
    offered: [Publication; 2],
    wanted: [Subscription; 2],
    packet: Vec<u8>,
}

impl Conversation {
    fn new() -> Conversation {
        let mut session = Session::new(session_config());
        let lifespan = Some(Duration::from_millis(500));
        let newest = Qos { history: History::KeepLast { depth: 1 }, lifespan, ..Qos::default() };
        let all = Qos { history: History::KeepAll, ..Qos::default() };
        let publish = |topic: &str, class, qos| Publication {
            topic: topic.to_owned(),
            type_name: String::new(),
            class,
            qos,
            period: Some(Duration::from_millis(20)),
            size_bytes: 0,
        };
        let want = |topic: &str, qos| Subscription { topic: topic.to_owned(), type_name: String::new(), qos };
        let offered = [("c", Class::Control, newest), ("d", Class::BestEffort, all)]
            .map(|(topic, class, qos)| publish(topic, class, qos));
        let wanted = [("a", newest), ("b", all)].map(|(topic, qos)| want(topic, qos));
        let sending =
            offered.clone().map(|publication| session.advertise(publication).expect("within the limits"));
        let reading =
            wanted.clone().map(|subscription| session.subscribe(subscription).expect("within the limits"));
        let now = MonoTime::from_millis(1);
        Conversation { session, now, sending, reading, offered, wanted, packet: Vec::new() }
    }

    /// An endpoint goes, and another takes its place.
    fn replace(&mut self, which: usize) {
        let at = which / 2 % 2;
        let ledger = if which.is_multiple_of(2) {
            let ledger = self.session.withdraw_publication(self.sending[at]).expect("it is there");
            self.sending[at] = self.session.advertise(self.offered[at].clone()).expect("a place is free");
            ledger
        } else {
            let ledger = self.session.withdraw_subscription(self.reading[at]).expect("it is there");
            self.reading[at] = self.session.subscribe(self.wanted[at].clone()).expect("a place is free");
            ledger
        };
        assert!(ledger.closes(), "LNK-5: withdrawn {ledger:?}");
    }

    fn take(&mut self, step: Step<'_>) {
        self.now += step.wait;
        match step.what {
            Happening::Datagram { path, ce } => self.session.on_datagram(self.now, path, ce, step.bytes),
            Happening::Publish => {
                let flow = self.sending[step.bytes.len() % 2];
                let _ = self.session.publish(self.now, flow, self.now, step.bytes);
            }
            Happening::Replace => self.replace(step.bytes.len()),
            Happening::Open => self.session.open_path(self.now, path_of(&step), &session_config().path()),
            Happening::Close => self.session.close_path(self.now, path_of(&step)),
            Happening::Wait => {}
        }
        if self.session.deadline() <= self.now {
            self.session.on_timer(self.now);
        }
        self.transmit();
        let stats = self.session.stats();
        assert!(
            stats.memory_in <= session_config().memory_bytes,
            "LNK-6: {} bytes held for the peer",
            stats.memory_in
        );
        while self.session.poll_event().is_some() {}
    }

    fn transmit(&mut self) {
        (0..PathId::COUNT).for_each(|path| self.transmit_on(PathId(path)));
    }

    fn transmit_on(&mut self, path: PathId) {
        let limit = session_config().max_datagram;
        for _ in 0..PACKETS {
            if self.session.poll_transmit(self.now, path, &mut self.packet).is_none() {
                return;
            }
            assert!(self.packet.len() <= limit, "LNK-25: a packet of {} bytes", self.packet.len());
        }
        panic!("the session sends without end at one moment");
    }

    fn close(mut self) {
        self.session.close();
        for flow in self.sending {
            let ledger = self.session.sent_ledger(flow);
            assert!(ledger.closes(), "LNK-5: sent {ledger:?}");
        }
        for flow in self.reading {
            let ledger = self.session.received_ledger(flow);
            assert!(ledger.closes(), "LNK-5: received {ledger:?}");
        }
    }
}

fn path_of(step: &Step<'_>) -> PathId {
    PathId((step.bytes.len() % usize::from(PathId::COUNT)) as u8)
}

/// Takes one input.
pub fn run(input: &[u8]) {
    let mut conversation = Conversation::new();
    steps(input).for_each(|step| conversation.take(step));
    conversation.close();
}
