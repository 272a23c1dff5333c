//! The speed that a base tells: a subscription, and the thread of its callbacks. NODE-131.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use tokkyu_contract::yaml::output::SpeedTopic;
use tokkyu_contract::{Class, WallTime};
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_node::{CallbackQueue, Node, NodeError, Subscription, SubscriptionOptions};

use crate::messages::{speed_kind, speed_mps};

/// A pose, a twist and names of frames are far below.
const LONGEST: usize = 64 << 10;

/// Gets each speed as it comes.
pub(crate) type OnSpeed = Arc<dyn Fn(f32) + Send + Sync>;

/// A thread of its own, of the node's speed alone: it sees a sample when it comes. It ends with the node.
pub(crate) fn serve(
    node: &Node,
    queue: &CallbackQueue,
    fifo_priority: Option<u8>,
) -> io::Result<JoinHandle<()>> {
    let node = node.with_queue(queue);
    let real_time = RealTime { fifo_priority, lock_memory: false, cores: Vec::new() };
    thread::Builder::new().name("ros1-speed".to_owned()).spawn(move || {
        // What is refused has been told by the link's own thread, which asks for more.
        realtime::apply(&real_time);
        node.spin();
    })
}

/// Waits until the master knows. `node` has the queue of [`serve`].
pub(crate) fn subscribe(
    node: &Node,
    speed: &SpeedTopic,
    on_speed: OnSpeed,
) -> Result<Subscription, NodeError> {
    let options = SubscriptionOptions {
        class: Some(Class::Control),
        no_delay: true,
        longest: LONGEST,
        ..SubscriptionOptions::with_depth(1)
    };
    let (topic, message) = (format!("/{}", speed.topic), speed.message);
    node.subscribe_raw(&topic, speed_kind(message), &options, move |delivery| {
        if let Some(mps) = speed_mps(delivery.wire(), message, wall_now()) {
            on_speed(mps);
        }
    })
}

pub(crate) fn wall_now() -> WallTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
