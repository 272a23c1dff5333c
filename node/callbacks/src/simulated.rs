//! Simulated time of a node: who it comes from (`/clock`).

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};

use crate::inner::{Inner, kind};
use crate::messages::rosgraph_msgs;
use crate::options::SubscriptionOptions;
use crate::port::port;
use crate::queue::Queue;
use crate::subscription::{Complain, typed};

/// Subscribes to `/clock`, in a thread of its own: time passes whether the program spins or not.
pub(crate) fn follow(node: Weak<Inner>) {
    let run = move |_| {
        let queue = Queue::new();
        let subscription = {
            let Some(node) = node.upgrade() else { return };
            node.add_queue(&queue);
            let clock = node.clock.clone();
            let log = node.log.clone();
            let complain: Complain = Arc::new(move |_, error| log.error(format_args!("/clock: {error}")));
            let callback = typed(move |message: &rosgraph_msgs::Clock| clock.set(message.clock), complain);
            let options = SubscriptionOptions::with_depth(1);
            node.subscribe(&queue, "/clock".to_owned(), kind::<rosgraph_msgs::Clock>(), &options, callback)
        };
        match subscription {
            Ok(_subscription) => queue.spin(),
            Err(error) => {
                if let Some(node) = node.upgrade() {
                    node.log.error(format_args!("no simulated time: {error}"));
                }
            }
        }
    };
    // Without the thread there is no time, which is seen.
    let _ = port().spawn("tokkyu-clock", None, Box::new(run));
}
