//! The same by wire forms and objects, without types: what faces for other languages stand on.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_graph::{Kind, Object, Param, Request};

use crate::client::{CallError, RawClient};
use crate::clock::Clock;
use crate::error::{NodeError, PublishError};
use crate::master::MasterError;
use crate::node::Node;
use crate::options::{PublisherOptions, SubscriptionOptions};
use crate::publisher::{self, Loan};
use crate::service::ServiceServer;
use crate::subscription::{Delivery, Subscription};

/// Publishes wire forms and objects. Copies of it publish on the same topic.
#[derive(Clone)]
pub struct Publisher {
    shared: Arc<publisher::Shared>,
}

impl Publisher {
    /// A slot with `len` bytes for a wire form.
    ///
    /// # Errors
    ///
    /// [`PublishError`].
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        Loan::of(&self.shared, len)
    }

    /// Publishes an object. Subscriptions in this process get it as it is.
    ///
    /// # Errors
    ///
    /// [`PublishError`].
    pub fn publish(&self, object: Arc<dyn Object>) -> Result<u32, PublishError> {
        self.shared.publish_object(object)
    }

    /// Subscriptions, in this node and others.
    pub fn subscribers(&self) -> u32 {
        self.shared.subscribers()
    }

    /// The topic's global name.
    pub fn topic(&self) -> &str {
        self.shared.topic()
    }

    /// Whether the last message is kept for who subscribes later.
    pub fn is_latched(&self) -> bool {
        self.shared.is_latched()
    }
}

/// Calls one service by wire forms.
pub struct Client {
    raw: RawClient,
}

impl Client {
    /// Calls the service and waits for its answer.
    ///
    /// # Errors
    ///
    /// [`CallError`].
    pub fn call(&mut self, request: &[u8]) -> Result<Vec<u8>, CallError> {
        self.raw.call(request)
    }

    /// Whether somebody offers it, and answers.
    pub fn exists(&self) -> bool {
        self.raw.exists()
    }

    /// Waits until somebody does, so long at most. False: nobody.
    pub fn wait(&self, patience: Option<Duration>) -> bool {
        self.raw.wait(patience)
    }

    /// Whether a connection is kept that has not failed.
    pub fn is_connected(&self) -> bool {
        self.raw.is_connected()
    }
}

impl Node {
    /// Publishes a topic of any type.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn advertise_raw(
        &self,
        topic: &str,
        kind: Kind,
        options: PublisherOptions,
    ) -> Result<Publisher, NodeError> {
        Ok(Publisher { shared: self.inner.advertise(self.resolve(topic)?, kind, options)? })
    }

    /// Subscribes to a topic of any type.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn subscribe_raw(
        &self,
        topic: &str,
        kind: Kind,
        options: &SubscriptionOptions,
        callback: impl FnMut(&mut Delivery<'_>) + Send + 'static,
    ) -> Result<Subscription, NodeError> {
        self.inner.subscribe(&self.queue, self.resolve(topic)?, kind, options, Box::new(callback))
    }

    /// Offers a service of any type. `answer` may be called by several threads at once, for different callers.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn advertise_service_raw(
        &self,
        service: &str,
        kind: Kind,
        answer: impl Fn(&Request) -> Result<Vec<u8>, String> + Send + Sync + 'static,
    ) -> Result<ServiceServer, NodeError> {
        self.inner.offer(&self.queue, self.resolve(service)?, kind, true, Box::new(answer))
    }

    /// What calls a service of any type. `is_persistent`: the connection is kept between calls.
    ///
    /// # Errors
    ///
    /// No name.
    pub fn client_raw(&self, service: &str, kind: Kind, is_persistent: bool) -> Result<Client, NodeError> {
        let service = self.resolve(service)?;
        Ok(Client { raw: RawClient::new(self.inner.clone(), service, kind, is_persistent) })
    }

    /// Calls a method of the master; the caller's name, the first argument of each, is put in front. `waits`: also for a master that is not there.
    ///
    /// # Errors
    ///
    /// [`MasterError`].
    pub fn call_master(&self, method: &str, waits: bool, arguments: &[Param]) -> Result<Param, MasterError> {
        self.inner
            .call_master(method, waits, |out| arguments.iter().try_for_each(|argument| argument.write(out)))
    }

    /// Whether this node publishes the topic, a global name.
    pub fn publishes(&self, topic: &str) -> bool {
        self.inner.published(topic).is_some()
    }

    /// Whether something said at that level would be heard.
    pub fn is_heard(&self, logger: &str, level: tokkyu_graph::Level) -> bool {
        self.inner.log.is_enabled(logger, level)
    }

    /// Calls `listener` with each simulated time that comes, nanoseconds, and once with 0 when time begins to be simulated.
    pub fn on_simulated_time(&self, listener: impl Fn(u64) + Send + Sync + 'static) {
        Clock::listen(&self.inner.clock, Box::new(listener));
    }

    /// Calls `listener` once when the node begins to end, whoever ends it; at once if it has. From any thread.
    pub fn on_end(&self, listener: impl FnOnce() + Send + 'static) {
        self.inner.on_end(Box::new(listener));
    }

    /// Calls `listener` with who asks and why when another (`rosnode kill`, the master) asks the node to end; if it returns true the program sees
    /// to that, and the node goes on. In the network's thread: it must not wait.
    pub fn on_shutdown_call(&self, listener: impl Fn(&str, &str) -> bool + Send + Sync + 'static) {
        self.inner.on_shutdown_call(alloc::sync::Arc::new(listener));
    }

    /// A logger's level from now on.
    pub fn set_level(&self, logger: &str, level: tokkyu_graph::Level) {
        self.inner.log.set_level(logger, level);
    }

    /// What a name is in the graph, without renaming.
    ///
    /// # Errors
    ///
    /// No name.
    pub fn resolve_only(&self, name: &str) -> Result<String, NodeError> {
        let own = self.name().rsplit('/').next().unwrap_or_default();
        Ok(tokkyu_ros1::names::resolve(self.namespace(), own, name)?)
    }

    /// The node's namespace.
    pub fn namespace(&self) -> &str {
        self.inner.names.namespace()
    }

    /// The master's address.
    pub fn master_uri(&self) -> String {
        self.inner.identity.master_uri()
    }

    /// What other nodes reach this machine by.
    pub fn host(&self) -> &str {
        &self.inner.identity.host
    }
}
