//! What a channel does, one thread at a time.
#![cfg(not(loom))]

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use tokkyu_topic::{Bell, Channel, Doorbell, JoinError, Limits, LoanError, Publisher, Reader, Terms, Why};

type Shared = Arc<Channel<u32>>;

fn channel(limits: Limits) -> (Publisher<u32>, Shared) {
    Channel::new(limits, || 0).expect("limits that are possible")
}

fn joined(channel: &Shared, terms: Terms) -> Reader<u32> {
    channel.join(terms, Arc::new(Bell::new()), 0).expect("a free link")
}

fn publish(publisher: &mut Publisher<u32>, value: u32) -> Result<u32, Why> {
    let mut loan = publisher.loan().expect("a loan never fails");
    *loan = value;
    publisher.publish(loan).map_err(|refused| refused.why)
}

fn taken(reader: &mut Reader<u32>) -> Option<u32> {
    reader.take().expect("nothing held").map(|sample| *sample)
}

fn all(reader: &mut Reader<u32>) -> Vec<u32> {
    std::iter::from_fn(|| taken(reader)).collect()
}

/// NODE-10.
#[test]
fn a_sample_is_read_where_it_was_written() {
    let (mut publisher, channel) = Channel::new(Limits::for_links(2, 4), || [0_u8; 100]).unwrap();
    let mut readers = [(); 2].map(|()| channel.join(Terms::keep_last(4), Arc::new(Bell::new()), 0).unwrap());
    let mut loan = publisher.loan().unwrap();
    loan.fill(7);
    let written = loan.as_ptr();
    publisher.publish(loan).unwrap();
    for reader in &mut readers {
        let sample = reader.take().unwrap().unwrap();
        assert_eq!((sample.as_ptr(), sample[99]), (written, 7));
    }
}

#[test]
fn a_sample_that_its_reader_waits_for_is_like_any_other() {
    let (mut publisher, channel) = channel(Limits::for_links(1, 2));
    let mut reader = joined(&channel, Terms::keep_last(2));
    for value in 0..3 {
        publish(&mut publisher, value).unwrap();
    }
    let first = reader.take_here().unwrap().unwrap();
    assert_eq!((*first, first.sequence(), first.missed()), (1, 1, 1));
    drop(first);
    assert_eq!(channel.slots_used(), 1, "it is given back");
    let second = reader.take().unwrap().unwrap();
    assert_eq!((*second, second.missed()), (2, 0));
    drop(second);
    assert!(reader.take_here().unwrap().is_none());
}

/// NODE-12, NODE-14.
#[test]
fn a_full_queue_loses_its_oldest_and_the_next_sample_tells_how_many() {
    let (mut publisher, channel) = channel(Limits::for_links(1, 3));
    let mut reader = joined(&channel, Terms::keep_last(3));
    for value in 0..8 {
        publish(&mut publisher, value).unwrap();
    }
    let first = reader.take().unwrap().unwrap();
    assert_eq!((*first, first.sequence(), first.missed()), (5, 5, 5));
    drop(first);
    assert_eq!((reader.waiting(), reader.dropped()), (2, 5));
    let second = reader.take().unwrap().unwrap();
    assert_eq!((*second, second.missed()), (6, 0));
    drop(second);
    assert_eq!(all(&mut reader), [7]);
}

/// NODE-12: what is read stays as it is, however much is published meanwhile.
#[test]
fn a_sample_that_is_held_is_not_overwritten() {
    let (mut publisher, channel) = channel(Limits::for_links(1, 1));
    let mut reader = joined(&channel, Terms::keep_last(1));
    publish(&mut publisher, 1).unwrap();
    let held = reader.take().unwrap().unwrap();
    for value in 2..100 {
        publish(&mut publisher, value).unwrap();
    }
    assert_eq!(*held, 1);
    drop(held);
    assert_eq!(all(&mut reader), [99]);
    assert_eq!(channel.slots_used(), 0);
}

/// NODE-17.
#[test]
fn publishing_to_a_full_reliable_queue_is_refused_and_nobody_has_got_it() {
    let (mut publisher, channel) = channel(Limits::for_links(2, 4));
    let mut reliable = joined(&channel, Terms::reliable(2));
    let mut other = joined(&channel, Terms::keep_last(4));
    publish(&mut publisher, 1).unwrap();
    publish(&mut publisher, 2).unwrap();
    let mut loan = publisher.loan().unwrap();
    *loan = 3;
    let refused = publisher.publish(loan).unwrap_err();
    assert_eq!((refused.why, *refused.loan), (Why::Full, 3));
    assert_eq!(all(&mut other), [1, 2]);

    assert_eq!(taken(&mut reliable), Some(1));
    assert_eq!(publisher.publish(refused.loan).unwrap(), 2);
    assert_eq!((all(&mut reliable), all(&mut other)), (vec![2, 3], vec![3]));
    assert_eq!((reliable.dropped(), other.dropped()), (0, 0));
}

/// NODE-11: with everybody full and holding as much as they may.
#[test]
fn a_loan_succeeds_while_every_queue_is_full_and_every_reader_holds_all_it_may() {
    let limits = Limits { loans: 2, links: 3, depth: 5, held: 2, latch: true, slots: 0 }.with_all_slots();
    let (mut publisher, channel) = channel(limits);
    let mut readers: Vec<_> = [1, 3, 5].map(|depth| joined(&channel, Terms::keep_last(depth))).into();
    let mut held = Vec::new();
    let mut next = 0..;
    for _ in 0..limits.held {
        publish(&mut publisher, next.next().unwrap()).unwrap();
        held.extend(readers.iter_mut().map(|reader| reader.take().unwrap().unwrap()));
    }
    for reader in &mut readers {
        assert_eq!(reader.take().unwrap_err().held, 2);
    }
    for _ in 0..20 {
        publish(&mut publisher, next.next().unwrap()).unwrap();
    }
    let both = [publisher.loan().unwrap(), publisher.loan().unwrap()];
    assert_eq!(publisher.loan().unwrap_err(), LoanError { loans: 2 });
    assert_eq!(held.iter().map(|sample| **sample).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
    drop((held, both, readers));
    assert_eq!(channel.slots_used(), 1, "the latched one");
}

/// NODE-16.
#[test]
fn a_sleeper_is_woken_once_however_much_is_published() {
    #[derive(Default)]
    struct Counting {
        bell: Bell,
        woken: AtomicU32,
    }
    impl Doorbell for Counting {
        fn ring(&self, source: u32) {
            if self.bell.ring_at(source) {
                self.woken.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    let (mut publisher, channel) = channel(Limits::for_links(2, 2));
    let counting = Arc::new(Counting::default());
    let _readers = [3, 30].map(|source| channel.join(Terms::keep_last(2), counting.clone(), source).unwrap());
    let woken = || counting.woken.load(Ordering::Relaxed);
    publish(&mut publisher, 1).unwrap();
    assert_eq!((woken(), counting.bell.rest()), (0, false), "busy: not woken, and may not sleep");
    assert_eq!(counting.bell.answer(), 1 << 3 | 1 << 30);
    assert!(counting.bell.rest() && counting.bell.is_resting());
    for value in 0..5 {
        publish(&mut publisher, value).unwrap();
    }
    assert_eq!(woken(), 1);
    assert_eq!(counting.bell.answer(), 1 << 3 | 1 << 30);
}

/// NODE-18.
#[test]
fn who_left_keeps_what_it_holds_and_nothing_else() {
    let (mut publisher, channel) = channel(Limits::for_links(1, 4));
    let mut reader = joined(&channel, Terms::keep_last(4));
    for value in 0..4 {
        publish(&mut publisher, value).unwrap();
    }
    let held = reader.take().unwrap().unwrap();
    drop(reader);
    assert_eq!((channel.slots_used(), channel.links_open()), (1, 0));
    let full = channel.join(Terms::keep_last(1), Arc::new(Bell::new()), 0).map(drop).unwrap_err();
    assert_eq!(full, JoinError::Links(1), "the link is its own until the last sample is back");
    assert_eq!(*held, 0);
    drop(held);
    let mut again = joined(&channel, Terms::keep_last(2));
    assert_eq!(all(&mut again), [0; 0]);
    publish(&mut publisher, 9).unwrap();
    assert_eq!(all(&mut again), [9]);
}

/// NODE-18.
#[test]
fn what_a_dead_subscription_held_comes_back() {
    let (mut publisher, channel) =
        channel(Limits { latch: true, ..Limits::for_links(1, 4) }.with_all_slots());
    publish(&mut publisher, 0).unwrap();
    let reader = joined(&channel, Terms::keep_last(4));
    let id = reader.id();
    let dead = std::mem::ManuallyDrop::new(reader);
    publish(&mut publisher, 1).unwrap();
    publish(&mut publisher, 2).unwrap();
    assert_eq!(channel.slots_used(), 3);
    // SAFETY: neither the reader nor a sample of it is touched again.
    unsafe { channel.abandon(id) };
    assert_eq!((channel.slots_used(), channel.links_open()), (1, 0), "the latched one");
    assert_eq!(dead.id(), id);
    assert_eq!(all(&mut joined(&channel, Terms::keep_last(1))), [2]);
}

/// NODE-19.
#[test]
fn who_joins_late_gets_the_last_sample_first_and_once() {
    let (mut publisher, channel) =
        channel(Limits { latch: true, ..Limits::for_links(2, 4) }.with_all_slots());
    assert_eq!(all(&mut joined(&channel, Terms::keep_last(1))), [0; 0]);
    publish(&mut publisher, 1).unwrap();
    publish(&mut publisher, 2).unwrap();
    let bell = Arc::new(Bell::new());
    let mut late = channel.join(Terms::keep_last(4), bell.clone(), 5).unwrap();
    assert_eq!((bell.answer(), late.waiting()), (1 << 5, 1), "it is told");
    publish(&mut publisher, 3).unwrap();
    let first = late.take().unwrap().unwrap();
    assert_eq!((*first, first.sequence(), first.missed()), (2, 1, 0));
    drop(first);
    assert_eq!(all(&mut late), [3]);
    drop(publisher);
    assert_eq!(channel.slots_used(), 0);
}

#[test]
fn a_loan_that_is_dropped_goes_back_and_one_of_another_channel_is_refused() {
    let (mut publisher, channel) = self::channel(Limits::for_links(1, 1));
    let (mut other, _) = self::channel(Limits::for_links(1, 1));
    let mut reader = joined(&channel, Terms::keep_last(1));
    drop(publisher.loan().unwrap());
    assert_eq!(channel.slots_used(), 0);
    let refused = publisher.publish(other.loan().unwrap()).unwrap_err();
    assert_eq!((refused.why, taken(&mut reader)), (Why::Foreign, None));
}

/// NODE-20.
#[test]
fn what_is_not_possible_is_refused_by_name() {
    let limits = Limits::for_links(1, 4);
    let name = |limits| Channel::new(limits, || 0_u8).map(drop).unwrap_err().name;
    assert_eq!(name(Limits { loans: 0, ..limits }), "loans");
    assert_eq!(name(Limits { held: 0, ..limits }), "held");
    assert_eq!(name(Limits { depth: 1025, ..limits }), "depth");
    assert_eq!(name(Limits { slots: 16_384, ..limits }), "slots");
    assert_eq!(name(Limits { slots: 0, ..limits }), "slots");

    let (_, channel) = channel(Limits { links: 2, slots: 8, ..limits });
    let join = |terms, source| {
        channel.join(terms, Arc::new(Bell::new()), source).map(drop).map_err(|error| error.to_string())
    };
    assert!(join(Terms::keep_last(5), 0).unwrap_err().contains("depth of a channel is 5; it must be 1 to 4"));
    assert!(join(Terms::keep_last(0), 0).unwrap_err().contains("depth"));
    assert!(join(Terms::keep_last(1), 31).unwrap_err().contains("source"));
    let first = joined(&channel, Terms::keep_last(4));
    assert!(join(Terms::keep_last(2), 0).unwrap_err().contains("needs 11 slots and has 8"));
    drop(first);
    assert_eq!(join(Terms::keep_last(4), 0), Ok(()));
}

/// NODE-21: taken and dropped, overrun, latched and followed, lent and not published, left in a queue.
#[test]
fn what_a_sample_owns_ends_with_its_last_reference() {
    let limits = Limits { latch: true, ..Limits::for_links(2, 1) }.with_all_slots();
    let (mut publisher, channel) = Channel::with_clearing(limits, || None, |slot| *slot = None).unwrap();
    let mut reader = channel.join(Terms::keep_last(1), Arc::new(Bell::new()), 0).unwrap();
    let mut publish = |is_lent_only: bool| {
        let owned = Arc::new(());
        let mut loan = publisher.loan().unwrap();
        assert!(loan.is_none(), "a loan is empty");
        *loan = Some(owned.clone());
        if !is_lent_only {
            publisher.publish(loan).unwrap();
        }
        owned
    };
    let alive = Arc::strong_count;
    let first = publish(false);
    let held = reader.take().unwrap().unwrap();
    let second = publish(false);
    assert_eq!((alive(&first), alive(&second)), (2, 2), "held; waiting and latched");
    drop(held);
    let lent = publish(true);
    assert_eq!((alive(&first), alive(&second), alive(&lent)), (1, 2, 1));
    let third = publish(false);
    assert_eq!((alive(&second), alive(&third)), (1, 2), "overrun");
    drop(reader);
    assert_eq!(alive(&third), 2, "latched");
    drop(publisher);
    assert_eq!(alive(&third), 1);
}

/// What one link does, written down without a ring.
struct Model {
    queue: VecDeque<(u32, u32)>,
    depth: usize,
    dropped: u32,
}

impl Model {
    fn put(&mut self, sequence: u32, value: u32) {
        self.queue.push_back((sequence, value));
        if self.queue.len() > self.depth {
            self.queue.pop_front();
            self.dropped += 1;
        }
    }
}

proptest! {
    /// NODE-14, NODE-15, also where numbers wrap and the depth does not divide 2³².
    #[test]
    fn a_link_is_a_queue_that_drops_its_oldest(
        before_the_wrap in 0_u32..200,
        depth in 1_u32..8,
        steps in prop::collection::vec(0_u8..5, 0..400),
    ) {
        let first = 0_u32.wrapping_sub(before_the_wrap);
        let (mut publisher, channel) = Channel::from_number(first, Limits::for_links(1, 8), || 0, None).unwrap();
        let mut reader = joined(&channel, Terms::keep_last(depth));
        let mut model = Model { queue: VecDeque::new(), depth: depth as usize, dropped: 0 };
        for (value, step) in steps.into_iter().enumerate() {
            if step < 3 {
                let sequence = publish(&mut publisher, value as u32).unwrap();
                model.put(sequence, value as u32);
            } else {
                let sample = reader.take().unwrap().map(|sample| (sample.sequence(), *sample));
                prop_assert_eq!(sample, model.queue.pop_front());
            }
            prop_assert_eq!((reader.waiting() as usize, reader.dropped()), (model.queue.len(), model.dropped));
            prop_assert_eq!(channel.slots_used() as usize, model.queue.len());
        }
    }
}
