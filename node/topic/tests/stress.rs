//! A publisher at full speed against readers of different speed and depth: nothing torn, nothing out of order, every loss counted (NODE-11 to NODE-15).
//! `node/topic/check races` runs it with ThreadSanitizer looking on.
#![cfg(not(loom))]

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

use tokkyu_topic::{Bell, Channel, Doorbell, JoinError, Limits, Reader, Terms};

const SAMPLES: u32 = if cfg!(debug_assertions) { 30_000 } else { 100_000 };
const WORDS: usize = 256;

type Words = [u32; WORDS];

/// A bell that wakes a thread.
struct Sleeper {
    bell: Bell,
    thread: Thread,
}

impl Doorbell for Sleeper {
    fn ring(&self, source: u32) {
        if self.bell.ring_at(source) {
            self.thread.unpark();
        }
    }
}

#[derive(Debug, Default, PartialEq)]
struct Found {
    delivered: u32,
    missed: u32,
    torn: u32,
    out_of_order: u32,
}

/// Takes until the publisher has ended and nothing waits, sleeping in between; `pause` goes by while a sample is held.
fn read_all(reader: &mut Reader<Words>, sleeper: &Sleeper, ended: &AtomicBool, pause: u32) -> Found {
    let mut found = Found::default();
    let mut next = 0;
    loop {
        let was_ended = ended.load(Ordering::Acquire);
        sleeper.bell.answer();
        while let Some(sample) = reader.take().unwrap() {
            let first = sample[0];
            (0..pause).for_each(|_| spin_loop());
            found.torn += u32::from(sample.iter().any(|word| *word != first) || first != sample.sequence());
            found.out_of_order += u32::from(sample.sequence() < next);
            found.missed += sample.missed();
            found.delivered += 1;
            next = sample.sequence() + 1;
        }
        if was_ended {
            found.missed += SAMPLES - next;
            return found;
        }
        if sleeper.bell.rest() {
            while sleeper.bell.is_resting() && !ended.load(Ordering::Acquire) {
                thread::park();
            }
        }
    }
}

#[test]
fn nothing_is_torn_and_every_loss_is_counted_at_full_speed() {
    let (mut publisher, channel) = Channel::new(Limits::for_links(3, 8), || [0; WORDS]).unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let readers = [(1, 0), (8, 0), (4, 20_000)].map(|(depth, pause)| {
        let (channel, ended) = (channel.clone(), ended.clone());
        let (joined, has_joined) = std::sync::mpsc::channel();
        let reading = thread::spawn(move || {
            let sleeper = Arc::new(Sleeper { bell: Bell::new(), thread: thread::current() });
            let mut reader = channel.join(Terms::keep_last(depth), sleeper.clone(), 0).unwrap();
            joined.send(()).unwrap();
            let found = read_all(&mut reader, &sleeper, &ended, pause);
            (found, reader.dropped())
        });
        has_joined.recv().unwrap();
        reading
    });
    for number in 0..SAMPLES {
        let mut loan = publisher.loan().expect("a loan never fails");
        loan.fill(number);
        assert_eq!(publisher.publish(loan).unwrap(), number);
    }
    ended.store(true, Ordering::Release);
    for reading in readers {
        reading.thread().unpark();
        let (found, dropped) = reading.join().unwrap();
        assert_eq!((found.torn, found.out_of_order), (0, 0), "{found:?}");
        assert_eq!((found.delivered + dropped, found.missed), (SAMPLES, dropped), "{found:?}");
        assert!(found.delivered > 0);
    }
    assert_eq!(channel.slots_used(), 0);
}

/// A place that was left is not free before the publisher has left `publish`, in which it may be interrupted.
fn joined(channel: &Arc<Channel<Words>>, depth: u32) -> Reader<Words> {
    loop {
        match channel.join(Terms::keep_last(depth), Arc::new(Bell::new()), 0) {
            Ok(reader) => return reader,
            Err(JoinError::Exceeded(exceeded)) => panic!("{exceeded}"),
            Err(JoinError::Links(_) | JoinError::Slots { .. }) => thread::yield_now(),
        }
    }
}

/// Joins and leaves so many times, taking some samples each time. Returns how many were torn, and how many out of order.
fn come_and_go(channel: &Arc<Channel<Words>>, depth: u32, rounds: u32) -> (u32, u32) {
    let (mut torn, mut backward) = (0, 0);
    for round in 0..rounds {
        let mut reader = joined(channel, depth);
        let mut next = 0;
        for _ in 0..round % 7 {
            let Some(sample) = reader.take().unwrap() else { continue };
            torn += u32::from(sample.iter().any(|word| *word != sample.sequence()));
            backward += u32::from(sample.sequence() < next);
            next = sample.sequence() + 1;
        }
    }
    (torn, backward)
}

/// NODE-18: readers that come and go in the middle of it all.
#[test]
fn readers_that_come_and_go_disturb_nobody() {
    let limits = Limits { latch: true, ..Limits::for_links(3, 4) }.with_all_slots();
    let (mut publisher, channel) = Channel::new(limits, || [0; WORDS]).unwrap();
    let threads = [1, 3, 4].map(|depth| {
        let channel = channel.clone();
        thread::spawn(move || come_and_go(&channel, depth, SAMPLES / 10))
    });
    let mut number = 0;
    // Where processors are few they may be done before this thread has begun.
    while number < SAMPLES / 10 || threads.iter().any(|thread| !thread.is_finished()) {
        let mut loan = publisher.loan().expect("a loan never fails");
        loan.fill(number);
        publisher.publish(loan).unwrap();
        number += 1;
    }
    for thread in threads {
        assert_eq!(thread.join().unwrap(), (0, 0));
    }
    assert_eq!((channel.slots_used(), channel.links_open()), (1, 0), "the latched one");
}
