//! What a link tells its application: where it stands, what happened, its figures.

use super::death::LinkDied;
use crate::carrier::{CarrierCounters, CloseReason};
use crate::core::{Delivered, Endpoint, Event, PathStats, PublishError, Stats};
use std::time::Duration;
use tokkyu_contract::{FlowId, Ledger, MonoTime};

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

impl LinkState {
    /// Whether a session is up.
    pub fn is_up(&self) -> bool {
        matches!(self, LinkState::Up { .. })
    }
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
    /// Figures of the paths of the session that is up.
    pub paths: Vec<PathStats>,
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

/// A sample as it is handed over.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The session it came in: sequence numbers start again with each.
    pub session: u64,
    /// The sample.
    pub delivered: Delivered,
}

/// A sample was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The link's thread is behind by more than a thousand samples.
    #[error("the link's queue is full: samples are published faster than the link's thread runs")]
    Full,
    /// The link was closed, or its thread died.
    #[error("the link is closed")]
    Closed,
}
