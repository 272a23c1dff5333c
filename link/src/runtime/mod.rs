//! The link as an application holds it: publishers, subscribers, events and figures, over a thread of the link's own.
//!
//! The thread owns the carrier and the session and runs at real-time priority where that is permitted. Applications
//! talk to it through bounded queues: a publisher is never blocked by the network, a slow subscriber never blocks the
//! thread.
//!
//! ```no_run
//! use std::time::Duration;
//! use tokkyu_contract::{Class, Qos};
//! use tokkyu_link::carrier::{SecretKey, TrustStore};
//! use tokkyu_link::core::Publication;
//! use tokkyu_link::runtime::{Link, LinkConfig, Role};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let secret = SecretKey::load("keys/rover-7.key".as_ref())?;
//! let trusted = TrustStore::load("keys/operator.pub".as_ref())?;
//! let role = Role::Vehicle { operator: "10.1.2.3:7447".parse()? };
//! let link = Link::start(LinkConfig::new(role, "0.0.0.0:0".parse()?, secret, trusted))?;
//! let camera = link.publish(Publication {
//!     topic: "camera/front".into(),
//!     type_name: "sensor_msgs/msg/Image".into(),
//!     class: Class::Realtime,
//!     qos: Qos { lifespan: Some(Duration::from_millis(500)), ..Qos::default() },
//!     period: Some(Duration::from_millis(100)),
//!     size_bytes: 374_000,
//! })?;
//! camera.send(vec![0; 374_000])?;
//! # Ok(()) }
//! ```

mod channel;
mod death;
mod endpoints;
mod publisher;
pub mod site;
mod subscriber;
mod thread;

use crate::carrier::realtime::{RealTime, RealTimeReport};
use crate::carrier::{CarrierCounters, CarrierError, CloseReason, QuicConfig, SecretKey, TrustStore};
use crate::core::memory::LEAST_BOUND;
use crate::core::{Endpoint, EndpointError, Event, Publication, PublishError, Stats, Subscription};
use channel::{Request, Shared};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokkyu_contract::{FlowId, Ledger, MonoTime};

pub use death::{Fault, LinkDied, panic_message};
pub use publisher::{Publisher, SendError};
pub use subscriber::{Sample, Subscriber};

/// Which end this is. The vehicle dials, because after a change of its address it may go on sending (RFC 9000 §9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Dials the operator, again after a lost session.
    Vehicle {
        /// Where the operator listens.
        operator: SocketAddr,
    },
    /// Listens on [`LinkConfig::bind`].
    Operator,
}

/// How a link is set up.
#[derive(Clone)]
pub struct LinkConfig {
    /// Which end this is.
    pub role: Role,
    /// Local address. Port 0 takes any.
    pub bind: SocketAddr,
    /// IP packets of the path, 1280 to 9000 bytes.
    pub ip_mtu: u16,
    /// Own key.
    pub secret: SecretKey,
    /// Keys of peers that may talk to us.
    pub trusted: TrustStore,
    /// Never send faster, bit/s on the wire.
    pub max_bps: f64,
    /// Bytes of samples held in each direction at most. Less than 64 KiB is taken as that.
    pub memory_bytes: usize,
    /// Silence after which the peer counts as gone.
    pub lease: Duration,
    /// What the link's thread asks of the scheduler.
    pub real_time: RealTime,
    /// For tests of what holds a link: makes its thread die.
    pub fault: Fault,
}

impl LinkConfig {
    /// The usual path: 1500 bytes, 256 MB, no limit of the rate, no real-time priority.
    pub fn new(role: Role, bind: SocketAddr, secret: SecretKey, trusted: TrustStore) -> Self {
        LinkConfig {
            role,
            bind,
            ip_mtu: 1500,
            secret,
            trusted,
            max_bps: 10e9,
            memory_bytes: 256 << 20,
            lease: Duration::from_secs(1),
            real_time: RealTime { fifo_priority: None, lock_memory: false, cores: Vec::new() },
            fault: Fault::default(),
        }
    }

    fn carrier(&self) -> QuicConfig {
        QuicConfig::new(self.bind, self.ip_mtu, self.secret.clone(), self.trusted.clone())
    }
}

/// Where the link stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// No peer yet.
    Connecting,
    /// A session is up.
    Up {
        /// Counts the sessions from 1: another number is another peer process, sequence numbers start again.
        session: u64,
    },
    /// The last session or attempt ended; the vehicle dials again, the operator listens.
    Down(CloseReason),
    /// The link's thread died. Its last event: publishers say [`SendError::Closed`], subscribers are closed.
    Died(LinkDied),
}

/// Something happened on the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// The link's state changed.
    State(LinkState),
    /// Something asked of the link failed; what, why and the remedy.
    Trouble(String),
    /// The session refused samples of a publication; they count as dropped. Told at once, then once a second at most.
    Refused {
        /// Our publication.
        flow: FlowId,
        /// Why the last of them was refused.
        why: PublishError,
        /// How many since this was told last.
        samples: u64,
    },
    /// An endpoint of ours was withdrawn: nothing more comes of it.
    Withdrawn {
        /// The endpoint.
        endpoint: Endpoint,
        /// Its topic.
        topic: String,
        /// Its outcomes, all sessions together; it closes.
        ledger: Ledger,
    },
    /// An event of the session. Deliveries go to their subscriber instead.
    Session(Event),
}

/// Figures of a link, as of its last look (every 50 ms).
#[derive(Clone, Debug)]
pub struct LinkStats {
    /// Where it stands.
    pub state: LinkState,
    /// The session's figures; of the last session when none is up.
    pub session: Stats,
    /// The carrier's counters.
    pub carrier: CarrierCounters,
    /// When these figures were taken.
    pub at: MonoTime,
    /// Processor time of the link's thread so far.
    pub thread_cpu: Duration,
}

/// Ledgers when a link was closed, by topic, in order of announcement. Of endpoints that were withdrawn before it has the
/// last 1024 of each kind; [`LinkEvent::Withdrawn`] told all.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// Publications, sender's side, all sessions together.
    pub sent: Vec<(String, Ledger)>,
    /// Subscriptions, receiver's side, all sessions together.
    pub received: Vec<(String, Ledger)>,
}

/// The link cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The carrier cannot be set up: address in use, impossible MTU.
    #[error(transparent)]
    Carrier(#[from] CarrierError),
    /// The system gives no thread or descriptor.
    #[error("cannot start the link's thread: {0}; are too many processes or files open?")]
    System(#[from] std::io::Error),
}

/// A running link. Dropping it closes the session.
pub struct Link {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<Closing, LinkDied>>>,
    real_time: RealTimeReport,
    local: SocketAddr,
}

impl Link {
    /// Binds the socket and starts the link's thread.
    ///
    /// # Errors
    /// The address is in use or not ours; the MTU is out of range; no thread to be had.
    pub fn start(mut config: LinkConfig) -> Result<Link, LinkError> {
        config.memory_bytes = config.memory_bytes.max(LEAST_BOUND);
        let (shared, requests) = channel::open(config.memory_bytes)?;
        let shared = Arc::new(shared);
        let carrier = thread::open_carrier(&config)?;
        let local = carrier.local_address();
        let (report, real_time) = std::sync::mpsc::sync_channel(1);
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("tokkyu-link".into()).spawn(move || {
            let shared = Arc::clone(&for_thread);
            let ended = death::watched(|| {
                let _ = report.send(crate::carrier::realtime::apply(&config.real_time));
                thread::LinkThread::new(config, carrier, for_thread, requests).run()
            });
            ended.inspect_err(|died| shared.on_death(died))
        })?;
        let real_time = real_time.recv().unwrap_or_default();
        Ok(Link { shared, thread: Some(thread), real_time, local })
    }

    /// What the scheduler granted the link's thread, and what it refused.
    pub fn real_time(&self) -> &RealTimeReport {
        &self.real_time
    }

    /// The address the socket is bound to.
    pub fn local_address(&self) -> SocketAddr {
        self.local
    }

    /// Announces a flow.
    ///
    /// # Errors
    /// The link has 1024 publications already (a dropped one counts until it is withdrawn), the topic is empty or longer than 255 bytes, or the type is.
    pub fn publish(&self, publication: Publication) -> Result<Publisher, EndpointError> {
        Publisher::new(&self.shared, publication)
    }

    /// Asks for a topic. At most `depth` of its QoS (keep_all: 1024) samples wait for the application, and no more
    /// bytes of them than [`LinkConfig::memory_bytes`]; then the oldest gives way and is counted.
    ///
    /// # Errors
    /// The link has 1024 subscriptions already, the topic is empty or longer than 255 bytes, or the type is.
    pub fn subscribe(&self, subscription: Subscription) -> Result<Subscriber, EndpointError> {
        Subscriber::new(&self.shared, subscription)
    }

    /// The next event, waiting for it at most `wait`; not at all after [`LinkState::Died`], which is the last.
    pub fn event(&self, wait: Duration) -> Option<LinkEvent> {
        self.shared.events.take(wait)
    }

    /// Figures.
    pub fn stats(&self) -> LinkStats {
        self.shared.stats()
    }

    /// Gives the socket another local address: the session goes on from there (vehicle only).
    pub fn rebind(&self, bind: SocketAddr) {
        self.shared.request(Request::Rebind(bind));
    }

    /// Ends the session and gives the final ledgers.
    ///
    /// # Errors
    /// The link's thread died before: the ledgers died with it.
    pub fn close(mut self) -> Result<Closing, LinkDied> {
        self.stop()
    }

    fn stop(&mut self) -> Result<Closing, LinkDied> {
        self.shared.request(Request::Close);
        let Some(thread) = self.thread.take() else { return Ok(Closing::default()) };
        let untold = || LinkDied { what: "it ended without a word".to_owned() };
        thread.join().unwrap_or_else(|_| Err(untold()))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // Whoever wants to know whether it died asks by `close`.
            let _ = self.stop();
        }
    }
}
