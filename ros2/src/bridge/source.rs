//! The source's side of a topic: DDS gives, the link takes. ROS2-13, ROS2-36.
//!
//! One thread for each class, so that pictures never stand before commands. It waits for DDS alone: the link's publisher
//! never blocks. Invariant: a reader lives and dies in this thread.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokkyu_contract::{Class, MonoTime, WallTime};
use tokkyu_link::carrier::clock;
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_link::runtime::Publisher;

use super::age;
use super::figures::{SourceCount, add, count};
use super::notice::{Notice, Notices};
use super::routes::Means;
use crate::dds::{DdsError, Participant, Reader, Taken, Token, WaitSet};
use crate::graph::{ENDPOINT_MARK, Opening, is_marked};

/// Between two looks at the orders when nothing comes; an order rings.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Samples taken of one reader before the others have their turn.
const TURN: usize = 32;

/// A reader that is closed is read for so long: that a writer went may be known before its last samples are there.
const CLOSING: Duration = Duration::from_millis(250);
/// Turns of a reader that is closed: what waits in it is sent, but one whose writer goes on does not hold up the others.
const LAST_TURNS: usize = 1024;

/// A topic to be read, with where it goes. With it goes the link's publication, once what was read is settled.
pub(super) struct Feed {
    pub(super) opening: Opening,
    pub(super) publisher: Publisher,
    pub(super) count: Arc<SourceCount>,
}

enum Command {
    Open(Box<Feed>),
    Close(String),
    End,
}

/// The thread that reads the topics of one class.
pub(super) struct SourceThread {
    commands: Sender<Command>,
    waiting: Arc<WaitSet>,
    thread: Option<JoinHandle<()>>,
}

impl SourceThread {
    pub(super) fn start(
        participant: &Arc<Participant>,
        class: Class,
        fifo_priority: Option<u8>,
        Means { notices, deaths, .. }: &Means,
    ) -> Result<SourceThread, SourceError> {
        let waiting = Arc::new(WaitSet::new(participant)?);
        let (commands, orders) = channel();
        let reading = Reading {
            participant: Arc::clone(participant),
            waiting: Arc::clone(&waiting),
            orders,
            notices: notices.clone(),
            open: BTreeMap::new(),
            next_token: 0,
        };
        let deaths = deaths.clone();
        let real_time = RealTime { fifo_priority, lock_memory: false, cores: Vec::new() };
        let thread = std::thread::Builder::new().name(format!("ros2-{class}")).spawn(move || {
            // What is refused has been told by the link's own thread, which asks for more.
            realtime::apply(&real_time);
            let _watched = deaths.watch();
            reading.run();
        })?;
        Ok(SourceThread { commands, waiting, thread: Some(thread) })
    }

    pub(super) fn open(&self, feed: Feed) {
        self.tell(Command::Open(Box::new(feed)));
    }

    pub(super) fn close(&self, topic: &str) {
        self.tell(Command::Close(topic.to_owned()));
    }

    fn tell(&self, command: Command) {
        // A thread that is gone has said why.
        let _ = self.commands.send(command);
        self.waiting.ring();
    }
}

impl Drop for SourceThread {
    fn drop(&mut self) {
        self.tell(Command::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A source's thread cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// DDS refuses.
    #[error(transparent)]
    Dds(#[from] DdsError),
    /// The system gives no thread.
    #[error("no thread can be started: {0}; are too many processes running?")]
    Thread(#[from] std::io::Error),
}

struct Open {
    reader: Reader,
    feed: Feed,
    /// Whether each writer seen is another bridge's.
    writers: BTreeMap<u64, bool>,
    is_clock_told: bool,
    /// When it is to be closed.
    closes_at: Option<MonoTime>,
}

struct Reading {
    participant: Arc<Participant>,
    waiting: Arc<WaitSet>,
    orders: Receiver<Command>,
    notices: Notices,
    open: BTreeMap<Token, Open>,
    next_token: Token,
}

impl Reading {
    fn run(mut self) {
        let mut pending = BTreeSet::new();
        loop {
            // DDS wakes for new samples alone: a reader that had more than a turn's is not waited for.
            let wait = if pending.is_empty() { self.until_next_close() } else { Duration::ZERO };
            match self.waiting.wait(wait) {
                Ok(woken) => pending.extend(woken),
                Err(error) => return self.notices.post(Notice::Failed(error.to_string())),
            }
            while let Ok(command) = self.orders.try_recv() {
                match command {
                    // Samples may have come between making the reader and waiting for it.
                    Command::Open(feed) => pending.extend(self.begin(*feed)),
                    Command::Close(topic) => self.close_soon(&topic),
                    Command::End => return,
                }
            }
            self.close_those_due();
            pending = std::mem::take(&mut pending).into_iter().filter(|token| self.read(*token)).collect();
        }
    }

    fn begin(&mut self, feed: Feed) -> Option<Token> {
        // Two readers would give each sample twice.
        let is_former = |open: &Open| open.feed.opening.topic.name == feed.opening.topic.name;
        self.close(|open| is_former(open));
        let opening = &feed.opening;
        let (topic, type_name) = (&opening.dds_topic, &opening.dds_type);
        let (qos, representation) = (&opening.topic.qos, opening.topic.representation);
        let mark = ENDPOINT_MARK.as_bytes();
        let token = self.next_token;
        let opened = Reader::new(&self.participant, topic, type_name, qos, representation, mark)
            .and_then(|reader| self.waiting.attach(&reader, token).map(|()| reader));
        match opened {
            Ok(reader) => {
                self.next_token += 1;
                let open =
                    Open { reader, feed, writers: BTreeMap::new(), is_clock_told: false, closes_at: None };
                self.open.insert(token, open);
                Some(token)
            }
            Err(error) => {
                let topic = opening.topic.name.clone();
                self.notices.post(Notice::NotOpened { topic, why: error.to_string() });
                None
            }
        }
    }

    fn close_soon(&mut self, topic: &str) {
        let at = clock::now() + CLOSING;
        let of_topic = self.open.values_mut().filter(|open| open.feed.opening.topic.name == topic);
        of_topic.for_each(|open| open.closes_at = open.closes_at.or(Some(at)));
    }

    fn until_next_close(&self) -> Duration {
        let next = self.open.values().filter_map(|open| open.closes_at).min();
        next.map_or(LOOK_EVERY, |at| at.since(clock::now()).min(LOOK_EVERY))
    }

    fn close_those_due(&mut self) {
        let now = clock::now();
        self.close(|open| open.closes_at.is_some_and(|at| now >= at));
    }

    /// Sends what waits: a writer may publish and go at once.
    fn close(&mut self, is_it: impl Fn(&Open) -> bool) {
        let tokens: Vec<Token> =
            self.open.iter().filter(|(_, open)| is_it(open)).map(|(token, _)| *token).collect();
        for token in tokens {
            let _is_empty = !(0..LAST_TURNS).all(|_| self.read(token));
            self.open.remove(&token);
        }
    }

    /// A reader's turn; true if it may have more.
    fn read(&mut self, token: Token) -> bool {
        let Some(open) = self.open.get_mut(&token) else { return false };
        for _ in 0..TURN {
            match open.reader.take() {
                Ok(Some(taken)) => open.forward(taken, &self.notices),
                Ok(None) => return false,
                Err(error) => {
                    let topic = open.feed.opening.topic.name.clone();
                    self.notices.post(Notice::Topic { topic, what: error.to_string() });
                    return false;
                }
            }
        }
        true
    }
}

impl Open {
    fn forward(&mut self, taken: Taken, notices: &Notices) {
        if self.is_a_bridge_s(taken.writer) {
            return;
        }
        let feed = &self.feed;
        count(&feed.count.offered);
        let qos = &feed.opening.topic.qos;
        let age = age::of(wall_now(), taken.source, qos.lifespan);
        if age.is_odd(qos.durability) && !self.is_clock_told {
            self.is_clock_told = true;
            let what =
                "a writer's clock is not ours: its samples count as written when they came here".to_owned();
            notices.post(Notice::Topic { topic: feed.opening.topic.name.clone(), what });
        }
        let size = taken.payload.len() as u64;
        feed.count.on_sent();
        match feed.publisher.send_captured(clock::now().saturating_sub(age.age), taken.payload) {
            Ok(()) => add(&feed.count.bytes, size),
            Err(_) => feed.count.on_refused(1),
        }
    }

    /// Another bridge of this domain writes the same topic: nothing goes round (ROS2-31).
    fn is_a_bridge_s(&mut self, writer: u64) -> bool {
        const WRITERS_MAX: usize = 1024;
        if self.writers.len() == WRITERS_MAX {
            self.writers.clear();
        }
        let reader = &self.reader;
        *self.writers.entry(writer).or_insert_with(|| is_marked(&reader.user_data_of(writer)))
    }
}

/// What the wall clock says.
pub(crate) fn wall_now() -> WallTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
