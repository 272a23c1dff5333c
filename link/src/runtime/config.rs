//! How a link is set up, and what keeps it from starting.

use super::death::Fault;
use crate::carrier::realtime::RealTime;
use crate::carrier::{CarrierError, QuicConfig, SecretKey, TrustStore};
use std::net::SocketAddr;
use std::time::Duration;

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
    /// The device that packets leave and come by; whatever the routes say if None.
    pub device: Option<String>,
    /// Further paths to the same peer, at most three (LNK-90).
    pub paths: Vec<FurtherPath>,
    /// IP packets of the path, 1280 to 9000 bytes.
    pub ip_mtu: u16,
    /// Own key.
    pub secret: SecretKey,
    /// Keys of peers that may talk to us.
    pub trusted: TrustStore,
    /// Never send faster on the first path, bit/s on the wire.
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
            device: None,
            paths: Vec::new(),
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

    /// What the carrier of a path is told.
    pub(super) fn carrier(&self, path: &FurtherPath) -> QuicConfig {
        let mut carrier = QuicConfig::new(path.bind, self.ip_mtu, self.secret.clone(), self.trusted.clone());
        carrier.device.clone_from(&path.device);
        carrier
    }
}

/// A path beside the first, to the same peer.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherPath {
    /// Local address. Port 0 takes any.
    pub bind: SocketAddr,
    /// Vehicle's side: where the operator listens for this path; None at the operator.
    pub operator: Option<SocketAddr>,
    /// The device that its packets leave and come by; whatever the routes say if None.
    pub device: Option<String>,
    /// Never send faster on it, bit/s on the wire.
    pub max_bps: f64,
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
