//! A node: its name, its threads, its topics.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use core::fmt;
use core::sync::atomic::AtomicBool;

use tokkyu_graph::{Command, Level};
use tokkyu_message::Message;
use tokkyu_ros1::names::{Names, Remappings};

use crate::cached::Cached;
use crate::callback_queue::CallbackQueue;
use crate::clock::Clock;
use crate::declared::Declared;
use crate::error::NodeError;
use crate::host::{Ears, Owner};
use crate::inner::{Inner, kind};
use crate::levels;
use crate::log::{Log, ROOT};
use crate::nearby;
use crate::network::Listening;
use crate::options::{PublisherOptions, SubscriptionOptions};
use crate::param::from_argument;
use crate::place::Place;
use crate::port::port;
use crate::publisher::Publisher;
use crate::queue::Queue;
use crate::subscription::{self, Complain, Subscription};
use crate::sync::{Mutex, Once};
use crate::threads::Threads;

/// What programs, or nodes of this one, that share memory with this one say too. Nothing: memory cannot be shared here.
fn device(log: &Log) -> Option<String> {
    let told =
        |error| log.write(Level::Warn, format_args!("other processes get all topics by TCPROS: {error}"));
    let device = port().device().map_err(told).ok()?;
    Some(device.unwrap_or_else(nearby::device))
}

/// A robot node. Copies of it are the same node; it ends with the last of them, or by [`Node::shutdown`].
#[derive(Clone)]
pub struct Node {
    pub(crate) inner: Arc<Inner>,
    /// Where callbacks of what is made with this copy wait.
    pub(crate) queue: Arc<Queue>,
}

impl Node {
    pub(crate) fn start(
        names: Names,
        place: Place,
        declared: Declared,
        remappings: &Remappings,
        shares_memory: bool,
    ) -> Result<Node, NodeError> {
        let system = |what| move |error| NodeError::System { what, error };
        let listening = Listening::at(place.listen)?;
        let network = listening.network().clone();
        let mut identity = listening.identity(names.node(), place.master, place.host);
        let (queue, clock) = (Queue::new(), Arc::new(Clock::default()));
        let log = Arc::new(Log::new(names.node(), clock.clone()));
        identity.device = if shares_memory { device(&log) } else { None };
        let is_ending = Arc::new(AtomicBool::new(false));
        let ears_of = Arc::new(Once::new());
        let ears = Ears { node: ears_of.clone(), log: log.clone(), queue: queue.clone() };
        let thread = listening.start(identity.clone(), ears).map_err(system("the network's thread"))?;
        let inner = Inner {
            names,
            identity,
            network,
            queue,
            log,
            clock,
            waiting: Mutex::default(),
            rosout: Mutex::default(),
            thread: Mutex::new(Some(thread)),
            declared,
            cached: Cached::default(),
            threads: Threads::default(),
            queues: Mutex::default(),
            is_ending,
            on_end: Mutex::default(),
            on_shutdown_call: Mutex::default(),
            publishers: Mutex::default(),
        };
        let queue = inner.queue.clone();
        let node = Node { inner: Arc::new(inner), queue };
        let inner: Weak<dyn Owner> = Arc::downgrade(&(node.inner.clone() as Arc<dyn Owner>));
        ears_of.set(inner);
        node.take_its_place(place.is_closed, remappings)?;
        Ok(node)
    }

    pub(crate) fn end_on_interrupt(&self) -> Result<(), NodeError> {
        let inner = Arc::downgrade(&self.inner);
        let end = move || inner.upgrade().into_iter().for_each(|inner| inner.begin_to_end());
        let system = |error| NodeError::System { what: "the thread for signals", error };
        port().on_interrupt(Box::new(end)).map_err(system)
    }

    /// What every node has: its log for others, its loggers, the parameters that it was started with, time.
    fn take_its_place(&self, is_closed: bool, remappings: &Remappings) -> Result<(), NodeError> {
        let inner = &self.inner;
        if is_closed {
            inner.log.write(
                Level::Debug,
                format_args!(
                    "nodes of other machines cannot reach this one; ROS_IP or ROS_HOSTNAME would say how"
                ),
            );
        }
        inner.add_rosout()?;
        crate::loggers::add(&inner.network, self.name(), &inner.log);
        for (name, value) in remappings.parameters() {
            let name = self.resolve(&format!("~{name}"))?;
            let value = from_argument(value);
            let set = inner.call_master("setParam", true, |out| {
                out.string(&name)?;
                value.write(out)
            });
            if let Err(error) = set {
                inner.log.error(format_args!("{name} was not set: {error}"));
            }
        }
        // Now, so that what the program makes first goes by the right clock; and whenever it is set later.
        let key = "/use_sim_time";
        if let Ok(value) = inner.call_master("getParam", false, |out| out.string(key)) {
            inner.on_time_source(&value);
        }
        inner.network.ask(Command::Watch { key: key.to_owned() });
        Ok(())
    }

    /// Its global name.
    pub fn name(&self) -> &str {
        self.inner.names.node()
    }

    /// Where its slave API is.
    pub fn uri(&self) -> String {
        self.inner.identity.slave_uri()
    }

    /// What a name of the program is in the graph: resolved and renamed.
    ///
    /// # Errors
    ///
    /// No name.
    pub fn resolve(&self, name: &str) -> Result<String, NodeError> {
        Ok(self.inner.names.resolve(name)?)
    }

    /// Publishes a topic with a queue of that depth. Waits until the master knows.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn advertise<M: Message>(&self, topic: &str, depth: u32) -> Result<Publisher<M>, NodeError> {
        self.advertise_with(topic, PublisherOptions::with_depth(depth))
    }

    /// The same with all options.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn advertise_with<M: Message>(
        &self,
        topic: &str,
        options: PublisherOptions,
    ) -> Result<Publisher<M>, NodeError> {
        let shared = self.inner.advertise(self.resolve(topic)?, kind::<M>(), options)?;
        Ok(Publisher::new(shared))
    }

    /// Calls `callback` with each message of a topic, from the threads that spin. Waits until the master knows.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn subscribe<M: Message>(
        &self,
        topic: &str,
        depth: u32,
        callback: impl FnMut(&M) + Send + 'static,
    ) -> Result<Subscription, NodeError> {
        self.subscribe_with(topic, SubscriptionOptions::with_depth(depth), callback)
    }

    /// The same with all options.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn subscribe_with<M: Message>(
        &self,
        topic: &str,
        options: SubscriptionOptions,
        callback: impl FnMut(&M) + Send + 'static,
    ) -> Result<Subscription, NodeError> {
        let callback = subscription::typed(callback, self.complain());
        self.inner.subscribe(&self.queue, self.resolve(topic)?, kind::<M>(), &options, callback)
    }

    /// Calls `callback` with a view of each message of a topic: nothing is copied out of its slot.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn subscribe_view<M: Message>(
        &self,
        topic: &str,
        options: SubscriptionOptions,
        callback: impl for<'a> FnMut(M::View<'a>) + Send + 'static,
    ) -> Result<Subscription, NodeError> {
        let callback = subscription::viewing::<M>(callback, self.complain());
        self.inner.subscribe(&self.queue, self.resolve(topic)?, kind::<M>(), &options, callback)
    }

    fn complain(&self) -> Complain {
        let log = self.inner.log.clone();
        Arc::new(move |origin, error| {
            log.error(format_args!("{} from {}: {error}", origin.topic, origin.callerid));
        })
    }

    /// The same node with another queue: callbacks of what is made with it wait there.
    #[must_use]
    pub fn with_queue(&self, queue: &CallbackQueue) -> Node {
        self.inner.add_queue(&queue.queue);
        Node { inner: self.inner.clone(), queue: queue.queue.clone() }
    }

    /// The queue where callbacks of what is made with this copy wait.
    pub fn queue(&self) -> CallbackQueue {
        CallbackQueue { queue: self.queue.clone() }
    }

    /// Calls callbacks until the node ends. Several threads may.
    pub fn spin(&self) {
        self.queue.spin();
    }

    /// Calls the callbacks that are due, and returns.
    pub fn spin_once(&self) {
        self.queue.spin_once();
    }

    /// Waits for a callback, so long at most, and calls it. False: there was none.
    pub fn spin_for(&self, time: core::time::Duration) -> bool {
        self.queue.call_one(Some(port().now() + time), self.queue.wakes())
    }

    /// Whether the node runs: nobody has ended it.
    pub fn is_ok(&self) -> bool {
        self.inner.is_ok()
    }

    /// Ends the node: the master is told, all connections are closed, [`Node::spin`] returns.
    pub fn shutdown(&self) {
        self.inner.shutdown();
    }
}

impl Node {
    /// Says something, on the terminal and to `/rosout`, if its logger speaks at that level.
    pub fn say(&self, level: Level, text: fmt::Arguments<'_>) {
        self.inner.log.say(ROOT, level, levels::Place::default(), text);
    }

    /// The same for a logger of its own, with the place in the source.
    pub fn say_at(&self, logger: &str, level: Level, place: levels::Place<'_>, text: fmt::Arguments<'_>) {
        self.inner.log.say(logger, level, place, text);
    }
}
