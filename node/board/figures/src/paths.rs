//! Paths of messages.

use alloc::string::String;
use core::fmt::Write;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};
use core::time::Duration;

use tokkyu_callbacks::raw::Publisher;
use tokkyu_callbacks::{Kind, Node, NodeError, PublisherOptions, Subscription, SubscriptionOptions};
use tokkyu_contract::Class;
use tokkyu_rtos_aarch64::{Console, exit};

use crate::count::{Figure, Mark, now};

const SIZES: [usize; 4] = [64, 1 << 10, 4 << 10, 256 << 10];
const ROUNDS: usize = 100;
/// Of the figure whose worst is compared with its mean.
const MANY: usize = 1000;

/// The first instruction of a callback.
static BEGINS: Mark = Mark::new();
/// The same on the second processor.
static BEGINS_FAR: Mark = Mark::new();
/// The master knows who publishes for the second processor: it tells nobody of publishers that come later.
static IS_PUBLISHED: AtomicBool = AtomicBool::new(false);

fn kind() -> Kind {
    Kind {
        datatype: "std_msgs/String".into(),
        md5sum: "992ce8a1687cec8c8bd883ec73ca41d1".into(),
        definition: String::new(),
    }
}

fn options(bytes: usize) -> PublisherOptions {
    PublisherOptions { slot_bytes: bytes, ..PublisherOptions::with_depth(2) }
}

fn of_class(class: Option<Class>, depth: u32) -> SubscriptionOptions {
    SubscriptionOptions { class, ..SubscriptionOptions::with_depth(depth) }
}

fn hear(
    node: &Node,
    topic: &str,
    class: Option<Class>,
    begins: &'static Mark,
) -> Result<Subscription, NodeError> {
    node.subscribe_raw(topic, kind(), &of_class(class, 2), move |_| begins.set())
}

/// The moments before and after a publication.
fn publish(publisher: &Publisher, bytes: usize) -> (u64, u64) {
    let Ok(loan) = publisher.loan(bytes) else { fail("no loan") };
    let before = now();
    let published = loan.publish();
    let after = now();
    if published.is_err() {
        fail("not published");
    }
    (before, after)
}

fn fail(why: &str) -> ! {
    let _ = writeln!(Console, "figures: {why}");
    exit(1)
}

/// Waits until `is_so`, for a while.
fn until(node: &Node, what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..10_000 {
        if is_so() {
            return;
        }
        node.sleep(Duration::from_millis(1));
    }
    fail(what)
}

/// The program of the node that counts.
pub(crate) fn count(node: &Node) -> Result<(), NodeError> {
    for bytes in SIZES {
        let rounds = if bytes == 1 << 10 { MANY } else { ROUNDS };
        near(node, bytes, rounds)?;
        alone(node, bytes)?;
        overrun(node, bytes)?;
    }
    far(node)?;
    for bytes in [64, 4 << 10] {
        tcpros(node, bytes)?;
    }
    let _ = writeln!(Console, "done");
    exit(0)
}

/// To a callback of class `control`, which is more urgent than who publishes.
fn near(node: &Node, bytes: usize, rounds: usize) -> Result<(), NodeError> {
    let publisher = node.advertise_raw("near", kind(), options(bytes))?;
    let _subscription = hear(node, "near", Some(Class::Control), &BEGINS)?;
    let mut figure = Figure::new(rounds);
    // The first finds nothing where it will be.
    for _ in 0..8 {
        publish(&publisher, bytes);
    }
    for _ in 0..rounds {
        let (before, _) = publish(&publisher, bytes);
        figure.add(before, BEGINS.get());
    }
    figure.tell("publish-to-callback", bytes);
    Ok(())
}

/// The call alone: who hears is less urgent.
fn alone(node: &Node, bytes: usize) -> Result<(), NodeError> {
    let publisher = node.advertise_raw("alone", kind(), options(bytes))?;
    let _subscription = hear(node, "alone", None, &BEGINS)?;
    let mut figure = Figure::new(ROUNDS);
    for round in 0..ROUNDS + 8 {
        let (before, after) = publish(&publisher, bytes);
        node.spin_once();
        if round >= 8 {
            figure.add(before, after);
        }
    }
    figure.tell("publish", bytes);
    Ok(())
}

/// The call while the queue is full: the oldest goes.
fn overrun(node: &Node, bytes: usize) -> Result<(), NodeError> {
    let publisher = node.advertise_raw("overrun", kind(), options(bytes))?;
    let _subscription = hear(node, "overrun", None, &BEGINS)?;
    let mut figure = Figure::new(ROUNDS);
    for round in 0..ROUNDS + 8 {
        let (before, after) = publish(&publisher, bytes);
        if round >= 8 {
            figure.add(before, after);
        }
    }
    figure.tell("publish-overrun", bytes);
    Ok(())
}

/// To a callback of another node on the second processor, while this one rests.
fn far(node: &Node) -> Result<(), NodeError> {
    let publisher = node.advertise_raw("far", kind(), options(256 << 10))?;
    IS_PUBLISHED.store(true, Release);
    until(node, "nobody subscribes on the second processor", || publisher.subscribers() > 0);
    for bytes in SIZES {
        let mut figure = Figure::new(ROUNDS);
        for round in 0..ROUNDS + 8 {
            let (before, _) = publish(&publisher, bytes);
            node.sleep(Duration::from_millis(1));
            if round >= 8 {
                figure.add(before, BEGINS_FAR.get());
            }
        }
        figure.tell("publish-to-callback-across", bytes);
    }
    Ok(())
}

/// To a callback of a node that does not share memory, over TCPROS and the wire.
fn tcpros(node: &Node, bytes: usize) -> Result<(), NodeError> {
    let publisher = node.advertise_raw("plain", kind(), options(bytes))?;
    let plain = Node::builder("plain").without_shared_memory().build()?;
    let options = SubscriptionOptions { no_delay: true, ..of_class(None, 2) };
    let _subscription = plain.subscribe_raw("plain", kind(), &options, |_| BEGINS.set())?;
    until(node, "nobody subscribes over TCPROS", || publisher.subscribers() > 0);
    let mut figure = Figure::new(ROUNDS);
    for round in 0..ROUNDS + 8 {
        let (before, _) = publish(&publisher, bytes);
        if !plain.spin_for(Duration::from_secs(5)) {
            fail("nothing comes over TCPROS");
        }
        if round >= 8 {
            figure.add(before, BEGINS.get());
        }
    }
    figure.tell("tcpros", bytes);
    Ok(())
}

/// The program of the node on the second processor.
pub(crate) fn hear_far(node: &Node) -> Result<(), NodeError> {
    until(node, "nobody publishes for the second processor", || IS_PUBLISHED.load(Acquire));
    let _subscription = hear(node, "far", None, &BEGINS_FAR)?;
    node.spin();
    Ok(())
}
