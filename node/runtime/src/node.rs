//! A node: its name, its threads, its topics.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use tokkyu_contract::Class;
use tokkyu_graph::{Advertise, Command, Identity, Kind, Lending, Level, Subscribe};
use tokkyu_message::Message;
use tokkyu_ros1::names::{Names, Remappings};

use crate::builder::Builder;
use crate::clock::Clock;
use crate::declared::Declared;
use crate::error::NodeError;
use crate::host::Ears;
use crate::log::Log;
use crate::messages::rosgraph_msgs;
use crate::network::{Listening, Network};
use crate::options::{PublisherOptions, SubscriptionOptions};
use crate::outlet::Outlet;
use crate::param::{Cached, from_argument};
use crate::place::Place;
use crate::posix::{self, Ender, mono_now};
use crate::publisher::{self, Publisher, Subscribers};
use crate::queue::Queue;
use crate::subscription::{self, Callback, Complain, Subscription};
use crate::threads::{Threads, has_own};

/// What processes that share memory with this one say too. Nothing: memory cannot be shared here.
fn device(log: &Log) -> Option<String> {
    let told =
        |error| log.write(Level::Warn, format_args!("other processes get all topics by TCPROS: {error}"));
    posix::process::device().map_err(told).ok()
}

/// A robot node. Copies of it are the same node; it ends with the last of them, or by [`Node::shutdown`].
#[derive(Clone)]
pub struct Node {
    pub(crate) inner: Arc<Inner>,
    /// Where callbacks of what is made with this copy wait.
    pub(crate) queue: Arc<Queue>,
}

/// Told once that a node begins to end.
type OnEnd = Box<dyn FnOnce() + Send>;
pub(crate) type OnShutdownCall = Arc<dyn Fn(&str, &str) -> bool + Send + Sync>;

pub(crate) struct Inner {
    pub(crate) names: Names,
    pub(crate) identity: Identity,
    pub(crate) network: Arc<Network>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) log: Arc<Log>,
    pub(crate) clock: Arc<Clock>,
    /// Connections that somebody waits at.
    waiting: Mutex<Vec<Arc<Ender>>>,
    /// Kept as long as the node.
    rosout: Mutex<Option<Arc<publisher::Shared>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    declared: Declared,
    pub(crate) cached: Cached,
    threads: Threads,
    /// Those of the program, which end with the node.
    queues: Mutex<Vec<Weak<Queue>>>,
    is_ending: Arc<AtomicBool>,
    on_end: Mutex<Vec<OnEnd>>,
    on_shutdown_call: Mutex<Option<OnShutdownCall>>,
    publishers: Mutex<HashMap<String, Weak<publisher::Shared>>>,
}

pub(crate) fn kind<M: Message>() -> Kind {
    Kind { datatype: M::DATATYPE.into(), md5sum: M::MD5SUM.into(), definition: M::DEFINITION.into() }
}

impl Node {
    /// A node of that name, with the program's arguments.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn new(name: &str) -> Result<Node, NodeError> {
        Node::builder(name).arguments(std::env::args().skip(1)).build()
    }

    /// A node of that name, to be said more of.
    pub fn builder(name: impl Into<String>) -> Builder {
        Builder::new(name.into())
    }

    pub(crate) fn start(
        names: Names,
        place: Place,
        declared: Declared,
        remappings: &Remappings,
        shares_memory: bool,
    ) -> Result<Node, NodeError> {
        let system = |what| move |error| NodeError::System { what, error };
        let network = Network::new().map_err(system("the bell of the network's thread"))?;
        let listening = Listening::at(place.listen, network.clone())?;
        let mut identity = listening.identity(names.node(), place.master, place.host);
        let (queue, clock) = (Queue::new(), Arc::new(Clock::default()));
        let log = Arc::new(Log::new(names.node(), clock.clone()));
        identity.device = if shares_memory { device(&log) } else { None };
        let is_ending = Arc::new(AtomicBool::new(false));
        let ears_of = Arc::new(std::sync::OnceLock::new());
        let ears =
            Ears { node: ears_of.clone(), log: log.clone(), queue: queue.clone(), clock: clock.clone() };
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
        let _ = ears_of.set(Arc::downgrade(&node.inner));
        node.take_its_place(place.is_closed, remappings)?;
        Ok(node)
    }

    pub(crate) fn end_on_interrupt(&self) -> Result<(), NodeError> {
        let inner = Arc::downgrade(&self.inner);
        let end = move || inner.upgrade().into_iter().for_each(|inner| inner.begin_to_end());
        let system = |error| NodeError::System { what: "the thread for signals", error };
        posix::on_interrupt(Box::new(end)).map_err(system)
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
            inner.clock.on_param(&value, &Arc::downgrade(inner));
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
    pub fn spin_for(&self, time: std::time::Duration) -> bool {
        self.queue.call_one(Some(mono_now() + time), self.queue.wakes())
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

impl Inner {
    pub(crate) fn advertise(
        self: &Arc<Self>,
        topic: String,
        kind: Kind,
        options: PublisherOptions,
    ) -> Result<Arc<publisher::Shared>, NodeError> {
        if let Some(shared) = self.published(&topic) {
            return match shared.differs_from(&kind) {
                Some(failure) => Err(NodeError::Refused { name: topic, failure }),
                None => Ok(shared),
            };
        }
        let class = options.class.unwrap_or_else(|| self.declared.class(&topic));
        let slot_bytes = options.slot_bytes.max(self.declared.size(&topic));
        let exceeded = |exceeded| NodeError::Limits { name: topic.clone(), exceeded };
        let (publisher, channel) =
            tokkyu_graph::channel(options.limits(self.declared.limits(&topic)), slot_bytes)
                .map_err(exceeded)?;
        let depth = options.depth();
        let subscribers = Arc::new(Subscribers::new(options.on_change));
        let outlet = Outlet::new(publisher, depth, slot_bytes);
        let lending: Arc<dyn Lending> = outlet.clone();
        let shared =
            Arc::new(publisher::Shared::new(self, topic.clone(), &kind, outlet, subscribers.clone()));
        let ask = |done| {
            Command::Advertise(Advertise {
                topic: topic.clone(),
                kind,
                depth,
                class,
                channel,
                audience: Some(subscribers),
                lending: Some(lending),
                done,
            })
        };
        let refused = |failure| NodeError::Refused { name: topic.clone(), failure };
        self.network.ask_and_wait(ask).map_err(refused)?;
        self.publishers().insert(topic, Arc::downgrade(&shared));
        Ok(shared)
    }

    fn add_rosout(self: &Arc<Self>) -> Result<(), NodeError> {
        let topic = self.names.resolve("/rosout")?;
        let options = PublisherOptions { is_latched: true, ..PublisherOptions::with_depth(100) };
        let exceeded = |exceeded| NodeError::Limits { name: topic.clone(), exceeded };
        let (publisher, channel) = tokkyu_graph::channel(options.limits(None), 0).map_err(exceeded)?;
        let subscribers = Arc::new(Subscribers::new(None));
        let (kind, depth) = (kind::<rosgraph_msgs::Log>(), options.depth());
        let outlet = Outlet::new(publisher, depth, 0);
        let shared = Arc::new(publisher::Shared::new(self, topic.clone(), &kind, outlet, subscribers));
        self.log.speak_to(Arc::downgrade(&shared));
        self.publishers().insert(topic.clone(), Arc::downgrade(&shared));
        *self.rosout.lock().unwrap_or_else(PoisonError::into_inner) = Some(shared);
        // Nobody waits for the master because of it.
        let done = Box::new(drop);
        let class = Class::Background;
        let (audience, lending) = (None, None);
        let advertise = Advertise { topic, kind, depth, class, channel, audience, lending, done };
        self.network.ask(Command::Advertise(advertise));
        Ok(())
    }

    /// Ends the connection when the node does, as long as what is returned lives.
    pub(crate) fn end_with_node(&self, ender: Ender) -> Ending<'_> {
        let ender = Arc::new(ender);
        self.waiting().push(ender.clone());
        if !self.is_ok() {
            ender.end();
        }
        Ending { node: self, ender }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Ender>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where callbacks of that class wait: in the queue that the program gave, or, if it gave none, that of the class's own thread.
    fn queue_for(&self, queue: &Arc<Queue>, class: Class) -> Arc<Queue> {
        let is_given = !Arc::ptr_eq(queue, &self.queue);
        let own = if is_given || !has_own(class) { None } else { self.threads.queue(class, &self.log) };
        own.unwrap_or_else(|| queue.clone())
    }

    /// A queue that ends with the node.
    pub(crate) fn add_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(queue));
        drop(queues);
        queue.begin();
        if !self.is_ok() {
            queue.stop();
        }
    }

    fn stop_queues(&self) {
        self.queue.stop();
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.iter().filter_map(Weak::upgrade).for_each(|queue| queue.stop());
        self.threads.stop();
    }

    /// Somebody wants the node to end: its program hears of it.
    pub(crate) fn begin_to_end(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.stop_queues();
        self.clock.end();
        // Once, and with no lock held: who is told may ask the node.
        let listeners = std::mem::take(&mut *self.listeners());
        listeners.into_iter().for_each(|listener| listener());
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<OnEnd>> {
        self.on_end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `listener` when the node begins to end; at once if it has.
    pub(crate) fn on_end(&self, listener: OnEnd) {
        self.listeners().push(listener);
        if !self.is_ok() {
            let listeners = std::mem::take(&mut *self.listeners());
            listeners.into_iter().for_each(|listener| listener());
        }
    }

    fn shutdown_listener(&self) -> std::sync::MutexGuard<'_, Option<OnShutdownCall>> {
        self.on_shutdown_call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn on_shutdown_call(&self, listener: OnShutdownCall) {
        *self.shutdown_listener() = Some(listener);
    }

    /// Whether the program itself sees to it that the node ends.
    pub(crate) fn is_taken_by_program(&self, caller: &str, reason: &str) -> bool {
        // Not with the lock held: who is told may ask the node.
        let listener = self.shutdown_listener().clone();
        listener.is_some_and(|listener| listener(caller, reason))
    }

    pub(crate) fn is_ok(&self) -> bool {
        !self.is_ending.load(Ordering::Acquire)
    }

    fn publishers(&self) -> std::sync::MutexGuard<'_, HashMap<String, Weak<publisher::Shared>>> {
        self.publishers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that publishes the topic already: it is shared.
    pub(crate) fn published(&self, topic: &str) -> Option<Arc<publisher::Shared>> {
        self.publishers().get(topic).and_then(Weak::upgrade)
    }

    pub(crate) fn subscribe(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        topic: String,
        kind: Kind,
        options: &SubscriptionOptions,
        callback: Callback,
    ) -> Result<Subscription, NodeError> {
        let class = options.class.unwrap_or_else(|| self.declared.class(&topic));
        let queue = self.queue_for(queue, class);
        let terms = options.terms(self.declared.is_reliable(&topic));
        let (subscription, subscriber) =
            Subscription::add(self, topic.clone(), queue, class, terms, callback);
        let SubscriptionOptions { no_delay, longest, slot_bytes, .. } = *options;
        let slot_bytes = slot_bytes.max(self.declared.size(&topic));
        let ask = |done| {
            Command::Subscribe(Subscribe {
                topic: topic.clone(),
                kind,
                class,
                no_delay,
                longest,
                slot_bytes,
                subscriber,
                done,
            })
        };
        let refused = |failure| NodeError::Refused { name: topic.clone(), failure };
        self.network.ask_and_wait(ask).map_err(refused)?;
        Ok(subscription)
    }

    pub(crate) fn shutdown(&self) {
        self.begin_to_end();
        self.waiting().iter().for_each(|ender| ender.end());
        self.threads.join();
        self.network.ask(Command::Shutdown);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Not from within itself: the last copy of the node may be let go there.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// A place where callbacks wait for threads: a node has one, and a program may make more.
#[derive(Clone)]
pub struct CallbackQueue {
    pub(crate) queue: Arc<Queue>,
}

impl Default for CallbackQueue {
    fn default() -> CallbackQueue {
        CallbackQueue { queue: Queue::new() }
    }
}

impl CallbackQueue {
    /// Empty.
    pub fn new() -> CallbackQueue {
        CallbackQueue::default()
    }

    /// Calls callbacks until its node ends. Several threads may.
    pub fn spin(&self) {
        self.queue.spin();
    }

    /// Calls the callbacks that are due, and returns.
    pub fn spin_once(&self) {
        self.queue.spin_once();
    }

    /// Waits for a callback, so long at most, and calls it. False: there was none.
    pub fn spin_for(&self, time: std::time::Duration) -> bool {
        self.queue.call_one(Some(mono_now() + time), self.queue.wakes())
    }
}

impl CallbackQueue {
    /// Waits for a callback, so long at most, and calls it. False: there was none, or the queue was woken since [`CallbackQueue::wakes`] gave `wakes`.
    ///
    /// A thread that waits until it is told to go asks for `wakes` first, looks whether it was told, then calls this; who tells it wakes the
    /// queue afterwards. In another order the thread may wait for what has been.
    pub fn call_one(&self, time: Option<std::time::Duration>, wakes: u32) -> bool {
        self.queue.call_one(time.map(|time| mono_now() + time), wakes)
    }

    /// How often it was woken.
    pub fn wakes(&self) -> u32 {
        self.queue.wakes()
    }

    /// Those who wait at it wait no longer.
    pub fn wake(&self) {
        self.queue.wake();
    }

    /// Whether a callback waits for a thread.
    pub fn has_waiting(&self) -> bool {
        self.queue.has_waiting()
    }

    /// Forgets the callbacks that wait: samples are lost, a one-shot timer is over, who calls a service is told that it has not answered.
    pub fn discard(&self) {
        self.queue.discard();
    }

    /// Whether its node has ended.
    pub fn is_stopped(&self) -> bool {
        self.queue.is_stopped()
    }
}

/// A connection that ends with the node.
pub(crate) struct Ending<'n> {
    node: &'n Inner,
    ender: Arc<Ender>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.node.waiting().retain(|other| !Arc::ptr_eq(other, &self.ender));
    }
}
