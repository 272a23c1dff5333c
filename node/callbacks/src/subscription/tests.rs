//! Publishers that come and go while nobody spins (NODE-101).

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use std::sync::Weak as WeakArc;

use tokkyu_graph::channel;
use tokkyu_topic::{Channel, Limits, Publisher};

use super::*;

const DEPTH: u32 = 4;

/// Whose link, and the message.
type Heard = (u32, Vec<u8>);

struct Reading {
    shared: Arc<Shared>,
    work: Delivering,
    heard: Arc<Mutex<Vec<Heard>>>,
}

fn reading() -> Reading {
    let queue = Queue::new();
    let shared = Arc::new(Shared {
        terms: Terms::keep_last(DEPTH),
        source: queue.source(),
        queue: queue.clone(),
        changes: Mutex::default(),
        has_changes: AtomicBool::new(false),
        dropped: Mutex::default(),
        linked: Mutex::default(),
    });
    let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
    let own = heard.clone();
    let callback = move |delivery: &mut Delivery<'_>| {
        let link = delivery.origin().link;
        own.lock().push((link, delivery.wire().to_vec()));
    };
    let work = Delivering {
        shared: shared.clone(),
        log: Arc::new(Log::new("/test", Arc::default())),
        links: Vec::new(),
        turn: 0,
        scratch: Vec::new(),
        callback: Box::new(callback),
    };
    Reading { shared, work, heard }
}

impl Reading {
    /// A publisher more, by that number.
    fn link(&self, link: u32) -> (Publisher<Payload>, WeakArc<Channel<Payload>>) {
        let limits = Limits { loans: 1, links: 1, depth: DEPTH, held: 2, latch: false, slots: 16 };
        let (publisher, channel) = channel(limits, 0).expect("possible limits");
        let reader = channel.join(self.shared.terms, self.shared.queue.clone(), 0).expect("there is room");
        self.shared.on_publisher(Arc::new(Origin { link, ..Origin::default() }), reader);
        (publisher, Arc::downgrade(&channel))
    }

    /// It comes, sends so many, and goes.
    fn visit(&self, link: u32, samples: u8) -> WeakArc<Channel<Payload>> {
        let (mut publisher, channel) = self.link(link);
        (0..samples).for_each(|number| publish(&mut publisher, number));
        self.shared.on_gone(link);
        channel
    }

    /// What is heard from now on.
    fn spin(&mut self) -> Vec<Heard> {
        while self.work.step() != Step::Idle {}
        core::mem::take(&mut *self.heard.lock())
    }
}

fn publish(publisher: &mut Publisher<Payload>, number: u8) {
    let mut loan = publisher.loan().expect("a loan never fails");
    loan.bytes_mut(1).expect("memory")[0] = number;
    publisher.publish(loan).expect("nothing is reliable");
}

fn alive(channels: &[WeakArc<Channel<Payload>>]) -> usize {
    channels.iter().filter(|channel| channel.strong_count() > 0).count()
}

#[test]
fn publishers_that_left_nothing_leave_nothing() {
    let mut reading = reading();
    let channels: Vec<_> = (0..1000).map(|link| reading.visit(link, 0)).collect();
    let changes = reading.shared.changes();
    assert_eq!((changes.links.len(), changes.gone.len(), alive(&channels)), (0, 0, 0));
    drop(changes);
    assert_eq!(reading.spin(), []);
    assert_eq!(*reading.shared.dropped.lock(), 0);
}

#[test]
fn of_a_thousand_that_went_the_newest_are_read() {
    let mut reading = reading();
    let (mut stays, _) = reading.link(5000);
    publish(&mut stays, 7);
    let channels: Vec<_> = (0..1000).map(|link| reading.visit(link, 2)).collect();
    assert_eq!((reading.shared.changes().links.len(), alive(&channels)), (GONE + 1, GONE));
    let mut heard = reading.spin();
    heard.sort_unstable();
    let newest = (1000 - GONE as u32..1000).flat_map(|link| [(link, vec![0]), (link, vec![1])]);
    assert_eq!(heard, newest.chain([(5000, vec![7])]).collect::<Vec<_>>());
    assert_eq!(*reading.shared.dropped.lock(), 2 * (1000 - GONE as u64));
    assert_eq!((reading.work.links.len(), alive(&channels)), (1, 0), "what was read is gone");
}

/// A callback that is slower than publishers come and go: what was looked at already counts too.
#[test]
fn links_that_were_seen_before_they_went_are_bounded_too() {
    let mut reading = reading();
    let mut channels = Vec::new();
    for round in 0..50 {
        let links = (round * 20)..(round * 20 + 20);
        let mut publishers: Vec<_> = links.clone().map(|link| reading.link(link)).collect();
        publishers.iter_mut().for_each(|(publisher, _)| (0..3).for_each(|number| publish(publisher, number)));
        // One callback only.
        assert_eq!(reading.work.step(), Step::More);
        links.for_each(|link| reading.shared.on_gone(link));
        channels.extend(publishers.into_iter().map(|(_, channel)| channel));
        assert!(alive(&channels) <= GONE + 20, "{} in round {round}", alive(&channels));
        let changes = reading.shared.changes();
        assert!(changes.links.len() + changes.gone.len() <= 20, "{} in round {round}", changes.gone.len());
    }
    let heard = reading.spin();
    assert!(heard.len() >= GONE * 2, "{} were left to hear", heard.len());
    let last = heard.iter().filter(|(link, _)| *link == 999).map(|(_, bytes)| bytes[0]);
    assert!(last.is_sorted(), "in their order");
    let dropped = *reading.shared.dropped.lock();
    assert_eq!(dropped + heard.len() as u64, 3000, "each is heard or counted");
}
