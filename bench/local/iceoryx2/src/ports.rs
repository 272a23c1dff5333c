//! The calls into iceoryx2: publish and subscribe for the sample, an event to wake the receiver.
//!
//! The sample is written into shared memory and read there: no copy. A run has a root folder and a prefix of its own,
//! so nothing of it meets another program's; `remove_rests` takes away what a process that was killed left.

use std::fmt::{Debug, Display};
use std::fs;
use std::path::PathBuf;

use iceoryx2::node::Node;
use iceoryx2::port::listener::{Listener, ListenerWaitError};
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::port::update_connections::UpdateConnections;
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::{event, publish_subscribe};

use crate::Failure;
use crate::board::Board;
use crate::machine::{is_told_to_end, now_ns};
use crate::payload;

type Samples = publish_subscribe::PortFactory<ipc::Service, [u8], ()>;
type Wakes = event::PortFactory<ipc::Service>;

/// Where one run's files lie, named after its first process.
#[derive(Clone, Debug)]
pub struct Place {
    prefix: String,
}

/// What iceoryx2 refused, as a failure of the run.
fn refused<E: Debug>(what: &'static str) -> impl FnOnce(E) -> Failure {
    move |error| Failure(format!("iceoryx2 refused {what}: {error:?} (are /tmp and /dev/shm writable?)"))
}

impl Place {
    pub fn new(process: impl Display) -> Place {
        Place { prefix: format!("tokkyu_local_{process}_") }
    }

    fn root(&self) -> PathBuf {
        PathBuf::from(format!("/tmp/{}iceoryx2", self.prefix))
    }

    fn config(&self) -> Result<Config, Failure> {
        let root = self.root().to_string_lossy().into_owned();
        let mut config = Config::default();
        config.global.set_root_path(&Path::new(root.as_bytes()).map_err(refused("the root path"))?);
        config.global.prefix = FileName::new(self.prefix.as_bytes()).map_err(refused("the prefix"))?;
        Ok(config)
    }

    /// After both processes have ended: the folder, and what has the prefix.
    pub fn remove_rests(&self) {
        let _ = fs::remove_dir_all(self.root());
        for entry in fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&self.prefix) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// A node with both services. The one who comes first makes them, with room for the two and one sample on its way.
struct Services {
    samples: Samples,
    wakes: Wakes,
    _node: Node<ipc::Service>,
}

impl Services {
    fn new(place: &Place) -> Result<Services, Failure> {
        set_log_level(LogLevel::Error);
        let node = NodeBuilder::new()
            .config(&place.config()?)
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .create::<ipc::Service>()
            .map_err(refused("a node"))?;
        let name = ServiceName::new("tokkyu_local").map_err(refused("a service name"))?;
        let samples = node
            .service_builder(&name)
            .publish_subscribe::<[u8]>()
            .max_publishers(1)
            .max_subscribers(1)
            .subscriber_max_buffer_size(1)
            .subscriber_max_borrowed_samples(1)
            .history_size(0)
            .enable_safe_overflow(false)
            .open_or_create()
            .map_err(refused("the publish-subscribe service"))?;
        let wakes = node
            .service_builder(&name)
            .event()
            .max_notifiers(1)
            .max_listeners(1)
            .event_id_max_value(0)
            .open_or_create()
            .map_err(refused("the event service"))?;
        Ok(Services { samples, wakes, _node: node })
    }
}

/// The publishing end. Fields are dropped in their order: ports before the services they belong to.
pub struct Sender {
    publisher: Publisher<ipc::Service, [u8], ()>,
    notifier: Notifier<ipc::Service>,
    services: Services,
    bytes: usize,
}

impl Sender {
    /// # Errors
    /// What iceoryx2 refused.
    pub fn new(place: &Place, bytes: usize) -> Result<Sender, Failure> {
        let services = Services::new(place)?;
        let publisher = services
            .samples
            .publisher_builder()
            .initial_max_slice_len(bytes)
            .allocation_strategy(AllocationStrategy::Static)
            .max_loaned_samples(1)
            .create()
            .map_err(refused("a publisher"))?;
        let notifier = services.wakes.notifier_builder().create().map_err(refused("a notifier"))?;
        Ok(Sender { publisher, notifier, services, bytes })
    }

    /// Whether a receiver is joined, with both its ports.
    ///
    /// # Errors
    /// What iceoryx2 refused.
    pub fn is_matched(&self) -> Result<bool, Failure> {
        self.publisher.update_connections().map_err(refused("a connection"))?;
        Ok(self.services.samples.dynamic_config().number_of_subscribers() == 1
            && self.services.wakes.dynamic_config().number_of_listeners() == 1)
    }

    /// Fills a sample, stamps it, and gives it away.
    ///
    /// # Errors
    /// What iceoryx2 refused.
    pub fn publish(&self, number: u32, board: &Board) -> Result<(), Failure> {
        let mut sample = self.publisher.loan_slice(self.bytes).map_err(refused("a sample"))?;
        let bytes = sample.payload_mut();
        payload::fill(bytes, number);
        let at_ns = now_ns();
        payload::stamp(bytes, at_ns);
        board.sent(number, at_ns);
        sample.send().map_err(refused("to send"))?;
        self.notifier.notify().map_err(refused("to notify"))?;
        board.returned(number, now_ns());
        Ok(())
    }
}

/// The receiving end.
pub struct Receiver {
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    listener: Listener<ipc::Service>,
    services: Services,
}

impl Receiver {
    /// # Errors
    /// What iceoryx2 refused.
    pub fn new(place: &Place) -> Result<Receiver, Failure> {
        let services = Services::new(place)?;
        let subscriber = services.samples.subscriber_builder().create().map_err(refused("a subscriber"))?;
        let listener = services.wakes.listener_builder().create().map_err(refused("a listener"))?;
        Ok(Receiver { subscriber, listener, services })
    }

    /// Whether a sender is joined, with both its ports.
    ///
    /// # Errors
    /// What iceoryx2 refused.
    pub fn is_matched(&self) -> Result<bool, Failure> {
        self.subscriber.update_connections().map_err(refused("a connection"))?;
        Ok(self.services.samples.dynamic_config().number_of_publishers() == 1
            && self.services.wakes.dynamic_config().number_of_notifiers() == 1)
    }

    /// Takes samples until `END_SIGNAL`. A sample is there when `receive` returns it.
    ///
    /// # Errors
    /// What iceoryx2 refused.
    pub fn receive(&self, board: &Board) -> Result<(), Failure> {
        while !is_told_to_end() {
            match self.listener.blocking_wait(|_| ()) {
                Ok(_) | Err(ListenerWaitError::InterruptSignal) => {}
                Err(error) => return Err(refused("to wait")(error)),
            }
            while let Some(sample) = self.subscriber.receive().map_err(refused("to receive"))? {
                let at_ns = now_ns();
                board.arrived(sample.payload(), at_ns);
            }
        }
        Ok(())
    }
}
