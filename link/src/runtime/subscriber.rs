//! A subscription as an application holds it.

use super::channel::{Feed, Leaving, Queue, Request, Shared};
use super::told::Sample;
use crate::core::{Endpoint, EndpointError, Subscription};
use std::sync::Arc;
use std::time::Duration;
use tokkyu_contract::FlowId;

/// Samples of a keep_all subscription that wait for the application at most.
const KEEP_ALL: usize = 1024;

/// Receives one topic. Dropping it withdraws the subscription: nothing is sent for it any more, its place among the 1024
/// is free, and [`LinkEvent::Withdrawn`](super::LinkEvent::Withdrawn) tells its ledger.
pub struct Subscriber {
    shared: Arc<Shared>,
    id: FlowId,
    queue: Arc<Queue<Sample>>,
}

impl Subscriber {
    pub(super) fn new(shared: &Arc<Shared>, subscription: Subscription) -> Result<Self, EndpointError> {
        let depth = subscription.qos.depth().map_or(KEEP_ALL, |depth| depth as usize);
        let queue = Arc::new(Queue::new(depth.max(1), shared.memory_bytes));
        let id = shared.subscribe(subscription, Feed::of(&queue))?;
        Ok(Subscriber { shared: Arc::clone(shared), id, queue })
    }

    /// The next sample, waiting for it at most `wait`, and not at all once [`Subscriber::is_closed`].
    pub fn receive(&self, wait: Duration) -> Option<Sample> {
        self.queue.take(wait)
    }

    /// The link was closed, or its thread died: nothing comes any more but what waits already.
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Samples that gave way because the application was slow.
    pub fn overrun(&self) -> u64 {
        self.queue.dropped()
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        // False: the link is closed, and with it every subscription.
        let _ = self.shared.request(Request::Withdraw(Endpoint::Subscription(self.id), Leaving::AtOnce));
    }
}
