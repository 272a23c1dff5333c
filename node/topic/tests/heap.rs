//! Nothing is taken from the heap once a channel is made (NODE-1).
#![cfg(not(loom))]

mod counted_heap;

use std::sync::Arc;

use counted_heap::taken;
use tokkyu_topic::{Bell, Channel, Limits, Publisher, Reader, Terms};

const SAMPLES: u32 = 1000;
const DEPTH: u32 = 4;

fn publish(publisher: &mut Publisher<u32>, value: u32) -> bool {
    let mut loan = publisher.loan().expect("a loan never fails");
    *loan = value;
    publisher.publish(loan).is_ok()
}

fn take_all(reader: &mut Reader<u32>) -> u32 {
    let mut count = 0;
    while let Ok(Some(sample)) = reader.take() {
        count += u32::from(*sample < SAMPLES);
    }
    count
}

/// How often memory was taken while one publishes and two read: one that keeps pace, and one that looks now and then.
fn taken_by_samples(quick: Terms, slow: Terms) -> (u32, [u32; 2]) {
    let (mut publisher, channel) = Channel::new(Limits::for_links(2, DEPTH), || 0).expect("possible limits");
    let bell = Arc::new(Bell::new());
    let [mut quick, mut slow] = [(quick, 0), (slow, 1)]
        .map(|(terms, source)| channel.join(terms, bell.clone(), source).expect("a free link"));
    let (before, mut counts) = (taken(), [0, 0]);
    for value in 0..SAMPLES {
        publish(&mut publisher, value);
        counts[0] += take_all(&mut quick);
        if value % (2 * DEPTH) == 0 {
            counts[1] += take_all(&mut slow);
        }
    }
    (taken() - before, counts)
}

#[test]
fn samples_take_no_memory_from_the_heap() {
    let (memory, [quick, slow]) = taken_by_samples(Terms::keep_last(DEPTH), Terms::keep_last(DEPTH));
    assert_eq!((memory, quick), (0, SAMPLES));
    assert!(
        (SAMPLES / 2 - DEPTH..SAMPLES).contains(&slow),
        "the slow one got {slow}: queues were full, and emptied"
    );
}

#[test]
fn what_a_full_reliable_queue_refuses_takes_no_memory_either() {
    let (memory, [quick, slow]) = taken_by_samples(Terms::keep_last(DEPTH), Terms::reliable(DEPTH));
    assert_eq!(memory, 0);
    assert!(quick < SAMPLES && quick - slow <= DEPTH, "some were refused: {quick} and {slow} were got");
}

/// The other way about: it counts what is taken.
#[test]
fn a_channel_that_is_made_takes_memory() {
    let before = taken();
    drop(Channel::new(Limits::for_links(1, 1), || 0));
    assert!(taken() > before);
}
