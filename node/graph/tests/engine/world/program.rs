//! The program's ends: what a node was told, topics that are read and written by hand.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use tokkyu_contract::Class;
use tokkyu_graph::{
    Advertise, Command, Host, Kind, Lending, Level, Origin, Param, Payload, Subscribe, Subscriber, channel,
};
use tokkyu_topic::{Bell, Doorbell, Limits, Publisher, Reader, Terms};

/// A parameter and its value; nothing: that is not so any more.
pub type Told = (String, Option<Param>);

/// What the machine said to its program.
#[derive(Clone, Default)]
pub struct Said {
    pub lines: Rc<RefCell<Vec<(Level, String)>>>,
    pub shutdowns: Rc<RefCell<Vec<String>>>,
    pub params: Rc<RefCell<Vec<Told>>>,
}

impl Said {
    pub fn has(&self, part: &str) -> bool {
        self.lines.borrow().iter().any(|(_, line)| line.contains(part))
    }
}

impl Host for Said {
    fn log(&mut self, level: Level, text: fmt::Arguments<'_>) {
        self.lines.borrow_mut().push((level, text.to_string()));
    }

    fn on_shutdown(&mut self, _caller: &str, reason: &str) {
        self.shutdowns.borrow_mut().push(reason.to_owned());
    }

    fn on_param(&mut self, key: &str, value: Param) {
        self.params.borrow_mut().push((key.to_owned(), Some(value)));
    }

    fn on_param_stale(&mut self, key: &str) {
        self.params.borrow_mut().push((key.to_owned(), None));
    }
}

pub fn kind(md5sum: &str) -> Kind {
    Kind { datatype: "test/Bytes".into(), md5sum: md5sum.into(), definition: "uint8[] data".into() }
}

/// A subscription that is read by hand.
pub struct Inbox {
    depth: u32,
    links: Mutex<Vec<(Arc<Origin>, Reader<Payload>)>>,
    gone: Mutex<Vec<u32>>,
}

impl Inbox {
    pub fn new(depth: u32) -> Arc<Inbox> {
        Arc::new(Inbox { depth, links: Mutex::default(), gone: Mutex::default() })
    }

    /// Everything that waits, with its publisher.
    pub fn take(&self) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        for (origin, reader) in self.links.lock().unwrap().iter_mut() {
            while let Some(sample) = reader.take().unwrap() {
                all.push((origin.callerid.clone(), sample.wire(&mut Vec::new()).unwrap().to_vec()));
            }
        }
        all
    }

    pub fn bytes(&self) -> Vec<Vec<u8>> {
        self.take().into_iter().map(|(_, bytes)| bytes).collect()
    }

    pub fn origins(&self) -> Vec<Arc<Origin>> {
        self.links.lock().unwrap().iter().map(|(origin, _)| origin.clone()).collect()
    }

    pub fn gone(&self) -> usize {
        self.gone.lock().unwrap().len()
    }
}

impl Subscriber for Inbox {
    fn terms(&self) -> Terms {
        Terms::keep_last(self.depth)
    }

    fn bell(&self) -> (Arc<dyn Doorbell>, u32) {
        (Arc::new(Bell::new()), 0)
    }

    fn on_publisher(&self, origin: Arc<Origin>, reader: Reader<Payload>) {
        self.links.lock().unwrap().push((origin, reader));
    }

    fn on_gone(&self, link: u32) {
        self.gone.lock().unwrap().push(link);
    }
}

/// A topic that is published by hand.
pub struct Outbox(Publisher<Payload>);

impl Outbox {
    pub fn publish(&mut self, bytes: &[u8]) {
        let mut loan = self.0.loan().expect("a loan");
        loan.bytes_mut(bytes.len()).expect("memory").copy_from_slice(bytes);
        self.0.publish(loan).expect("nothing reliable");
    }
}

pub fn advertise(topic: &str, md5sum: &str, depth: u32, latch: bool) -> (Outbox, Command) {
    advertise_lent(topic, md5sum, depth, latch, None)
}

pub fn advertise_lent(
    topic: &str,
    md5sum: &str,
    depth: u32,
    latch: bool,
    lending: Option<Arc<dyn Lending>>,
) -> (Outbox, Command) {
    let limits = Limits { loans: 1, links: 8, depth: 64, held: 2, latch, slots: 512 };
    let (publisher, channel) = channel(limits, 0).expect("possible limits");
    let command = Command::Advertise(Advertise {
        topic: topic.into(),
        kind: kind(md5sum),
        depth,
        class: Class::BestEffort,
        channel,
        audience: None,
        lending,
        done: Box::new(drop),
    });
    (Outbox(publisher), command)
}

pub fn subscribe<S: Subscriber + 'static>(topic: &str, md5sum: &str, inbox: &Arc<S>) -> Command {
    Command::Subscribe(Subscribe {
        topic: topic.into(),
        kind: kind(md5sum),
        class: Class::BestEffort,
        no_delay: true,
        longest: 1 << 20,
        slot_bytes: 0,
        subscriber: inbox.clone(),
        done: Box::new(drop),
    })
}
