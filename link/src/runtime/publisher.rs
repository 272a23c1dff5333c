//! A publication as an application holds it.

use super::channel::{Leaving, Outgoing, Request, Shared};
use super::told::SendError;
use crate::carrier::clock;
use crate::core::{Endpoint, EndpointError, Publication};
use bytes::Bytes;
use std::sync::Arc;
use tokkyu_contract::{FlowId, MonoTime};

/// Publishes one flow. Publishing never blocks.
///
/// Dropping it withdraws the publication once what was published is settled: delivered, or given up as its QoS says.
/// [`Publisher::withdraw`] does so at once. Then its place among the 1024 is free, and
/// [`LinkEvent::Withdrawn`](super::LinkEvent::Withdrawn) tells its ledger. While no session is up it goes at once, with
/// what it kept for readers to come.
///
/// What the session refuses later, because the sample is too large or a keep_all flow has reached the memory bound, is
/// told as [`LinkEvent::Refused`](super::LinkEvent::Refused) and counts as dropped.
pub struct Publisher {
    shared: Arc<Shared>,
    flow: FlowId,
    leaving: Leaving,
}

impl Publisher {
    pub(super) fn new(shared: &Arc<Shared>, publication: Publication) -> Result<Self, EndpointError> {
        let flow = shared.advertise(publication)?;
        Ok(Publisher { shared: Arc::clone(shared), flow, leaving: Leaving::Drained })
    }

    /// Publishes a sample captured now.
    ///
    /// # Errors
    /// The link is closed, or its queue is full.
    pub fn send(&self, payload: impl Into<Bytes>) -> Result<(), SendError> {
        self.send_captured(clock::now(), payload)
    }

    /// Publishes a sample captured at `capture` (`CLOCK_MONOTONIC`); its age counts from there.
    ///
    /// # Errors
    /// The link is closed, or its queue is full.
    pub fn send_captured(&self, capture: MonoTime, payload: impl Into<Bytes>) -> Result<(), SendError> {
        self.shared.send(vec![self.outgoing(capture, payload.into())])
    }

    /// Publishes samples of several flows of one link captured on one tick, each with its capture stamp. They reach the
    /// link's thread together, so the turn of each flow is decided by the link (LNK-51) and not by the order of the
    /// calls.
    ///
    /// # Errors
    /// The link is closed, or its queue is full; then none was taken.
    pub fn send_together<'a>(
        samples: impl IntoIterator<Item = (&'a Publisher, MonoTime, Bytes)>,
    ) -> Result<(), SendError> {
        let mut samples = samples.into_iter().peekable();
        let Some(shared) = samples.peek().map(|(publisher, ..)| Arc::clone(&publisher.shared)) else {
            return Ok(());
        };
        let outgoing = samples.map(|(publisher, capture, payload)| {
            debug_assert!(Arc::ptr_eq(&shared, &publisher.shared), "publishers of one link");
            publisher.outgoing(capture, payload)
        });
        shared.send(outgoing.collect())
    }

    fn outgoing(&self, capture: MonoTime, payload: Bytes) -> Outgoing {
        Outgoing { flow: self.flow, capture, payload }
    }

    /// The publication's flow, as events name it: 1, 2, ... in order of announcement.
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// Withdraws the publication at once: samples that are not confirmed are dropped.
    pub fn withdraw(mut self) {
        self.leaving = Leaving::AtOnce;
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        // False: the link is closed, and with it every publication.
        let _ = self.shared.request(Request::Withdraw(Endpoint::Publication(self.flow), self.leaving));
    }
}
