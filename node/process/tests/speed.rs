//! A publisher at full speed, subscribers of different speed in other processes: nothing torn, every loss seen (NODE-72, NODE-73, NODE-75, NODE-77).

use std::hint::spin_loop;

use tokkyu_process::{Borrowed, Borrower, Lender, Lent, Limits, RemoteBell, SharedBell};
use tokkyu_topic::Doorbell;

mod peer;
use peer::{Group, Peer, Talk, part};

const NAME: &str = "nothing_is_torn_and_every_loss_is_seen_at_full_speed";
const SAMPLES: u32 = if cfg!(debug_assertions) { 30_000 } else { 200_000 };
const LIMITS: Limits =
    Limits { subscribers: 4, depth: 8, held: 3, own: 4, latch: false, slot_bytes: 4096, most_bytes: 4096 };
const SAMPLE: u32 = 1 << 5;
const END: u32 = 1 << 6;

/// Lengths from 1 to 4096, so that a head and a tail of different messages would show.
fn len(number: u32) -> usize {
    1 + (number as usize * 97) % 4096
}

fn is_whole(bytes: &[u8], number: u32) -> bool {
    bytes.len() == len(number) && bytes.iter().all(|byte| *byte == number as u8)
}

#[derive(Default)]
struct Found {
    got: u32,
    missed: u32,
    torn: u32,
    backward: u32,
    next: u32,
}

impl Found {
    fn count(&mut self, sample: &Borrowed, pause: u32) {
        let (number, first) = (sample.sequence(), sample[0]);
        (0..pause).for_each(|_| spin_loop());
        self.torn += u32::from(!is_whole(sample, number) || first != number as u8);
        self.backward += u32::from(number < self.next);
        self.missed += number.saturating_sub(self.next);
        self.got += 1;
        self.next = number + 1;
    }
}

/// Takes until it is told that all was sent and nothing waits; between them it sleeps.
fn read(talk: &mut Talk, depth: u32, pause: u32) {
    let mut borrower = Borrower::open(&talk.hear().unwrap(), depth).unwrap();
    let bell = SharedBell::create().unwrap();
    talk.say(bell.name());
    let mut found = Found::default();
    let mut rang = 0;
    while rang & END == 0 {
        bell.sleep(None);
        rang = bell.answer();
        let mut before = None;
        while let Some(sample) = borrower.take().unwrap() {
            found.count(&sample, pause);
            // One is held while the next is taken.
            before = Some(sample);
        }
        drop(before);
    }
    let Found { got, missed, torn, backward, .. } = found;
    for number in [got, missed, torn, backward, bell.overslept()] {
        talk.say(number);
    }
}

/// Joins and leaves, with a sample in its hand now and then.
fn come_and_go(talk: &mut Talk) {
    let name = talk.hear().unwrap();
    let bell = SharedBell::create().unwrap();
    talk.say(bell.name());
    let (mut found, mut joined) = (Found::default(), 0);
    while bell.answer() & END == 0 {
        let mut borrower = Borrower::open(&name, 1 + joined % 8).unwrap();
        found.next = 0;
        for _ in 0..joined % 7 {
            let Some(sample) = borrower.take().unwrap() else { continue };
            found.count(&sample, 0);
            if joined % 3 == 0 {
                drop(borrower);
                found.torn += u32::from(!is_whole(&sample, sample.sequence()));
                break;
            }
        }
        joined += 1;
    }
    for number in [joined, found.torn, found.backward] {
        talk.say(number);
    }
}

/// Keeps the newest few lent samples and looks at the oldest of them.
#[derive(Default)]
struct OwnReader {
    kept: std::collections::VecDeque<Lent>,
    torn: u32,
}

impl OwnReader {
    fn keep(&mut self, lent: Lent) {
        self.kept.push_back(lent);
        if self.kept.len() as u32 == LIMITS.own {
            let oldest = self.kept.pop_front().unwrap();
            self.torn += u32::from(!is_whole(&oldest, oldest.sequence()));
        }
    }
}

#[test]
fn nothing_is_torn_and_every_loss_is_seen_at_full_speed() {
    if let Some((part, mut talk)) = part() {
        return match part.as_str() {
            "fast" => read(&mut talk, 8, 0),
            "slow" => read(&mut talk, 2, 20_000),
            _ => come_and_go(&mut talk),
        };
    }
    let group = Group::new();
    let [mut fast, mut slow, mut fickle] =
        ["fast", "slow", "fickle"].map(|part| Peer::start(NAME, part, &group.0));
    let mut sender = Peer::start("all_samples_are_sent", "sender", &group.0);
    let topic = sender.talk.hear().unwrap();
    for peer in [&mut fast, &mut slow, &mut fickle] {
        peer.talk.say(&topic);
        let bell = peer.talk.hear().unwrap();
        sender.talk.say(bell);
    }
    for peer in [&mut fast, &mut slow] {
        let [got, missed, torn, backward, overslept] = [(); 5].map(|()| peer.talk.number());
        assert_eq!((torn, backward, overslept), (0, 0, 0));
        assert_eq!(got + missed, u64::from(SAMPLES), "{got} got, {missed} missed");
        assert!(got > 0);
    }
    let [joined, torn, backward] = [(); 3].map(|()| fickle.talk.number());
    assert_eq!((torn, backward), (0, 0));
    assert!(joined > 0);
    sender.talk.expect("0 torn");
    for peer in [fast, slow, fickle, sender] {
        peer.end();
    }
    assert_eq!(group.files(), [""; 0]);
}

/// By itself: all samples without a subscriber. As a part of the test above: with its three.
#[test]
fn all_samples_are_sent() {
    let talk = part().map(|(_, talk)| talk);
    let lender = Lender::new(LIMITS).unwrap();
    let mut own = OwnReader::default();
    let Some(mut talk) = talk else {
        (0..SAMPLES).for_each(|number| own.keep(sent(&lender, number)));
        return assert_eq!(own.torn, 0);
    };
    talk.say(lender.name());
    let bells = [(); 3].map(|()| RemoteBell::open(&talk.hear().unwrap()).unwrap());
    for number in 0..SAMPLES {
        own.keep(sent(&lender, number));
        bells.iter().for_each(|bell| bell.ring(SAMPLE.trailing_zeros()));
    }
    bells.iter().for_each(|bell| bell.ring(END.trailing_zeros()));
    talk.say(format_args!("{} torn", own.torn));
    assert_eq!(talk.hear(), None, "the topic stays until the others have read");
}

fn sent(lender: &Lender, number: u32) -> Lent {
    let mut loan = lender.loan(len(number)).expect("a loan never fails");
    loan.fill(number as u8);
    loan.send(number).unwrap()
}
