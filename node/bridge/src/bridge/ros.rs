//! The bridge's node: its master, and the threads in which its callbacks run.
//!
//! Whoever asks the master may wait for it as long as it is away: that is one thread of its own, which is told what to ask.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokkyu_bridge::deaths::Deaths;
use tokkyu_bridge::flows::is_carried;
use tokkyu_contract::Class;
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_link::runtime::site::fifo;
use tokkyu_node::{CallbackQueue, Kind, Level, MasterError, Node, Subscription, SubscriptionOptions};

use super::source::Lane;
use super::{BridgeError, BridgeOptions};
use crate::graph::{Publisher, Wish};
use crate::master::State;
use crate::names;

/// Between two looks at the master.
const MASTER_EVERY: Duration = Duration::from_secs(1);

/// What the bridge's threads have to say to its main thread.
pub(super) enum Notice {
    /// The master was looked at.
    Master(State),
    /// It was not: what it does instead.
    NoMaster(String),
    /// A topic is subscribed to; the lane is that of the wish.
    Subscribed(Arc<Lane>, Subscription),
    /// It cannot be.
    NotSubscribed { topic: String, why: String },
    /// A publisher's first sample has come.
    Heard { topic: String, publisher: Publisher },
    /// A target cannot be published.
    NotOpened { topic: String, why: String },
    /// About one topic.
    Topic { topic: String, what: String },
}

enum Ask {
    Subscribe(Wish, Arc<Lane>),
    Look,
}

/// The node, as long as the bridge runs.
pub(super) struct Ros {
    node: Node,
    asks: Option<Sender<Ask>>,
    threads: Vec<JoinHandle<()>>,
}

impl Ros {
    /// Makes the node, with a thread for each class of which topics go to the other end.
    pub(super) fn start(
        options: &BridgeOptions,
        notices: &Sender<Notice>,
        deaths: &Deaths,
    ) -> Result<Ros, BridgeError> {
        let builder = Node::builder(names::bridge_node(options.end)).anonymous().without_signals();
        let node = builder.flows(tokkyu_node::Flows::from(options.robot.clone())).build()?;
        // The bridge itself says what happens; standard output is for its figures.
        node.set_level("ros", Level::Warn);
        let (asks, asked) = channel();
        let mut ros = Ros { node: node.clone(), asks: Some(asks), threads: Vec::new() };
        let mut queues = BTreeMap::new();
        for class in classes(options) {
            let queue = CallbackQueue::new();
            let fifo_priority = fifo(&options.site, class, options.priority);
            ros.threads.push(serve(&node.with_queue(&queue), class, fifo_priority, deaths)?);
            queues.insert(class, queue);
        }
        let longest = usize::try_from(options.site.link.memory.0).unwrap_or(usize::MAX);
        let asking = Asking { node, queues, longest, asked, notices: notices.clone() };
        let builder = std::thread::Builder::new().name("bridge-master".to_owned());
        let deaths = deaths.clone();
        ros.threads.push(builder.spawn(move || {
            let _watched = deaths.watch();
            asking.run();
        })?);
        Ok(ros)
    }

    pub(super) fn node(&self) -> &Node {
        &self.node
    }

    /// Subscribes; what comes of it is told by a notice.
    pub(super) fn subscribe(&self, wish: Wish, lane: Arc<Lane>) {
        // A thread that is gone went with the node, which ends the bridge.
        let _ = self.asks.as_ref().map(|asks| asks.send(Ask::Subscribe(wish, lane)));
    }

    /// Looks at the master now, not when it is due.
    pub(super) fn look(&self) {
        let _ = self.asks.as_ref().map(|asks| asks.send(Ask::Look));
    }
}

impl Drop for Ros {
    fn drop(&mut self) {
        self.asks.take();
        self.node.shutdown();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn classes(options: &BridgeOptions) -> impl Iterator<Item = Class> {
    let goes = |class: &Class| {
        options
            .robot
            .flows
            .iter()
            .any(|flow| flow.class == *class && flow.toward != options.end && is_carried(flow))
    };
    Class::ALL.into_iter().filter(goes)
}

/// The thread of a class: pictures never stand before commands.
fn serve(
    node: &Node,
    class: Class,
    fifo_priority: Option<u8>,
    deaths: &Deaths,
) -> std::io::Result<JoinHandle<()>> {
    let deaths = deaths.clone();
    let queue = node.queue();
    let real_time = RealTime { fifo_priority, lock_memory: false, cores: Vec::new() };
    std::thread::Builder::new().name(format!("bridge-{class}")).spawn(move || {
        // What is refused has been told by the link's own thread, which asks for more.
        realtime::apply(&real_time);
        let _watched = deaths.watch();
        queue.spin();
    })
}

/// The thread that may wait for the master.
struct Asking {
    node: Node,
    queues: BTreeMap<Class, CallbackQueue>,
    longest: usize,
    asked: Receiver<Ask>,
    notices: Sender<Notice>,
}

impl Asking {
    fn run(self) {
        let mut look_at = Instant::now();
        while self.node.is_ok() {
            if look_at <= Instant::now() {
                self.look();
                look_at = Instant::now() + MASTER_EVERY;
            }
            match self.asked.recv_timeout(look_at.saturating_duration_since(Instant::now())) {
                Ok(Ask::Subscribe(wish, lane)) => self.subscribe(wish, lane),
                Ok(Ask::Look) => look_at = Instant::now(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look(&self) {
        let notice = match self.node.call_master("getSystemState", false, &[]) {
            Ok(answer) => State::of(&answer)
                .map_or_else(|| Notice::NoMaster("gives no state of the system".to_owned()), Notice::Master),
            Err(MasterError::Call(_)) => {
                Notice::NoMaster("does not answer; is roscore running there?".to_owned())
            }
            Err(error) => Notice::NoMaster(format!("gives no state of the system: {error}")),
        };
        self.tell(notice);
    }

    fn subscribe(&self, wish: Wish, lane: Arc<Lane>) {
        let Some(queue) = self.queues.get(&wish.class) else { return };
        let options = SubscriptionOptions {
            class: Some(wish.class),
            no_delay: matches!(wish.class, Class::Control | Class::Realtime),
            longest: self.longest,
            ..SubscriptionOptions::with_depth(wish.depth.unwrap_or(0))
        };
        let any = Kind { datatype: "*".to_owned(), md5sum: "*".to_owned(), definition: String::new() };
        let taking = Arc::clone(&lane);
        let node = self.node.with_queue(queue);
        let subscribed =
            node.subscribe_raw(&wish.global, any, &options, move |delivery| taking.on_delivery(delivery));
        self.tell(match subscribed {
            Ok(subscription) => Notice::Subscribed(lane, subscription),
            Err(error) => Notice::NotSubscribed { topic: wish.topic, why: error.to_string() },
        });
    }

    fn tell(&self, notice: Notice) {
        // The main thread is gone: so is the bridge.
        let _ = self.notices.send(notice);
    }
}
