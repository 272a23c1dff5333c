//! Every order in which publisher and readers may meet, tried by a model checker (loom), for queues of 1 to 3; where those are too many, every order
//! in which threads are interrupted as often as is said at most:
//!
//!     node/topic/check model
//!
//! Values are their samples' numbers, so that a torn, an old and a doubled sample differ from what they should be. The checker finds by itself
//! when a slot is written while somebody reads it.
#![cfg(loom)]

use std::ops::Range;
use std::sync::Arc;

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use tokkyu_topic::{Bell, Channel, Choice, Desk, Limits, Near, Publisher, Reader, Terms, Why, Worked};

/// Readers of a device start anew four times, and meet more orders than can be tried.
const IMPATIENT: Choice = Choice { patience: 0, ..Choice::DEVICE };

/// Tries orders with so many preemptions at most; none given, all.
fn explore(preemptions: Option<usize>, scene: impl Fn() + Sync + Send + 'static) {
    explore_with(IMPATIENT, preemptions, scene);
}

fn explore_with(choice: Choice, preemptions: Option<usize>, scene: impl Fn() + Sync + Send + 'static) {
    choice.choose();
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(scene);
}

fn channel(limits: Limits) -> (Publisher<u32>, Arc<Channel<u32>>) {
    Channel::new(limits, || u32::MAX).unwrap()
}

fn join(channel: &Arc<Channel<u32>>, terms: Terms) -> Reader<u32> {
    channel.join(terms, Arc::new(Bell::new()), 0).unwrap()
}

fn publish(publisher: &mut Publisher<u32>, value: u32) -> Result<u32, Why> {
    let mut loan = publisher.loan().expect("a loan never fails");
    *loan = value;
    publisher.publish(loan).map_err(|refused| refused.why)
}

fn publish_all(publisher: &mut Publisher<u32>, values: Range<u32>) {
    for value in values {
        publish(publisher, value).unwrap();
    }
}

/// What a reader saw so far.
#[derive(Default)]
struct Seen {
    delivered: u32,
    missed: u32,
    next: u32,
}

impl Seen {
    /// Takes once; false if there was nothing.
    fn take(&mut self, reader: &mut Reader<u32>) -> bool {
        let Some(sample) = reader.take().unwrap() else { return false };
        assert_eq!(*sample, sample.sequence(), "the sample with this number");
        assert!(sample.sequence() >= self.next, "in order, none twice");
        assert_eq!(sample.sequence(), self.next + sample.missed());
        self.next = sample.sequence() + 1;
        self.missed += sample.missed();
        self.delivered += 1;
        true
    }

    /// NODE-14, once nothing more comes.
    fn close(mut self, reader: &mut Reader<u32>, published: u32) {
        while self.take(reader) {}
        assert_eq!(self.delivered + reader.dropped(), published, "delivered or dropped, of all published");
        assert_eq!(self.missed + (published - self.next), reader.dropped());
        assert_eq!(reader.waiting(), 0);
    }
}

/// One publisher, one reader: `samples` published while it takes `takes` times, then the rest.
fn one_reader(preemptions: Option<usize>, depth: u32, samples: u32, takes: u32) {
    one_reader_with(IMPATIENT, preemptions, depth, samples, takes);
}

fn one_reader_with(choice: Choice, preemptions: Option<usize>, depth: u32, samples: u32, takes: u32) {
    explore_with(choice, preemptions, move || {
        let (mut publisher, channel) = channel(Limits::for_links(1, depth));
        let mut reader = join(&channel, Terms::keep_last(depth));
        let publishing = thread::spawn(move || {
            publish_all(&mut publisher, 0..samples);
            publisher
        });
        let mut seen = Seen::default();
        for _ in 0..takes {
            seen.take(&mut reader);
        }
        let publisher = publishing.join().unwrap();
        seen.close(&mut reader, samples);
        drop((publisher, reader));
        assert_eq!(channel.slots_used(), 0);
    });
}

#[test]
fn one_reader_with_a_queue_of_one() {
    one_reader(None, 1, 3, 2);
}

#[test]
fn one_reader_with_a_queue_of_two() {
    one_reader(Some(4), 2, 4, 2);
}

/// NODE-11: overtaken, the reader has the newest and one that it drops in its hands, and the publisher has filled both cells again.
#[test]
fn a_loan_succeeds_while_an_overtaken_reader_drops_what_is_older() {
    one_reader(Some(3), 2, 6, 1);
}

#[test]
fn one_reader_with_a_queue_of_three() {
    one_reader(Some(4), 3, 5, 2);
}

/// NODE-15: overtaken, it starts anew, as often as on a device.
#[test]
fn one_reader_that_is_patient() {
    let patient = [(1, 3, 4), (2, 3, 5), (3, 3, 5)];
    for (depth, preemptions, samples) in patient {
        one_reader_with(Choice::DEVICE, Some(preemptions), depth, samples, 1);
    }
}

/// NODE-15: a reader may be past `head`. Of queues of 1 and 2 the numbers in the cells find the way back.
#[test]
#[should_panic = "delivered or dropped, of all published"]
fn a_comparison_of_head_and_tail_for_equality_is_found() {
    let faulty = Choice { compares_for_equality: true, ..IMPATIENT };
    one_reader_with(faulty, Some(3), 3, 5, 2);
}

/// NODE-12: what is held stays, and another loan is found all the same.
#[test]
fn a_sample_is_held_while_the_queue_is_overrun() {
    explore(None, || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 1));
        let mut reader = join(&channel, Terms::keep_last(1));
        let publishing = thread::spawn(move || publish_all(&mut publisher, 0..3));
        if let Some(sample) = reader.take().unwrap() {
            let before = *sample;
            thread::yield_now();
            assert_eq!((*sample, before), (sample.sequence(), sample.sequence()));
        }
        publishing.join().unwrap();
    });
}

/// NODE-21: nobody who has a reference sees a slot cleared, and each loan begins with a cleared one.
#[test]
fn a_slot_is_cleared_by_who_gives_the_last_reference_back() {
    explore(Some(3), || {
        let clear = |value: &mut u32| *value = u32::MAX;
        let (mut publisher, channel) =
            Channel::with_clearing(Limits::for_links(2, 1), || u32::MAX, clear).unwrap();
        let [mut one, mut other] = [(); 2].map(|()| join(&channel, Terms::keep_last(1)));
        let publishing = thread::spawn(move || {
            for value in 0..2 {
                let mut loan = publisher.loan().expect("a loan never fails");
                assert_eq!(*loan, u32::MAX, "cleared before it is free");
                *loan = value;
                publisher.publish(loan).unwrap();
            }
        });
        let reading = thread::spawn(move || Seen::default().take(&mut other));
        Seen::default().take(&mut one);
        publishing.join().unwrap();
        reading.join().unwrap();
        drop(one);
        assert_eq!(channel.slots_used(), 0);
    });
}

/// NODE-11, NODE-14 for each of two, of which both are overrun if there are enough samples.
fn two_readers(preemptions: usize, samples: u32) {
    explore(Some(preemptions), move || {
        let (mut publisher, channel) = channel(Limits::for_links(2, 2));
        let mut readers = [1, 2].map(|depth| join(&channel, Terms::keep_last(depth)));
        let [mut first, mut second] = readers.each_mut().map(|_| Seen::default());
        let [mut one, mut other] = readers;
        let publishing = thread::spawn(move || {
            publish_all(&mut publisher, 0..samples);
            publisher
        });
        let reading = thread::spawn(move || {
            first.take(&mut one);
            (first, one)
        });
        second.take(&mut other);
        let publisher = publishing.join().unwrap();
        let (first, mut one) = reading.join().unwrap();
        first.close(&mut one, samples);
        second.close(&mut other, samples);
        drop((one, other, publisher));
        assert_eq!(channel.slots_used(), 0);
    });
}

#[test]
fn two_readers_each_have_their_queue() {
    two_readers(3, 2);
}

#[test]
fn two_readers_are_both_overrun() {
    two_readers(3, 4);
}

/// NODE-14, NODE-16: a subscription of two publishers, woken by either, has all of both.
#[test]
fn one_thread_reads_two_publishers_that_overrun_it() {
    explore(Some(3), || {
        let bell = Arc::new(Bell::new());
        let mut parts = [0, 1].map(|source| {
            let (publisher, channel) = channel(Limits::for_links(1, 1));
            let reader = channel.join(Terms::keep_last(1), bell.clone(), source).unwrap();
            (publisher, reader, Seen::default())
        });
        let publishing = parts.each_mut().map(|(publisher, ..)| {
            let mut publisher = publisher_of(publisher);
            thread::spawn(move || publish_all(&mut publisher, 0..2))
        });
        let mut rang = 0;
        for _ in 0..2 {
            rang |= bell.answer();
            parts.iter_mut().for_each(|(_, reader, seen)| drop(seen.take(reader)));
        }
        publishing.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(rang | bell.answer(), 0b11);
        parts.into_iter().for_each(|(_, mut reader, seen)| seen.close(&mut reader, 2));
    });
}

/// Two publishers of one topic are two channels with one bell: none is overheard.
#[test]
fn two_publishers_ring_one_bell() {
    explore(Some(3), || {
        let bell = Arc::new(Bell::new());
        let mut parts = [0, 1].map(|source| {
            let (publisher, channel) = channel(Limits::for_links(1, 1));
            let reader = channel.join(Terms::keep_last(1), bell.clone(), source).unwrap();
            (publisher, reader)
        });
        let [(first, one), (second, other)] = &mut parts;
        let (mut first, mut second) = (publisher_of(first), publisher_of(second));
        let publishing = [
            thread::spawn(move || publish(&mut first, 0).map(|_| first)),
            thread::spawn(move || publish(&mut second, 0).map(|_| second)),
        ];
        let mut rang = bell.answer();
        let publishers = publishing.map(|thread| thread.join().unwrap().unwrap());
        rang |= bell.answer();
        assert_eq!(rang, 0b11);
        assert!(one.take().unwrap().is_some() && other.take().unwrap().is_some());
        drop(publishers);
    });
}

/// The publisher itself; what stays behind is one that nobody uses.
fn publisher_of(place: &mut Publisher<u32>) -> Publisher<u32> {
    std::mem::replace(place, channel(Limits::for_links(0, 1)).0)
}

/// NODE-16: a listener that went to sleep is woken, once, or had no reason to sleep.
#[test]
fn nobody_sleeps_over_a_sample() {
    explore(None, || {
        let bell = Arc::new(Bell::new());
        let ringers = [0, 1].map(|source| {
            let bell = bell.clone();
            thread::spawn(move || u32::from(bell.ring_at(source)))
        });
        let mut rang = bell.answer();
        let sleeps = bell.rest();
        let woken: u32 = ringers.into_iter().map(|thread| thread.join().unwrap()).sum();
        // Whoever slept, with something still to come, is woken by exactly one of the two.
        assert_eq!(woken, u32::from(sleeps && rang != 0b11));
        rang |= bell.answer();
        assert_eq!(rang, 0b11);
    });
}

/// NODE-17.
#[test]
fn a_reliable_queue_loses_nothing() {
    explore(None, || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 1));
        let mut reader = join(&channel, Terms::reliable(1));
        let publishing = thread::spawn(move || {
            let mut next = 0;
            for _ in 0..3 {
                match publish(&mut publisher, next) {
                    Ok(_) => next += 1,
                    Err(why) => assert_eq!(why, Why::Full),
                }
            }
            next
        });
        let mut seen = Seen::default();
        seen.take(&mut reader);
        let published = publishing.join().unwrap();
        assert_eq!(reader.dropped(), 0);
        seen.close(&mut reader, published);
    });
}

/// NODE-18: whoever comes while something is published gets it or not, and then everything; whoever leaves leaves nothing.
#[test]
fn readers_come_while_the_publisher_publishes() {
    explore(Some(3), || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 2));
        let publishing = thread::spawn(move || {
            publish(&mut publisher, 0).unwrap();
            publisher
        });
        let mut reader = join(&channel, Terms::keep_last(2));
        let mut publisher = publishing.join().unwrap();
        publish(&mut publisher, 1).unwrap();
        let first = reader.take().unwrap().expect("published after joining");
        let is_former = first.sequence() == 0;
        assert_eq!(first.missed(), 0, "what came before joining is not lost");
        drop(first);
        assert_eq!(reader.take().unwrap().is_some(), is_former);
        drop((reader, publisher));
        assert_eq!(channel.slots_used(), 0);
    });
}

#[test]
fn readers_leave_while_the_publisher_publishes() {
    explore(Some(3), || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 2));
        let mut reader = join(&channel, Terms::keep_last(2));
        let publishing = thread::spawn(move || {
            publish_all(&mut publisher, 0..2);
            publisher
        });
        let held = reader.take().unwrap();
        drop(reader);
        drop(held);
        let publisher = publishing.join().unwrap();
        assert_eq!((channel.slots_used(), channel.links_open()), (0, 0));
        // The place is free, and clean.
        let mut next = join(&channel, Terms::keep_last(1));
        assert!(next.take().unwrap().is_none());
        drop((next, publisher));
    });
}

/// NODE-24: whose bell is asked for does not go meanwhile.
#[test]
fn a_place_changes_hands_while_the_publisher_brings_it_near() {
    explore(Some(3), || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 1));
        let reader = join(&channel, Terms::keep_last(1));
        let asking = thread::spawn(move || {
            publisher.add_to(&mut Near::default());
            publisher
        });
        drop(reader);
        let next = channel.join(Terms::keep_last(1), Arc::new(Bell::new()), 0);
        drop((asking.join().unwrap(), next));
    });
}

#[test]
fn a_place_changes_hands_while_the_publisher_publishes() {
    explore(Some(2), || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 1));
        let reader = join(&channel, Terms::keep_last(1));
        let publishing = thread::spawn(move || {
            publish_all(&mut publisher, 0..2);
            publisher
        });
        drop(reader);
        let next = channel.join(Terms::keep_last(1), Arc::new(Bell::new()), 0);
        let mut publisher = publishing.join().unwrap();
        publish(&mut publisher, 2).unwrap();
        if let Ok(mut next) = next {
            let sample = next.take().unwrap().expect("published after joining");
            assert_eq!(*sample, 2);
        }
        drop(publisher);
        assert_eq!(channel.slots_used(), 0);
    });
}

/// NODE-19.
#[test]
fn who_joins_a_latched_channel_misses_nothing_and_gets_nothing_twice() {
    one_joins_a_latched_channel(channel);
}

/// NODE-19 and NODE-21: the last sample is followed, and its slot cleared, while somebody joins.
#[test]
fn who_joins_a_latched_channel_sees_no_cleared_slot() {
    one_joins_a_latched_channel(|limits| {
        Channel::with_clearing(limits, || u32::MAX, |value| *value = u32::MAX).unwrap()
    });
}

fn one_joins_a_latched_channel(make: fn(Limits) -> (Publisher<u32>, Arc<Channel<u32>>)) {
    explore(Some(3), move || {
        let (mut publisher, channel) =
            make(Limits { latch: true, ..Limits::for_links(1, 2) }.with_all_slots());
        publish(&mut publisher, 0).unwrap();
        let publishing = thread::spawn(move || {
            publish_all(&mut publisher, 1..3);
            publisher
        });
        let mut reader = join(&channel, Terms::keep_last(2));
        let mut seen: Vec<u32> = reader.take().unwrap().iter().map(|sample| **sample).collect();
        let publisher = publishing.join().unwrap();
        while let Some(sample) = reader.take().unwrap() {
            seen.push(*sample);
        }
        assert!([&[0, 1, 2][..], &[1, 2], &[2]].contains(&&seen[..]), "{seen:?}");
        drop((reader, publisher));
        assert_eq!(channel.slots_used(), 0);
    });
}

/// NODE-11, NODE-18: what somebody who leaves has still in its hands counts until it is back.
fn a_loan_succeeds_while(leaving: impl Fn(Reader<u32>) + Sync + Send + Copy + 'static) {
    explore(Some(3), move || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 1));
        let reader = join(&channel, Terms::keep_last(1));
        publish(&mut publisher, 0).unwrap();
        let leaves = thread::spawn(move || leaving(reader));
        let joins = {
            let channel = channel.clone();
            thread::spawn(move || drop(channel.join(Terms::keep_last(1), Arc::new(Bell::new()), 0)))
        };
        drop(publisher.loan().expect("a loan never fails"));
        leaves.join().unwrap();
        joins.join().unwrap();
        assert_eq!(channel.slots_used(), 0);
    });
}

#[test]
fn a_loan_succeeds_while_a_reader_leaves_and_another_joins() {
    a_loan_succeeds_while(drop);
}

#[test]
fn a_loan_succeeds_while_the_last_sample_of_one_that_left_goes_back() {
    a_loan_succeeds_while(|mut reader| {
        let sample = reader.take().unwrap();
        drop(reader);
        drop(sample);
    });
}

/// NODE-11: a place to hold is not free again before its slot is.
#[test]
fn a_loan_succeeds_while_a_sample_goes_back_elsewhere() {
    explore(Some(3), || {
        let (mut publisher, channel) = channel(Limits::for_links(1, 1));
        let mut reader = join(&channel, Terms::keep_last(1));
        publish(&mut publisher, 0).unwrap();
        let sample = reader.take().unwrap();
        publish(&mut publisher, 1).unwrap();
        let returns = thread::spawn(move || drop(sample));
        let takes = thread::spawn(move || reader.take().map(drop).map(|()| reader));
        publish(&mut publisher, 2).unwrap();
        drop(publisher.loan().expect("a loan never fails"));
        returns.join().unwrap();
        drop(takes.join().unwrap());
    });
}

/// Does all that is wanted, its own and what others have left to it.
fn work_at(desk: &Desk<u32>, wanted: &AtomicU32) {
    wanted.fetch_add(1, Ordering::Relaxed);
    while desk.work(|done| *done += wanted.swap(0, Ordering::Relaxed)).is_some_and(|worked| worked.was_called)
    {
    }
}

/// NODE-22.
#[test]
fn at_a_desk_one_works_at_a_time_and_what_another_wanted_is_done() {
    explore(Some(3), || {
        let (desk, wanted) = (Arc::new(Desk::new(0)), Arc::new(AtomicU32::new(0)));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let (desk, wanted) = (desk.clone(), wanted.clone());
                thread::spawn(move || work_at(&desk, &wanted))
            })
            .collect();
        work_at(&desk, &wanted);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(desk.work(|done| *done), Some(Worked { result: 3, was_called: false }));
    });
}
