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
mod config;
mod death;
mod endpoints;
mod joint;
mod paths;
mod publisher;
pub mod site;
mod subscriber;
mod thread;
mod told;

use crate::carrier::realtime::RealTimeReport;
use crate::core::memory::LEAST_BOUND;
use crate::core::{EndpointError, Publication, Subscription};
use channel::{Request, Shared};
use paths::Paths;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

pub use config::{FurtherPath, LinkConfig, LinkError, Role};
pub use death::{Fault, LinkDied, panic_message};
pub use publisher::Publisher;
pub use subscriber::Subscriber;
pub use told::{Closing, LinkEvent, LinkState, LinkStats, Sample, SendError};

/// A running link. Dropping it closes the session.
pub struct Link {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<Closing, LinkDied>>>,
    real_time: RealTimeReport,
    local: Vec<SocketAddr>,
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
        let paths = Paths::open(&config)?;
        let local = paths.local_addresses();
        let (report, real_time) = std::sync::mpsc::sync_channel(1);
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("tokkyu-link".into()).spawn(move || {
            let shared = Arc::clone(&for_thread);
            let ended = death::watched(|| {
                let _ = report.send(crate::carrier::realtime::apply(&config.real_time));
                thread::LinkThread::new(config, paths, for_thread, requests).run()
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

    /// The address the first path's socket is bound to.
    pub fn local_address(&self) -> SocketAddr {
        self.local[0]
    }

    /// The addresses that the paths' sockets are bound to.
    pub fn local_addresses(&self) -> &[SocketAddr] {
        &self.local
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
