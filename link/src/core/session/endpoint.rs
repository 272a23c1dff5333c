//! Publications and subscriptions of this end, and what the session knows of each beside its samples.

use super::demand::Demand;
use crate::core::outbox::OutFlow;
use std::time::Duration;
use tokkyu_contract::{Class, Durability, FlowId, History, Ledger, MonoTime, Qos};

/// A flow this end sends.
#[derive(Clone, Debug)]
pub struct Publication {
    /// Topic, 1 to 255 bytes.
    pub topic: String,
    /// Type of the topic, may be empty.
    pub type_name: String,
    /// Class of the flow.
    pub class: Class,
    /// Offered QoS.
    pub qos: Qos,
    /// Time between two samples, where it is known.
    pub period: Option<Duration>,
    /// Largest sample in bytes, 0 where it is not known.
    pub size_bytes: u32,
}

/// A topic this end wants.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// Topic, 1 to 255 bytes.
    pub topic: String,
    /// Type of the topic; empty takes any.
    pub type_name: String,
    /// Requested QoS.
    pub qos: Qos,
}

/// What the session knows of a publication beside its samples.
pub(super) struct OutEndpoint {
    pub(super) publication: Publication,
    /// A reader wants it, as the peer's table says.
    pub(super) is_matched: bool,
    pub(super) deadline_from: Option<MonoTime>,
    pub(super) demand: Demand,
    pub(super) granted_bps: f64,
}

/// A subscription.
pub(super) struct InEndpoint {
    pub(super) subscription: Subscription,
    pub(super) is_matched: bool,
    pub(super) deadline_from: Option<MonoTime>,
    /// Outcomes of publications that it read and that are gone.
    pub(super) past: Ledger,
}

impl InEndpoint {
    /// The shorter of the offered and the requested lifespan.
    pub(super) fn lifespan(&self, offered: Option<Duration>) -> Option<Duration> {
        let requested = self.subscription.qos.lifespan;
        offered
            .zip(requested)
            .map_or(offered.or(requested), |(offered, requested)| Some(offered.min(requested)))
    }
}

/// The flow that carries the table.
pub(super) fn table_flow() -> OutFlow {
    let qos = Qos {
        history: History::KeepLast { depth: 1 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let mut flow = OutFlow::new(FlowId::SESSION, Class::Control, qos, None);
    flow.wanted = true;
    flow
}
