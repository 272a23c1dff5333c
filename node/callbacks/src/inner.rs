//! What all copies of a node share: its ports (network, clock, log, queues), what it publishes, and how it ends.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use tokkyu_contract::Class;
use tokkyu_graph::{Advertise, Command, Identity, Kind, Lending, Param, Subscribe};
use tokkyu_message::Message;
use tokkyu_ros1::names::Names;
use tokkyu_ros1::xmlrpc::{Values, WriteError};

use crate::cached::Cached;
use crate::clock::Clock;
use crate::declared::Declared;
use crate::error::NodeError;
use crate::log::Log;
use crate::master::{self, MasterError};
use crate::messages::rosgraph_msgs;
use crate::network::Network;
use crate::options::{PublisherOptions, SubscriptionOptions};
use crate::outlet::Outlet;
use crate::port::{Ender, Task};
use crate::publisher::{self, Loan};
use crate::queue::Queue;
use crate::subscribers::Subscribers;
use crate::subscription::{Callback, Subscription};
use crate::sync::{Mutex, MutexGuard};
use crate::threads::{Threads, has_own};

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
    pub(crate) waiting: Mutex<Vec<Arc<dyn Ender>>>,
    /// Kept as long as the node.
    pub(crate) rosout: Mutex<Option<Arc<publisher::Shared>>>,
    pub(crate) thread: Mutex<Option<Box<dyn Task>>>,
    pub(crate) declared: Declared,
    pub(crate) cached: Cached,
    pub(crate) threads: Threads,
    /// Those of the program, which end with the node.
    pub(crate) queues: Mutex<Vec<Weak<Queue>>>,
    pub(crate) is_ending: Arc<AtomicBool>,
    pub(crate) on_end: Mutex<Vec<OnEnd>>,
    pub(crate) on_shutdown_call: Mutex<Option<OnShutdownCall>>,
    pub(crate) publishers: Mutex<BTreeMap<String, Weak<publisher::Shared>>>,
}

pub(crate) fn kind<M: Message>() -> Kind {
    Kind { datatype: M::DATATYPE.into(), md5sum: M::MD5SUM.into(), definition: M::DEFINITION.into() }
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
        let limits = |reason| NodeError::Limits { name: topic.clone(), reason };
        let (publisher, channel) =
            tokkyu_graph::channel(options.limits(self.declared.limits(&topic)), slot_bytes)
                .map_err(limits)?;
        let depth = options.depth();
        let subscribers = Arc::new(Subscribers::new(options.on_change));
        let outlet = Outlet::new(&topic, publisher, depth, slot_bytes, Loan::code());
        let lending: Arc<dyn Lending> = outlet.clone();
        let shared = Arc::new(publisher::Shared::new(
            &self.network,
            topic.clone(),
            &kind,
            outlet,
            subscribers.clone(),
        ));
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

    pub(crate) fn add_rosout(self: &Arc<Self>) -> Result<(), NodeError> {
        let topic = self.names.resolve("/rosout")?;
        let options = PublisherOptions { is_latched: true, ..PublisherOptions::with_depth(100) };
        let limits = |reason| NodeError::Limits { name: topic.clone(), reason };
        let (publisher, channel) = tokkyu_graph::channel(options.limits(None), 0).map_err(limits)?;
        let subscribers = Arc::new(Subscribers::new(None));
        let (kind, depth) = (kind::<rosgraph_msgs::Log>(), options.depth());
        let outlet = Outlet::new(&topic, publisher, depth, 0, Loan::code());
        let shared =
            Arc::new(publisher::Shared::new(&self.network, topic.clone(), &kind, outlet, subscribers));
        self.log.speak_to(Arc::downgrade(&shared));
        self.publishers().insert(topic.clone(), Arc::downgrade(&shared));
        *self.rosout.lock() = Some(shared);
        // Nobody waits for the master because of it.
        let done = Box::new(drop);
        let class = Class::Background;
        let (audience, lending) = (None, None);
        let advertise = Advertise { topic, kind, depth, class, channel, audience, lending, done };
        self.network.ask(Command::Advertise(advertise));
        Ok(())
    }

    /// Ends the connection when the node does, as long as what is returned lives.
    pub(crate) fn end_with_node(&self, ender: Arc<dyn Ender>) -> Ending<'_> {
        self.waiting().push(ender.clone());
        if !self.is_ok() {
            ender.end();
        }
        Ending { node: self, ender }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Arc<dyn Ender>>> {
        self.waiting.lock()
    }

    /// Where callbacks of that class wait: in the queue that the program gave, or, if it gave none, that of the class's own thread.
    fn queue_for(&self, queue: &Arc<Queue>, class: Class) -> Arc<Queue> {
        let is_given = !Arc::ptr_eq(queue, &self.queue);
        let own = if is_given || !has_own(class) { None } else { self.threads.queue(class, &self.log) };
        own.unwrap_or_else(|| queue.clone())
    }

    /// A queue that ends with the node.
    pub(crate) fn add_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.queues.lock();
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
        let queues = self.queues.lock();
        queues.iter().filter_map(Weak::upgrade).for_each(|queue| queue.stop());
        self.threads.stop();
    }

    /// Somebody wants the node to end: its program hears of it.
    pub(crate) fn begin_to_end(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.stop_queues();
        self.clock.end();
        // Once, and with no lock held: who is told may ask the node.
        let listeners = core::mem::take(&mut *self.listeners());
        listeners.into_iter().for_each(|listener| listener());
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<OnEnd>> {
        self.on_end.lock()
    }

    /// Calls `listener` when the node begins to end; at once if it has.
    pub(crate) fn on_end(&self, listener: OnEnd) {
        self.listeners().push(listener);
        if !self.is_ok() {
            let listeners = core::mem::take(&mut *self.listeners());
            listeners.into_iter().for_each(|listener| listener());
        }
    }

    fn shutdown_listener(&self) -> MutexGuard<'_, Option<OnShutdownCall>> {
        self.on_shutdown_call.lock()
    }

    pub(crate) fn on_shutdown_call(&self, listener: OnShutdownCall) {
        *self.shutdown_listener() = Some(listener);
    }

    /// Calls a method of the master; the caller's name, the first argument of each, is put in front.
    pub(crate) fn call_master(
        &self,
        method: &str,
        waits: bool,
        arguments: impl FnOnce(&mut Values<'_, String>) -> Result<(), WriteError>,
    ) -> Result<Param, MasterError> {
        master::call_master(&self.network, self.names.node(), method, waits, arguments)
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

    fn publishers(&self) -> MutexGuard<'_, BTreeMap<String, Weak<publisher::Shared>>> {
        self.publishers.lock()
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
            Subscription::add(&self.network, &self.log, topic.clone(), queue, class, terms, callback);
        let SubscriptionOptions { no_delay, longest, slot_bytes, .. } = *options;
        let longest = longest.min(self.identity.profile.message_bytes);
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
        let thread = self.thread.lock().take();
        // Not from within itself: the last copy of the node may be let go there.
        if let Some(thread) = thread.filter(|thread| !thread.is_me()) {
            thread.join();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// A connection that ends with the node.
pub(crate) struct Ending<'n> {
    node: &'n Inner,
    ender: Arc<dyn Ender>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.node.waiting().retain(|other| !Arc::ptr_eq(other, &self.ender));
    }
}
