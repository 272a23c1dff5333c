//! How topics are published and subscribed to.

use tokkyu_contract::Class;
use tokkyu_graph::Profile;
use tokkyu_topic::{Limits, MAX_SLOTS, Terms};

use crate::port::port;
use crate::subscribers::OnChange;

/// A depth of 0 is roscpp's word for no limit; here it is the longest queue there is.
fn deepest(asked: u32) -> u32 {
    let most = port().profile().depth;
    if asked == 0 { most } else { asked.min(most) }
}

/// How a topic is published.
pub struct PublisherOptions {
    /// The queue of each link over the network.
    pub depth: u32,
    /// Whether the last message is kept for who subscribes later.
    pub is_latched: bool,
    /// How much its messages matter; nothing: what `robot.yaml` declares, or best effort.
    pub class: Option<Class>,
    /// Messages that may be filled at once.
    pub loans: u32,
    /// Subscriptions at once, in this process and over the network.
    pub links: u32,
    /// Memory of each slot at the beginning, bytes. Longer messages take more when they come.
    pub slot_bytes: usize,
    /// Called when somebody subscribes or leaves, in the network's thread.
    pub on_change: Option<OnChange>,
}

impl PublisherOptions {
    /// A queue of that depth; the rest as most topics need it.
    pub fn with_depth(depth: u32) -> PublisherOptions {
        PublisherOptions {
            depth,
            is_latched: false,
            class: None,
            loans: 4,
            links: 64,
            slot_bytes: 0,
            on_change: None,
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        deepest(self.depth)
    }

    /// Slots for links of that depth, and for a few that are deeper: what more would need is joined with less depth. Of a declared topic those
    /// that `tokkyu node memory` prints.
    pub(crate) fn limits(&self, declared: Option<Limits>) -> Limits {
        if let Some(declared) = declared {
            return Limits { latch: declared.latch || self.is_latched, ..declared }.with_all_slots();
        }
        let Profile { links, depth, slots, .. } = port().profile();
        let limits = Limits {
            loans: self.loans,
            links: self.links.min(links),
            depth,
            held: 2,
            latch: self.is_latched,
            slots: 0,
        };
        let all = limits.own_share() + limits.links.saturating_mul(limits.share(self.depth()));
        Limits { slots: all.clamp(slots, MAX_SLOTS), ..limits }
    }
}

/// How a topic is subscribed to.
pub struct SubscriptionOptions {
    /// The queue of each link to a publisher.
    pub depth: u32,
    /// How much its messages matter; nothing: what `robot.yaml` declares, or best effort. Callbacks of class `control` and `realtime` have a thread
    /// for each of the two, unless the program gives a queue of its own.
    pub class: Option<Class>,
    /// Whether publishers of this process may lose none of its samples: while its queue is full they are told so when they publish
    /// ([`PublishError::Full`](crate::PublishError::Full)), and nobody gets the message (NODE-17, NODE-68). Nothing: as `robot.yaml` declares, where
    /// `reliability: reliable` with `history: keep_all` is that, or no.
    pub reliable: Option<bool>,
    /// Whether publishers on other machines are to send small messages at once.
    pub no_delay: bool,
    /// The longest message that comes over the network, bytes. At most what the system's profile allows.
    pub longest: usize,
    /// Memory of each slot at the beginning, bytes.
    pub slot_bytes: usize,
}

impl SubscriptionOptions {
    /// A queue of that depth; the rest as most topics need it.
    pub fn with_depth(depth: u32) -> SubscriptionOptions {
        SubscriptionOptions {
            depth,
            class: None,
            reliable: None,
            no_delay: false,
            longest: usize::MAX,
            slot_bytes: 0,
        }
    }

    pub(crate) fn terms(&self, is_declared_reliable: bool) -> Terms {
        Terms { depth: deepest(self.depth), reliable: self.reliable.unwrap_or(is_declared_reliable) }
    }
}
