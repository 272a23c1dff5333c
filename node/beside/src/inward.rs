//! A topic that the RTOS reads, from the nodes of this machine.

use std::fmt;
use std::sync::Arc;

use tokkyu_monitor_topics::{Device, Direction, Entry};
use tokkyu_node::{Node, Subscription, SubscriptionOptions};

use crate::counts::{Count, Counts, add};
use crate::error::BesideError;
use crate::kind::kind_of;

pub(crate) struct Inward {
    topic: String,
    counts: Arc<Counts>,
    /// Whose callback writes.
    _subscription: Subscription,
}

impl fmt::Debug for Inward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.topic, self.counts)
    }
}

impl Inward {
    pub(crate) fn open(node: &Node, device: &'static Device, topic: Entry) -> Result<Inward, BesideError> {
        let wrong = |error| BesideError::Window(topic.name.clone(), error);
        let mut writer = device.writer(&topic).map_err(wrong)?;
        // Nothing waits before it: the window is the queue, of which the oldest goes.
        let options = SubscriptionOptions {
            no_delay: true,
            longest: topic.form.slot_bytes() as usize,
            ..SubscriptionOptions::with_depth(topic.form.slots())
        };
        let counts = Arc::new(Counts::default());
        let counting = Arc::clone(&counts);
        let subscription = node
            .subscribe_raw(&topic.name, kind_of(&topic), &options, move |delivery| {
                let is_written = writer.publish(delivery.wire()).is_ok() && device.ring().is_ok();
                add(if is_written { &counting.carried } else { &counting.refused }, 1);
                add(&counting.lost, u64::from(delivery.missed()));
            })
            .map_err(|error| BesideError::Node(topic.name.clone(), error))?;
        Ok(Inward { topic: topic.name, counts, _subscription: subscription })
    }

    pub(crate) fn count(&self) -> Count {
        self.counts.tell(&self.topic, Direction::FromLinux)
    }
}
