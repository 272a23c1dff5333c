//! Publishers: from messages to slots.

use alloc::format;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::Ordering;

use tokkyu_graph::{Command, Failure, Kind, Object};
use tokkyu_message::{Message, Output};

use crate::error::PublishError;
use crate::network::Network;
use crate::object::Typed;
use crate::outlet::{Outlet, Slot};
use crate::subscribers::Subscribers;

/// What all copies of a publisher share. The topic is published as long as one is there.
pub(crate) struct Shared {
    network: Weak<Network>,
    topic: String,
    kind: Kind,
    pub(crate) outlet: Arc<Outlet>,
    subscribers: Arc<Subscribers>,
}

impl Shared {
    pub(crate) fn new(
        network: &Arc<Network>,
        topic: String,
        kind: &Kind,
        outlet: Arc<Outlet>,
        subscribers: Arc<Subscribers>,
    ) -> Shared {
        Shared { network: Arc::downgrade(network), topic, kind: kind.clone(), outlet, subscribers }
    }

    /// Why it cannot be published with that type too.
    pub(crate) fn differs_from(&self, wanted: &Kind) -> Option<Failure> {
        let text = |kind: &Kind| format!("{} [{}]", kind.datatype, kind.md5sum);
        let fits = self.kind.fits(&wanted.datatype, &wanted.md5sum);
        (!fits).then(|| Failure::Type { wanted: text(wanted), have: text(&self.kind) })
    }

    pub(crate) fn topic(&self) -> &str {
        &self.topic
    }

    pub(crate) fn subscribers(&self) -> u32 {
        self.subscribers.count.load(Ordering::Relaxed)
    }

    pub(crate) fn is_latched(&self) -> bool {
        self.outlet.is_latched()
    }

    /// Publishes what is shared as it is.
    pub(crate) fn publish_object(&self, object: Arc<dyn Object>) -> Result<u32, PublishError> {
        self.outlet.publish_object(object)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(network) = self.network.upgrade() {
            network.ask(Command::Unadvertise { topic: self.topic.clone() });
        }
        self.subscribers.end();
    }
}

/// Publishes messages of one type on one topic. Copies of it publish on the same.
pub struct Publisher<M> {
    shared: Arc<Shared>,
    _of: PhantomData<fn(&M)>,
}

impl<M> Clone for Publisher<M> {
    fn clone(&self) -> Publisher<M> {
        Publisher { shared: self.shared.clone(), _of: PhantomData }
    }
}

impl<M: Message> Publisher<M> {
    pub(crate) fn new(shared: Arc<Shared>) -> Publisher<M> {
        Publisher { shared, _of: PhantomData }
    }

    /// Publishes a message. Subscriptions in this process get this very message, not a copy; others get its wire form, which is made in the
    /// network's thread. Never waits.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: nobody has got it.
    pub fn publish(&self, message: M) -> Result<u32, PublishError> {
        self.shared.publish_object(Arc::new(Typed(message)))
    }

    /// Publishes the wire form of a message, written straight into the slot: nothing is taken from a heap once slots are long enough.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: nobody has got it.
    pub fn publish_ref(&self, message: &M) -> Result<u32, PublishError> {
        let mut loan = self.loan(message.wire_len())?;
        message.write(&mut Output::new(&mut loan));
        loan.publish()
    }

    /// A slot with `len` bytes to fill with the wire form: what is big is made in its place, and is read there.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: all loans are out, or there is no memory.
    pub fn loan(&self, len: usize) -> Result<Loan, PublishError> {
        Loan::of(&self.shared, len)
    }

    /// Subscriptions, in this node and others.
    pub fn subscribers(&self) -> u32 {
        self.shared.subscribers()
    }

    /// The topic's global name.
    pub fn topic(&self) -> &str {
        self.shared.topic()
    }
}

/// A slot that is being filled. Dropped, it is not published.
pub struct Loan {
    shared: Arc<Shared>,
    slot: Slot,
}

impl Loan {
    /// Where the instructions of publishing begin: they are asked for while a message is filled.
    pub(crate) fn code() -> usize {
        (Loan::publish as *const u8).expose_provenance()
    }

    pub(crate) fn of(shared: &Arc<Shared>, len: usize) -> Result<Loan, PublishError> {
        let slot = shared.outlet.loan(len)?;
        Ok(Loan { shared: shared.clone(), slot })
    }

    /// Publishes what it has.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: nobody has got it.
    pub fn publish(self) -> Result<u32, PublishError> {
        let Loan { shared, slot } = self;
        shared.outlet.publish(slot)
    }
}

impl Deref for Loan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.slot
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.slot
    }
}
