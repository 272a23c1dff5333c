//! Samples inside one process take nothing from the heap, neither where they are published nor where they are read, once slots are as long as
//! they (NODE-1, NODE-37). Threads come with warming up; nothing here waits for a time.

mod agreeing_master;
#[path = "../../topic/tests/counted_heap/mod.rs"]
mod counted_heap;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use counted_heap::taken;
use tokkyu_message::Wire;
use tokkyu_node::messages::sensor_msgs::Image;
use tokkyu_node::{Class, Node, Publisher, PublisherOptions, Subscription, SubscriptionOptions};

/// Something has gone wrong if a step takes longer. It is no promise.
const PATIENCE: Duration = Duration::from_secs(60);
const WARM_UP: u32 = 100;
const SAMPLES: u32 = 1000;
const TOPIC: &str = "pictures";

/// What a callback saw: the number of the newest sample, and how much memory its thread had taken when that of warming up was the newest.
#[derive(Default)]
struct Seen {
    count: AtomicU32,
    before: AtomicU32,
    after: AtomicU32,
}

impl Seen {
    fn on_sample(&self, number: u32) {
        if number == WARM_UP {
            self.before.store(taken(), Ordering::Relaxed);
        }
        self.after.store(taken(), Ordering::Relaxed);
        self.count.store(number, Ordering::Release);
    }

    fn wait_for(&self, number: u32) {
        let begun = Instant::now();
        while self.count.load(Ordering::Acquire) != number {
            assert!(begun.elapsed() < PATIENCE, "sample {number} has not come");
            thread::yield_now();
        }
    }

    fn taken(&self) -> u32 {
        self.after.load(Ordering::Relaxed) - self.before.load(Ordering::Relaxed)
    }
}

/// One that reads views in the spinning thread, and one that reads messages in the thread of its class.
fn subscriptions(node: &Node, seen: &[Arc<Seen>; 2]) -> [Subscription; 2] {
    let [view, message] = seen.clone();
    let views = node.subscribe_view::<Image>(TOPIC, SubscriptionOptions::with_depth(1), move |image| {
        view.on_sample(image.height)
    });
    let control = SubscriptionOptions { class: Some(Class::Control), ..SubscriptionOptions::with_depth(1) };
    let messages = node.subscribe_with(TOPIC, control, move |image: &Image| message.on_sample(image.height));
    [views.expect("it subscribes"), messages.expect("it subscribes")]
}

/// How much memory this thread takes while it publishes all samples and sees each of them read.
fn publish_all(seen: &[Arc<Seen>; 2], publish: impl Fn(u32)) -> u32 {
    let mut before = 0;
    for number in 1..=WARM_UP + SAMPLES {
        if number == WARM_UP + 1 {
            before = taken();
        }
        publish(number);
        seen.iter().for_each(|seen| seen.wait_for(number));
    }
    taken() - before
}

fn picture() -> Image {
    Image { encoding: "mono8".to_owned(), data: vec![7; 5000], ..Image::default() }
}

/// What the publishing thread took, then those of the two callbacks.
fn taken_by_samples(publish: impl Fn(&Publisher<Image>, u32)) -> [u32; 3] {
    let node = Node::builder("test").master(agreeing_master::start(&[])).build().expect("a node");
    let options = PublisherOptions { slot_bytes: picture().wire_len(), ..PublisherOptions::with_depth(1) };
    let publisher = node.advertise_with::<Image>(TOPIC, options).expect("it is advertised");
    let seen = <[Arc<Seen>; 2]>::default();
    let _subscriptions = subscriptions(&node, &seen);
    let spinning = thread::spawn({
        let node = node.clone();
        move || node.spin()
    });
    let own = publish_all(&seen, |number| publish(&publisher, number));
    node.shutdown();
    spinning.join().expect("it has spun");
    [own, seen[0].taken(), seen[1].taken()]
}

#[test]
fn a_loan_that_is_filled_and_read_takes_no_memory() {
    let mut wire = Vec::new();
    tokkyu_message::write_to(&picture(), &mut wire);
    // Behind the header: sequence, time, an empty string.
    let height = 16..20;
    let publish = |publisher: &Publisher<Image>, number: u32| {
        let mut loan = publisher.loan(wire.len()).expect("a loan never fails");
        loan.copy_from_slice(&wire);
        loan[height.clone()].copy_from_slice(&number.to_le_bytes());
        loan.publish().expect("it is published");
    };
    assert_eq!(taken_by_samples(publish), [0; 3]);
}

#[test]
fn a_message_that_is_published_by_reference_takes_no_memory() {
    let message = std::cell::RefCell::new(picture());
    let publish = |publisher: &Publisher<Image>, number: u32| {
        message.borrow_mut().height = number;
        publisher.publish_ref(&message.borrow()).expect("it is published");
    };
    assert_eq!(taken_by_samples(publish), [0; 3]);
}

/// The other way about: a message that is handed over is the program's own memory, and counted.
#[test]
fn a_message_that_is_published_by_value_takes_memory_of_the_publisher_alone() {
    let publish = |publisher: &Publisher<Image>, number: u32| {
        publisher.publish(Image { height: number, ..picture() }).expect("it is published");
    };
    let [own, _view, message] = taken_by_samples(publish);
    assert!(own >= SAMPLES, "{own}");
    assert_eq!(message, 0);
}
