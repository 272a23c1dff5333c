//! A topic that the node subscribes to, and its publishers.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_topic::Limits;

use crate::backoff::Backoff;
use crate::command::Kind;
use crate::host::{Done, Subscriber};
use crate::net::ConnId;
use crate::profile::Profile;

/// Each step towards a publisher is done within this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Of the link to one publisher.
pub(crate) enum State {
    Waiting(MonoTime),
    Busy(ConnId),
    Refused,
}

pub(crate) struct Link {
    pub(crate) state: State,
    pub(crate) backoff: Backoff,
    /// Whether the master that there is now has named it. One from before, which roscpp and rospy do not tell a new master of, stays as long as it
    /// lives.
    pub(crate) is_named: bool,
    /// Memory could not be shared with it: it is not tried again.
    pub(crate) is_plain: bool,
}

/// A topic that the node subscribes to.
pub(crate) struct Subscription {
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    pub(crate) no_delay: bool,
    pub(crate) longest: usize,
    pub(crate) slot_bytes: usize,
    pub(crate) readers: Vec<Arc<dyn Subscriber>>,
    pub(crate) links: BTreeMap<String, Link>,
    /// Publishers that the master named last.
    pub(crate) named: Vec<String>,
    /// How often it has named them by itself.
    pub(crate) updates: u32,
    /// It was said that they are too many; not again until others are named.
    pub(crate) has_warned: bool,
    pub(crate) is_registered: bool,
    pub(crate) done: Vec<Done<()>>,
}

impl Subscription {
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (&String, MonoTime)> {
        let waiting = |link: &Link| if let State::Waiting(until) = link.state { Some(until) } else { None };
        self.links.iter().filter_map(move |(uri, link)| Some((uri, waiting(link)?)))
    }

    /// Publishers that it is connected to, or is about to be.
    pub(crate) fn busy(&self) -> usize {
        self.links.values().filter(|link| matches!(link.state, State::Busy(_))).count()
    }

    pub(crate) fn readers(&self) -> impl Iterator<Item = Arc<dyn Subscriber>> {
        self.readers.iter().cloned()
    }

    /// For as many readers as may come, as deep as the deepest that is there.
    pub(crate) fn limits(&self, is_latched: bool, profile: &Profile) -> Limits {
        let Profile { readers, received_slots, .. } = *profile;
        let depth = self.readers.iter().map(|reader| reader.terms().depth).max().unwrap_or(1);
        let depth = depth.clamp(1, profile.depth);
        let limits = Limits { loans: 1, links: readers, depth, held: 2, latch: is_latched, slots: 0 };
        let one = limits.own_share() + limits.share(depth);
        Limits { slots: (one * readers).min(one + received_slots).min(tokkyu_topic::MAX_SLOTS), ..limits }
    }
}
