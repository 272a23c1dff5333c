//! The program around the machine: topics, services and parameters of a few names, and what is told of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex};

use tokkyu_contract::Class;
use tokkyu_graph::{
    Advertise, Call, Command, ConnId, Done, Handler, Host, Kind, Lending, Level, Listening, Offer, Origin,
    Param, Payload, Receipts, Request, Subscribe, Subscriber, channel,
};
use tokkyu_topic::{Bell, Doorbell, Limits, Publisher, Reader, Terms};

/// The longest message and request, bytes.
const LONGEST: usize = 2000;
const NAMES: [&str; 3] = ["/a", "/b", "/c"];
/// A lender or a bell that cannot be opened.
const UNKNOWN: &str = "?";
/// Subscriptions that the program has at once.
const SUBSCRIPTIONS: usize = 8;

/// Lines are made, and forgotten; parameters are kept, as a program does.
#[derive(Default)]
pub struct Log {
    line: String,
    params: BTreeMap<String, Param>,
}

impl Host for Log {
    fn log(&mut self, _level: Level, text: fmt::Arguments<'_>) {
        self.line.clear();
        self.line.write_fmt(text).expect("a string takes all");
    }

    fn on_shutdown(&mut self, _caller: &str, _reason: &str) {}

    fn on_param(&mut self, key: &str, value: Param) {
        assert!(NAMES.contains(&key), "NODE-100: nobody watches {key}");
        self.params.insert(key.to_owned(), value);
    }

    fn on_param_stale(&mut self, key: &str) {
        assert!(NAMES.contains(&key), "NODE-100: nobody watches {key}");
        self.params.remove(key);
    }
}

/// A subscription that reads everything at once.
#[derive(Default)]
struct Inbox {
    links: Mutex<BTreeMap<u32, Reader<Payload>>>,
    /// Links to publishers of other processes, and whether they know.
    borrowed: Mutex<BTreeMap<u32, bool>>,
}

impl Inbox {
    fn read_all(&self) {
        for reader in self.links.lock().expect("one thread").values_mut() {
            let mut scratch = Vec::new();
            while let Some(sample) = reader.take().expect("none is held") {
                assert!(sample.wire(&mut scratch).expect("memory").len() <= LONGEST);
            }
        }
    }
}

impl Subscriber for Inbox {
    fn terms(&self) -> Terms {
        Terms::keep_last(2)
    }

    fn bell(&self) -> (Arc<dyn Doorbell>, u32) {
        (Arc::new(Bell::new()), 0)
    }

    fn on_publisher(&self, origin: Arc<Origin>, reader: Reader<Payload>) {
        let former = self.links.lock().expect("one thread").insert(origin.link, reader);
        assert!(former.is_none(), "link {} twice", origin.link);
    }

    fn borrow(&self, origin: &Arc<Origin>, lender: &str) -> Result<Listening, String> {
        if lender == UNKNOWN {
            return Err("it cannot be opened".to_owned());
        }
        let former = self.borrowed.lock().expect("one thread").insert(origin.link, false);
        assert!(former.is_none(), "link {} twice", origin.link);
        let receipts = origin.link.is_multiple_of(2).then_some(Receipts { word: 7, depth: 2 });
        Ok(Listening { bell: "bell".to_owned(), source: 3, receipts })
    }

    fn on_linked(&self, link: u32) {
        let former = self.borrowed.lock().expect("one thread").insert(link, true);
        assert_eq!(former, Some(false), "link {link}");
    }

    fn on_gone(&self, link: u32) {
        let was_read = self.links.lock().expect("one thread").remove(&link).is_some();
        let was_borrowed = self.borrowed.lock().expect("one thread").remove(&link).is_some();
        assert!(was_read ^ was_borrowed, "link {link} was never there");
    }
}

/// A topic in memory that nobody reads. Bells have numbers as long as they are there.
#[derive(Default)]
struct Lender(Mutex<BTreeSet<u32>>);

impl Lending for Lender {
    fn begin(&self) -> Result<String, String> {
        Ok("lender".to_owned())
    }

    fn add(&self, listening: &Listening) -> Result<u32, String> {
        if listening.bell == UNKNOWN || listening.source > 30 {
            return Err("there is no such bell".to_owned());
        }
        let mut bells = self.0.lock().expect("one thread");
        let number = bells.last().map_or(0, |last| last + 1);
        bells.insert(number);
        Ok(number)
    }

    fn remove(&self, bell: u32) {
        assert!(self.0.lock().expect("one thread").remove(&bell), "bell {bell} was never there");
    }

    fn reclaim(&self) {}
}

/// Requests that wait for an answer.
#[derive(Default)]
struct Waiting(Mutex<Vec<Request>>);

impl Handler for Waiting {
    fn on_request(&self, request: Request) {
        assert!(request.bytes.len() <= LONGEST);
        self.0.lock().expect("one thread").push(request);
    }

    fn on_left(&self, asker: ConnId) {
        self.0.lock().expect("one thread").retain(|request| request.asker != asker);
    }
}

#[derive(Default)]
pub struct Program {
    published: BTreeMap<&'static str, Publisher<Payload>>,
    subscribed: Vec<(&'static str, Arc<Inbox>)>,
    waiting: Arc<Waiting>,
}

fn kind() -> Kind {
    Kind { datatype: "t/T".into(), md5sum: "abc".into(), definition: "uint8[] data".into() }
}

fn nobody<T: 'static>() -> Done<T> {
    Box::new(drop)
}

impl Program {
    pub fn read_all(&self) {
        self.subscribed.iter().for_each(|(_, inbox)| inbox.read_all());
    }

    /// What an input asks for; nothing: the program did it alone, or it cannot be done just now.
    pub fn command(&mut self, what: u8, which: u8, bytes: &[u8]) -> Option<Command> {
        let name = NAMES[usize::from(which) % NAMES.len()];
        match what % 12 {
            0 => self.advertise(name, which),
            1 => self.published.remove(name).map(|_| Command::Unadvertise { topic: name.into() }),
            2 => self.subscribe(name, which),
            3 => self.unsubscribe(which),
            4 => Some(self.offer(name)),
            5 => Some(Command::Withdraw { service: name.into() }),
            6 => self.answer(which, bytes),
            7 => {
                let body = String::from_utf8_lossy(bytes).into_owned();
                Some(Command::Call(Call { body, waits: which.is_multiple_of(2), done: nobody() }))
            }
            8 => Some(Command::Watch { key: name.into() }),
            9 => self.publish(name, bytes),
            10 => Some(Command::Shutdown),
            _ => None,
        }
    }

    fn advertise(&mut self, name: &'static str, which: u8) -> Option<Command> {
        if self.published.contains_key(name) {
            return None;
        }
        let latch = which >= 128;
        let limits = Limits { loans: 1, links: 8, depth: 4, held: 2, latch, slots: 64 };
        let (publisher, channel) = channel(limits, 0).expect("possible limits");
        self.published.insert(name, publisher);
        Some(Command::Advertise(Advertise {
            topic: name.into(),
            kind: kind(),
            depth: 4,
            class: Class::ALL[usize::from(which) % Class::ALL.len()],
            channel,
            audience: None,
            lending: which.is_multiple_of(2).then(|| Arc::new(Lender::default()) as Arc<dyn Lending>),
            done: nobody(),
        }))
    }

    fn subscribe(&mut self, name: &'static str, which: u8) -> Option<Command> {
        if self.subscribed.len() == SUBSCRIPTIONS {
            return None;
        }
        let inbox = Arc::new(Inbox::default());
        self.subscribed.push((name, inbox.clone()));
        Some(Command::Subscribe(Subscribe {
            topic: name.into(),
            kind: kind(),
            class: Class::ALL[usize::from(which) % Class::ALL.len()],
            no_delay: true,
            longest: LONGEST,
            slot_bytes: 0,
            subscriber: inbox,
            done: nobody(),
        }))
    }

    fn unsubscribe(&mut self, which: u8) -> Option<Command> {
        let at = usize::from(which).checked_rem(self.subscribed.len())?;
        let (name, subscriber) = self.subscribed.remove(at);
        Some(Command::Unsubscribe { topic: name.into(), subscriber })
    }

    fn offer(&mut self, name: &str) -> Command {
        Command::Offer(Offer {
            service: name.into(),
            kind: kind(),
            longest: LONGEST,
            handler: self.waiting.clone(),
            done: nobody(),
        })
    }

    /// Also who has left meanwhile.
    fn answer(&mut self, which: u8, bytes: &[u8]) -> Option<Command> {
        let asker = self.waiting.0.lock().expect("one thread").pop()?.asker;
        let answer = if which.is_multiple_of(2) { Ok(bytes.to_vec()) } else { Err("no".to_owned()) };
        Some(Command::Answer { asker, answer })
    }

    fn publish(&mut self, name: &str, bytes: &[u8]) -> Option<Command> {
        let publisher = self.published.get_mut(name)?;
        let mut loan = publisher.loan().expect("a loan never fails");
        let bytes = &bytes[..bytes.len().min(LONGEST)];
        loan.bytes_mut(bytes.len()).expect("memory").copy_from_slice(bytes);
        publisher.publish(loan).expect("nothing is reliable");
        None
    }
}
