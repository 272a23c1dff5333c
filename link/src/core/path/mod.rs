//! One path to the peer: packet numbers of its own, and all that is known of it.
//!
//! ```text
//!              packets out                                     packets in
//!  size ─ how long   pacer, rate ─ how fast      log ─ which of ours arrived      received ─ which of the peer's
//!  monitor ─ does it answer     hole ─ do long ones pass     rtt, loss, queue_back ─ what it is like
//! ```
//!
//! Samples, tables and clocks belong to the session.

mod burst;
mod config;
mod hole;
mod monitor;
mod packet;
mod timing;
mod trial;
mod worth;

pub use config::{PathConfig, PathId};
pub use hole::{Before, Told};
pub use monitor::PathState;
pub use packet::Packet;

use super::loss::LossMeter;
use super::pacer::Pacer;
use super::packet_size::PacketSize;
use super::parity::Loss;
use super::rate::RateEstimator;
use super::received::Received;
use super::rtt::RoundTrip;
use super::sent::SentLog;
use burst::Burst;
use hole::Hole;
use monitor::PathMonitor;
use tokkyu_contract::MonoTime;
use trial::Trial;

/// One path to the peer.
pub struct Path {
    /// Its number.
    pub id: PathId,
    /// How long its packets are.
    pub size: PacketSize,
    /// What was sent on it, and what became of that.
    pub log: SentLog,
    /// What came on it.
    pub received: Received,
    /// Its round trip.
    pub rtt: RoundTrip,
    /// The share of packets that it loses.
    pub loss: LossMeter,
    /// The rate that it carries.
    pub rate: RateEstimator,
    /// When the next packet may go.
    pub pacer: Pacer,
    /// Whether it answers.
    pub monitor: PathMonitor,
    /// Whether it loses long packets.
    pub hole: Hole,
    /// The burst that is being sent.
    pub burst: Burst,
    /// Measuring it while nothing else goes on it.
    pub trial: Trial,
}

impl Path {
    /// A path over a connection of the carrier that is up.
    pub fn new(id: PathId, config: &PathConfig) -> Path {
        let mut rtt = RoundTrip::default();
        if let Some(handshake) = config.handshake_rtt {
            rtt.assume(handshake);
        }
        Path {
            id,
            size: PacketSize::new(config.max_datagram, config.ip_bytes, config.overhead_bytes),
            log: SentLog::default(),
            received: Received::default(),
            rtt,
            loss: LossMeter::default(),
            rate: RateEstimator::new(config.max_bps, config.overhead_bytes),
            pacer: Pacer::default(),
            monitor: PathMonitor::default(),
            hole: Hole::default(),
            burst: Burst::default(),
            trial: Trial::default(),
        }
    }

    /// Packets go unanswered.
    pub fn is_silent(&self) -> bool {
        self.monitor.state() == PathState::Silent
    }

    /// The share of packets that it loses, and how they are spread.
    pub fn loss_now(&self) -> Loss {
        Loss { share: self.loss.share(), dispersion: self.loss.dispersion() }
    }

    /// A clock jumped: what was learned by both together is void (LNK-4).
    pub fn on_clock_jump(&mut self) {
        self.rtt.on_clock_jump();
        self.rate.on_clock_jump();
        self.received.on_clock_jump();
    }

    /// What was learned since packets were lost for their length was of that, and not of the path (LNK-70).
    pub fn take_up_what_was_known(&mut self, now: MonoTime) {
        if let Some(before) = self.hole.before.take() {
            self.loss = before.loss;
            self.rate.on_hole_over(before.rate_bps);
            self.pacer.refill(now);
        }
    }
}
