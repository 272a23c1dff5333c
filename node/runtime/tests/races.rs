//! Threads that spin, publish, come and go at full speed: nothing is called after its end, nothing twice, and every loss is counted (NODE-14, NODE-61).
//! `node/runtime/check races` runs it with ThreadSanitizer looking on: what is not atomic here is for it to see.

mod agreeing_master;

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokkyu_node::messages::sensor_msgs::Image;
use tokkyu_node::{
    CallbackQueue, Class, Delivery, Kind, Message, Node, Publisher, Subscription, SubscriptionOptions,
};

/// Something has gone wrong if a step takes longer. It is no promise.
const PATIENCE: Duration = Duration::from_secs(60);
const PUBLISHERS: u32 = 2;
/// Of each publisher.
const SAMPLES: u32 = if cfg!(debug_assertions) { 10_000 } else { 50_000 };
/// Subscriptions and timers that come and go, of each thread.
const ROUNDS: u32 = if cfg!(debug_assertions) { 300 } else { 1_000 };
const TOPIC: &str = "numbers";

fn node(master: &str) -> Node {
    Node::builder("test").master(master).build().expect("a node")
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: never");
        thread::yield_now();
    }
}

/// A picture that is one number all over.
fn picture(number: u32) -> Image {
    Image { height: number, data: vec![number as u8; 100], ..Image::default() }
}

/// By value and by wire form in turn. Whoever comes and goes is not to hold it up.
fn publish_all(publisher: &Publisher<Image>) {
    for number in 0..SAMPLES {
        let published = match number % 2 {
            0 => publisher.publish(picture(number)),
            _ => publisher.publish_ref(&picture(number)),
        };
        published.expect("a loan never fails");
    }
}

fn any() -> Kind {
    Kind { datatype: Image::DATATYPE.into(), md5sum: Image::MD5SUM.into(), definition: String::new() }
}

fn with(depth: u32, class: Class) -> SubscriptionOptions {
    SubscriptionOptions { class: Some(class), ..SubscriptionOptions::with_depth(depth) }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    got: u32,
    missed: u32,
    torn: u32,
    out_of_order: u32,
}

/// What one subscription hears, counted without a lock: its callbacks are called one after the other, by whichever thread.
#[derive(Default)]
struct Counting {
    counts: Counts,
    next: u32,
}

impl Counting {
    fn count(&mut self, delivery: &mut Delivery<'_>) {
        self.counts.got += 1;
        self.counts.missed += delivery.missed();
        self.counts.out_of_order += u32::from(delivery.sequence() < self.next);
        self.next = delivery.sequence() + 1;
        let wire = delivery.wire();
        let data = &wire[wire.len() - 100..];
        self.counts.torn += u32::from(data.iter().any(|byte| *byte != data[0]));
    }
}

/// A subscription that stays, and tells what it has heard with the last sample: that one is never lost.
fn counts(node: &Node, depth: u32, class: Class) -> (Subscription, Receiver<Counts>) {
    let ((told, hear), mut counting) = (channel(), Counting::default());
    let callback = move |delivery: &mut Delivery<'_>| {
        counting.count(delivery);
        if delivery.sequence() == PUBLISHERS * SAMPLES - 1 {
            told.send(counting.counts).expect("the test hears");
        }
    };
    (node.subscribe_raw(TOPIC, any(), &with(depth, class), callback).expect("it subscribes"), hear)
}

/// What a callback writes and its owner reads, who has nothing but NODE-61 to go by.
#[derive(Default)]
struct Calls {
    plain: UnsafeCell<u32>,
    /// The same, for who looks while it goes on.
    seen: AtomicU32,
    is_over: AtomicBool,
}

// SAFETY: `plain` is written by callbacks of one owner, which come one after the other, and read by that owner after the last of them.
unsafe impl Sync for Calls {}

impl Calls {
    fn call(&self) {
        assert!(!self.is_over.load(Ordering::Relaxed), "called after its end");
        // SAFETY: the only callback just now.
        let calls = unsafe { &mut *self.plain.get() };
        *calls += 1;
        self.seen.store(*calls, Ordering::Relaxed);
    }

    /// What was called has been dropped.
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        // SAFETY: no callback any more.
        let calls = unsafe { *self.plain.get() };
        assert_eq!(calls, self.seen.load(Ordering::Relaxed));
    }

    fn is_called(&self) -> bool {
        self.seen.load(Ordering::Relaxed) > 0
    }
}

/// A subscription that is dropped by its owner: at once, or after it was called. False: the node has ended.
fn comes_and_goes(node: &Node, class: Class, is_awaited: bool) -> bool {
    let calls = Arc::new(Calls::default());
    let (own, mut counting) = (calls.clone(), Counting::default());
    let callback = move |delivery: &mut Delivery<'_>| {
        own.call();
        counting.count(delivery);
        assert_eq!((counting.counts.torn, counting.counts.out_of_order), (0, 0));
    };
    let Ok(subscription) = node.subscribe_raw(TOPIC, any(), &with(3, class), callback) else { return false };
    if is_awaited {
        wait_until(|| calls.is_called() || !node.is_ok(), "a sample");
    }
    drop(subscription);
    calls.end();
    true
}

/// Takes it out before it is dropped: that waits for its callback, which takes the same lock.
fn take(kept: &Mutex<Option<Subscription>>) -> Option<Subscription> {
    kept.lock().expect("nobody panics").take()
}

/// A subscription that ends itself in a callback: the first one that finds it.
fn ends_itself(node: &Node) -> bool {
    let (calls, kept) = (Arc::new(Calls::default()), Arc::new(Mutex::new(None)));
    let (own, itself) = (calls.clone(), kept.clone());
    let callback = move |_: &mut Delivery<'_>| {
        own.call();
        if let Some(itself) = take(&itself) {
            drop(itself);
            own.end();
        }
    };
    let subscribed = node.subscribe_raw(TOPIC, any(), &with(3, Class::BestEffort), callback);
    let Ok(subscription) = subscribed else { return false };
    *kept.lock().expect("nobody panics") = Some(subscription);
    wait_until(|| calls.is_over.load(Ordering::Relaxed) || !node.is_ok(), "a sample");
    drop(take(&kept));
    true
}

fn timer_comes_and_goes(node: &Node, is_steady: bool) -> bool {
    let calls = Arc::new(Calls::default());
    let own = calls.clone();
    let timer = node.any_timer(is_steady, false, Duration::from_micros(20), move |_| own.call());
    wait_until(|| calls.is_called() || !node.is_ok(), "a timer");
    drop(timer);
    calls.end();
    node.is_ok()
}

/// All kinds in turn, so many of them, or until the node ends.
fn come_and_go(node: &Node, on_queue: &Node, rounds: u32) {
    for round in 0..rounds {
        let goes_on = match round % 6 {
            0 => comes_and_goes(node, Class::BestEffort, false),
            1 => comes_and_goes(on_queue, Class::BestEffort, true),
            2 => comes_and_goes(node, Class::Control, true),
            3 => timer_comes_and_goes(node, true),
            4 => timer_comes_and_goes(on_queue, false),
            _ => ends_itself(node),
        };
        if !goes_on {
            return;
        }
    }
}

/// Threads that call callbacks in every way there is, until the node ends.
fn spinning(node: &Node, queue: &CallbackQueue) -> Vec<JoinHandle<()>> {
    let spin = || {
        let node = node.clone();
        thread::spawn(move || node.spin())
    };
    let on_queue = |turn: fn(&CallbackQueue)| {
        let queue = queue.clone();
        thread::spawn(move || {
            while !queue.is_stopped() {
                turn(&queue);
            }
        })
    };
    let waits = on_queue(|queue| while queue.call_one(None, queue.wakes()) {});
    let looks = on_queue(|queue| {
        queue.spin_once();
        queue.wake();
        thread::yield_now();
    });
    vec![spin(), spin(), waits, looks]
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        wait_until(|| thread.is_finished(), "the end of a thread");
        thread.join().expect("no thread panicked");
    }
}

/// Publishes for those who wait for a sample, until told.
fn go_on_publishing(publisher: Publisher<Image>) -> (JoinHandle<()>, Sender<()>) {
    let (stop, stopped) = channel::<()>();
    let run = move || {
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            publisher.publish(picture(7)).expect("a loan never fails");
            thread::yield_now();
        }
    };
    (thread::spawn(run), stop)
}

#[test]
fn nothing_comes_twice_and_every_loss_is_counted() {
    let (node, queue) = (node(&agreeing_master::start(&[])), CallbackQueue::new());
    let on_queue = node.with_queue(&queue);
    let publisher = node.advertise::<Image>(TOPIC, 10).unwrap();
    let staying = [
        counts(&node, 1, Class::BestEffort),
        counts(&node, 100, Class::BestEffort),
        counts(&node, 4, Class::Control),
        counts(&on_queue, 4, Class::Background),
    ];
    let spinning = spinning(&node, &queue);
    let publishing: Vec<_> = (0..PUBLISHERS)
        .map(|_| {
            let publisher = publisher.clone();
            thread::spawn(move || publish_all(&publisher))
        })
        .collect();
    for (_subscription, hear) in &staying {
        let counts = hear.recv_timeout(PATIENCE).expect("the last sample");
        assert_eq!((counts.torn, counts.out_of_order), (0, 0), "{counts:?}");
        assert_eq!(counts.got + counts.missed, PUBLISHERS * SAMPLES, "{counts:?}");
    }
    join(publishing);
    node.shutdown();
    join(spinning);
}

#[test]
fn nothing_is_called_after_its_end() {
    let (node, queue) = (node(&agreeing_master::start(&[])), CallbackQueue::new());
    let on_queue = node.with_queue(&queue);
    let publisher = node.advertise::<Image>(TOPIC, 10).unwrap();
    // With one that stays the master is not asked again each time.
    let _stays = node.subscribe(TOPIC, 1, |_: &Image| {}).unwrap();
    let spinning = spinning(&node, &queue);
    let (publishing, stop) = go_on_publishing(publisher);
    let coming = (0..3).map(|_| {
        let (node, on_queue) = (node.clone(), on_queue.clone());
        thread::spawn(move || come_and_go(&node, &on_queue, ROUNDS))
    });
    join(coming.collect::<Vec<_>>());
    drop(stop);
    join([publishing]);
    node.shutdown();
    join(spinning);
}

/// Whoever waits, for a callback, for a sample or for the master, is let go.
#[test]
fn a_node_that_ends_in_the_middle_of_it_all_keeps_nobody_waiting() {
    let master = agreeing_master::start(&[]);
    for round in 0..50 {
        let (node, queue) = (node(&master), CallbackQueue::new());
        let on_queue = node.with_queue(&queue);
        let publisher = node.advertise::<Image>(TOPIC, 10).unwrap();
        let spinning = spinning(&node, &queue);
        let (publishing, stop) = go_on_publishing(publisher);
        let coming = [0, 1].map(|_| {
            let (node, on_queue) = (node.clone(), on_queue.clone());
            thread::spawn(move || come_and_go(&node, &on_queue, u32::MAX))
        });
        thread::sleep(Duration::from_millis(round));
        node.shutdown();
        drop(stop);
        join(coming);
        join(spinning.into_iter().chain([publishing]));
    }
}
