//! Nodes of ours in the test's own process: they see every byte, and the connection header.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokkyu_node::messages::std_msgs;
use tokkyu_node::{
    Kind, Message, Node, Origin, Publisher, PublisherOptions, Subscription, SubscriptionOptions,
};

use super::program::PATIENCE;

/// Waits for `find` to find something.
pub fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < end, "{what}: never after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A sample as a subscriber gets it.
#[derive(Clone)]
pub struct Heard {
    pub wire: Vec<u8>,
    pub origin: Arc<Origin>,
}

impl Heard {
    /// The number that a [`Talker`] wrote.
    pub fn number(&self) -> u64 {
        let text = self.wire.get(4..).unwrap_or_default();
        String::from_utf8_lossy(text).trim_end_matches('.').parse().expect("a talker's number")
    }
}

/// A node that subscribes to one topic of any type.
pub struct Listener {
    node: Node,
    heard: Arc<Mutex<Vec<Heard>>>,
    subscription: Option<Subscription>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub fn start(node: Node, topic: &str) -> Listener {
        let heard = Arc::<Mutex<Vec<Heard>>>::default();
        let into = Arc::clone(&heard);
        let any = Kind { datatype: "*".into(), md5sum: "*".into(), definition: String::new() };
        let subscription = node
            .subscribe_raw(topic, any, &SubscriptionOptions::with_depth(1000), move |delivery| {
                let origin = Arc::clone(delivery.origin());
                let heard = Heard { wire: delivery.wire().to_vec(), origin };
                into.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
            })
            .expect("a subscription");
        let spinning = node.clone();
        let thread = std::thread::spawn(move || spinning.spin());
        Listener { node, heard, subscription: Some(subscription), thread: Some(thread) }
    }

    pub fn all(&self) -> Vec<Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn numbers(&self) -> Vec<u64> {
        self.all().iter().map(Heard::number).collect()
    }

    pub fn until_heard(&self, count: usize) -> Vec<Heard> {
        let subscription = self.subscription.as_ref().expect("until it is dropped");
        until(&format!("{count} samples of {}", subscription.topic()), || {
            Some(self.all()).filter(|all| all.len() >= count)
        })
    }

    pub fn publishers(&self) -> u32 {
        self.subscription.as_ref().map_or(0, Subscription::publishers)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.subscription.take());
        self.node.shutdown();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A node that publishes 0, 1, 2, ... as strings, 50 a second.
pub struct Talker {
    node: Node,
    said: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The number as text, and so many points behind it.
pub fn string(number: u64) -> std_msgs::String {
    std_msgs::String { data: format!("{number}{:.<40}", "") }
}

impl Talker {
    pub fn start(node: Node, topic: &str) -> Talker {
        let publisher = node.advertise::<std_msgs::String>(topic, 100).expect("advertised");
        let (said, is_over) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (count, ends) = (Arc::clone(&said), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                let number = count.fetch_add(1, Ordering::Relaxed);
                publisher.publish_ref(&string(number)).expect("published");
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Talker { node, said, is_over, thread: Some(thread) }
    }

    pub fn until_said_more(&self, count: u64) {
        let begin = self.said.load(Ordering::Relaxed);
        until("published", || (self.said.load(Ordering::Relaxed) >= begin + count).then_some(()));
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
        self.node.shutdown();
    }
}

/// A latched publisher that says one number.
pub fn latch(node: &Node, topic: &str, number: u64) -> Publisher<std_msgs::String> {
    let options = PublisherOptions { is_latched: true, ..PublisherOptions::with_depth(1) };
    let publisher = node.advertise_with::<std_msgs::String>(topic, options).expect("advertised");
    publisher.publish_ref(&string(number)).expect("published");
    publisher
}

/// Whether `origin` is of std_msgs/String, whole definition and all.
pub fn assert_string(origin: &Origin) {
    assert_eq!(
        (origin.datatype.as_str(), origin.md5sum.as_str(), origin.definition.as_str()),
        (std_msgs::String::DATATYPE, std_msgs::String::MD5SUM, std_msgs::String::DEFINITION)
    );
}
