//! One publisher and its subscribers, step by step (NODE-70 to NODE-76).

use std::process::Command;

use tokkyu_process::{Borrowed, Borrower, Lender, Lent, Limits, MAX_BYTES, ProcessError};

mod peer;
use peer::{Group, Peer};

const SMALL: Limits =
    Limits { subscribers: 2, depth: 3, held: 2, own: 3, latch: false, slot_bytes: 64, most_bytes: 1 << 20 };

/// Sends messages of 8 bytes, all of them the low byte of the number.
fn send(lender: &Lender, numbers: std::ops::Range<u32>) {
    for number in numbers {
        drop(sent(lender, number));
    }
}

fn sent(lender: &Lender, number: u32) -> Lent {
    let mut loan = lender.loan(8).unwrap();
    loan.fill(number as u8);
    loan.send(number).unwrap()
}

fn taken(borrower: &mut Borrower) -> Option<u32> {
    let borrowed = borrower.take().unwrap()?;
    assert!(borrowed.iter().all(|byte| *byte == borrowed.sequence() as u8), "{borrowed:?}");
    assert_eq!(borrowed.len(), 8);
    Some(borrowed.sequence())
}

fn all_taken(borrower: &mut Borrower) -> Vec<u32> {
    std::iter::from_fn(|| taken(borrower)).collect()
}

/// The file behind an address, and where in it.
fn behind(at: *const u8) -> (String, usize) {
    let at = at as usize;
    for line in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (first, end) = words[0].split_once('-').unwrap();
        let [first, end, offset] =
            [first, end, words[2]].map(|word| usize::from_str_radix(word, 16).unwrap());
        if (first..end).contains(&at) {
            return (words[5].into(), offset + at - first);
        }
    }
    panic!("{at:x} is not mapped");
}

/// NODE-72: the newest ones, oldest first, each once; what is lost is missing in the sequence.
#[test]
fn a_full_queue_loses_its_oldest_samples_and_that_shows() {
    let lender = Lender::new(SMALL).unwrap();
    let mut deep = Borrower::open(lender.name(), 3).unwrap();
    let mut shallow = Borrower::open(lender.name(), 1).unwrap();
    assert_eq!(all_taken(&mut deep), [0; 0]);
    send(&lender, 0..2);
    assert_eq!((all_taken(&mut deep), all_taken(&mut shallow)), (vec![0, 1], vec![1]));
    send(&lender, 2..10);
    assert_eq!((all_taken(&mut deep), all_taken(&mut shallow)), (vec![7, 8, 9], vec![9]));
    let mut late = {
        drop(deep);
        Borrower::open(lender.name(), 2).unwrap()
    };
    send(&lender, u32::MAX..u32::MAX);
    assert_eq!(all_taken(&mut late), [0; 0], "what was sent before it joined");
    drop(sent(&lender, u32::MAX));
    assert_eq!(all_taken(&mut late), [u32::MAX]);
}

/// NODE-70, NODE-76: filled, lent and borrowed are the same bytes of the same file.
#[test]
fn nobody_has_a_copy() {
    let lender = Lender::new(SMALL).unwrap();
    let mut borrower = Borrower::open(lender.name(), 3).unwrap();
    let mut loan = lender.loan(3000).unwrap();
    loan.fill(9);
    let filled = behind(loan.as_ptr());
    let lent = loan.send(0).unwrap();
    let borrowed = borrower.take().unwrap().unwrap();
    assert!(filled.0.contains("/dev/shm/tokkyu_"), "{filled:?}");
    assert_eq!([behind(lent.as_ptr()), behind(borrowed.as_ptr())], [filled.clone(), filled]);
    assert_eq!((lent.len(), lent.sequence(), lent.clone().sequence()), (3000, 0, 0));
    assert!(lent.iter().chain(borrowed.iter()).all(|byte| *byte == 9));
}

/// NODE-73: with all slots in use there is one for each loan that is allowed, and the slots are those of the beginning.
#[test]
fn a_loan_never_fails_within_the_limits() {
    let lender = Lender::new(SMALL).unwrap();
    let slots = behind(lender.loan(8).unwrap().as_ptr()).0;
    let mut borrowers = [(); 2].map(|()| Borrower::open(lender.name(), 3).unwrap());
    let (mut held, mut lent) = (Vec::new(), Vec::new());
    let mut number = 0;
    for borrower in &mut borrowers {
        for _ in 0..SMALL.held {
            drop(sent(&lender, number));
            held.push(borrower.take().unwrap().unwrap());
            number += 1;
        }
        send(&lender, number..number + 10);
        number += 10;
    }
    for _ in 1..SMALL.own {
        lent.push(sent(&lender, number));
        send(&lender, number + 1..number + 10);
        number += 10;
    }
    let last = lender.loan(8).expect("one more");
    assert_eq!(behind(last.as_ptr()).0, slots);
    assert!(matches!(lender.loan(8), Err(ProcessError::Own(3))), "that was the last");
    for borrower in &mut borrowers {
        assert!(matches!(borrower.take(), Err(ProcessError::Held(2))));
    }
    let numbers: Vec<u32> = held.iter().map(Borrowed::sequence).collect();
    assert_eq!(numbers, [0, 1, 10, 11], "four that no queue has any more");
    assert!(held.iter().all(|sample| sample.iter().all(|byte| *byte == sample.sequence() as u8)));
    drop((last, held));
    assert_eq!(all_taken(&mut borrowers[0]).len(), 3, "held ones that are given back make room");
}

/// NODE-73: longer messages make longer slots; what is held of the old ones stays.
#[test]
fn a_longer_message_makes_new_slots() {
    let lender = Lender::new(SMALL).unwrap();
    let mut borrower = Borrower::open(lender.name(), 3).unwrap();
    let old = sent(&lender, 7);
    let waiting = sent(&lender, 8);
    let mut files = vec![behind(old.as_ptr()).0];
    for len in [65, 100, 129, 60_000, SMALL.most_bytes] {
        let mut loan = lender.loan(len).unwrap();
        loan.fill(len as u8);
        files.push(behind(loan.as_ptr()).0);
        let lent = loan.send(len as u32).unwrap();
        assert!(lent.len() == len && lent.iter().all(|byte| *byte == len as u8));
    }
    files.dedup();
    assert_eq!(files.len(), 5, "65 and 100 bytes lie in the same slots: {files:?}");
    assert!(old.iter().all(|byte| *byte == 7) && waiting.iter().all(|byte| *byte == 8));
    for len in [129, 60_000, SMALL.most_bytes] {
        let borrowed = borrower.take().unwrap().unwrap();
        assert!(borrowed.len() == len && borrowed.iter().all(|byte| *byte == len as u8));
    }
    match lender.loan(SMALL.most_bytes + 1) {
        Err(ProcessError::Limit { most, .. }) => assert_eq!(most, SMALL.most_bytes),
        other => panic!("{:?}", other.map(|loan| loan.len())),
    }
    assert_eq!(lender.loan(0).unwrap().send(9).unwrap().len(), 0);
}

/// NODE-71, NODE-73: what is not there or not allowed is refused by name.
#[test]
fn a_subscriber_is_refused_with_the_reason() {
    let lender = Lender::new(SMALL).unwrap();
    let other = Lender::new(SMALL).unwrap();
    assert_ne!(lender.name(), other.name());
    for name in ["", "tokkyu", "../../etc/passwd", "a\0b", &"x".repeat(300), &lender.name()[1..]] {
        assert!(matches!(Borrower::open(name, 1), Err(ProcessError::Gone(_))), "{name:?}");
    }
    for depth in [0, 4, u32::MAX] {
        assert!(matches!(Borrower::open(lender.name(), depth), Err(ProcessError::Limit { most: 3, .. })));
    }
    assert_eq!(lender.subscribers(), 0);
    let first = Borrower::open(lender.name(), 1).unwrap();
    let _second = Borrower::open(lender.name(), 3).unwrap();
    assert_eq!(lender.subscribers(), 2);
    assert!(matches!(Borrower::open(lender.name(), 1), Err(ProcessError::Subscribers(_))));
    drop(first);
    assert_eq!(lender.subscribers(), 1);
    let again = Borrower::open(lender.name(), 1).unwrap();
    let name = lender.name().to_owned();
    assert!(again.is_connected());
    drop(lender);
    assert!(!again.is_connected());
    assert!(matches!(Borrower::open(&name, 1), Err(ProcessError::Gone(_))), "its publisher has ended");
}

/// NODE-75, NODE-76: nothing is written into what somebody holds, and it is there when all else has ended.
#[test]
fn what_is_held_stays_after_the_end_of_both_ends() {
    let lender = Lender::new(SMALL).unwrap();
    let mut borrower = Borrower::open(lender.name(), 3).unwrap();
    let lent = sent(&lender, 1);
    let borrowed = borrower.take().unwrap().unwrap();
    drop(borrower);
    send(&lender, 2..50);
    let (mut other, loan) = (Borrower::open(lender.name(), 3).unwrap(), lender.loan(8).unwrap());
    send(&lender, 50..52);
    assert_eq!(taken(&mut other), Some(50));
    drop(lender);
    drop(loan);
    assert_eq!(all_taken(&mut other), [51], "what waited when the publisher ended");
    for bytes in [&*lent, &*borrowed] {
        assert_eq!(bytes, [1; 8]);
    }
}

/// A loan that is not sent is free again, and nobody gets it.
#[test]
fn a_dropped_loan_was_never_sent() {
    let lender = Lender::new(SMALL).unwrap();
    let mut borrower = Borrower::open(lender.name(), 3).unwrap();
    for _ in 0..100 {
        lender.loan(64).unwrap().fill(1);
    }
    send(&lender, 5..6);
    assert_eq!(all_taken(&mut borrower), [5]);
}

/// NODE-73: memory is taken for what is used, not for what may be.
#[test]
fn slots_that_are_not_used_take_no_memory() {
    use std::os::unix::fs::MetadataExt;
    let limits = Limits::for_messages(3 << 20);
    let lender = Lender::new(limits).unwrap();
    let mut loan = lender.loan(3 << 20).unwrap();
    loan.fill(1);
    let file = std::fs::metadata(behind(loan.as_ptr()).0).unwrap();
    let (slots, page) = (limits.slots() as usize, 4096);
    assert!(file.len() as usize >= slots * (3 << 20));
    let taken = file.blocks() as usize * 512;
    let allowed = (3 << 20) + (2 * slots + 16) * page;
    assert!(((3 << 20)..allowed).contains(&taken), "{taken} bytes, {allowed} allowed");
}

/// NODE-74: a full /dev/shm is an error, not the end of the program by SIGBUS.
#[test]
fn without_memory_a_loan_is_refused() {
    const NAME: &str = "without_memory_a_loan_is_refused";
    if let Some((_, mut talk)) = peer::part() {
        return run_out_of_memory(&mut talk);
    }
    let mut alone = Command::new("unshare");
    alone.args(["-rm", "sh", "-c", "mount -t tmpfs -o size=4m none /dev/shm && exec \"$0\" \"$@\""]);
    let allowed = Command::new("unshare").args(["-rm", "true"]).status();
    if !allowed.is_ok_and(|status| status.success()) {
        return println!("skipped: no namespaces of its own for this user (unshare -rm)");
    }
    alone.arg(std::env::current_exe().unwrap());
    let mut peer = Peer::start_by(alone, NAME, "alone", "alone");
    peer.talk.expect("3 loans of 1 MiB");
    peer.talk.expect("a loan again");
    peer.talk.expect("no topic for more than there is");
    peer.talk.expect("no longer slots");
    peer.end();
}

fn run_out_of_memory(talk: &mut peer::Talk) {
    let limits = Limits { most_bytes: MAX_BYTES, ..Limits::for_messages(1 << 20) };
    let lender = Lender::new(limits).unwrap();
    let mut loans = Vec::new();
    let refused = loop {
        match lender.loan(1 << 20) {
            Ok(mut loan) => {
                loan.fill(1);
                loans.push(loan);
            }
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, ProcessError::Room { bytes: 1_048_576 }), "{refused}");
    talk.say(format_args!("{} loans of 1 MiB", loans.len()));
    loans.clear();
    lender.loan(1 << 20).expect("its slot has memory").fill(2);
    talk.say("a loan again");
    let many = Limits { own: 10_000, ..limits };
    assert!(matches!(Lender::new(many), Err(ProcessError::Room { .. })));
    talk.say("no topic for more than there is");
    for _ in 0..3 {
        assert!(matches!(lender.loan(8 << 20), Err(ProcessError::Room { .. })));
    }
    lender.loan(1 << 20).expect("what was there stays").send(0).unwrap();
    talk.say("no longer slots");
}

/// NODE-79: what ends in order leaves nothing.
#[test]
fn nothing_is_left_of_topics_that_ended() {
    const NAME: &str = "nothing_is_left_of_topics_that_ended";
    if let Some((_, mut talk)) = peer::part() {
        let lender = Lender::new(SMALL).unwrap();
        let mut borrower = Borrower::open(lender.name(), 2).unwrap();
        drop(lender.loan(5000).unwrap().send(0).unwrap());
        let borrowed = borrower.take().unwrap();
        talk.say("there");
        talk.expect("end");
        drop((lender, borrower, borrowed));
        return talk.say("gone");
    }
    let group = Group::new();
    let mut peer = Peer::start(NAME, "both ends", &group.0);
    peer.talk.expect("there");
    assert!(group.files().len() > 3);
    peer.talk.say("end");
    peer.talk.expect("gone");
    assert_eq!(group.files(), [""; 0]);
    assert!(
        !std::path::Path::new(&format!("/dev/shm/tokkyu-{}", group.0)).exists(),
        "its folder is still there"
    );
    peer.end();
}

/// Both ends and all samples may be used from any thread.
#[test]
fn ends_and_samples_go_to_other_threads() {
    fn is_free<T: Send + Sync>(value: T) -> T {
        value
    }
    let lender = is_free(Lender::new(SMALL).unwrap());
    let mut borrower = is_free(Borrower::open(lender.name(), 3).unwrap());
    let lent = is_free(sent(&lender, 3));
    let borrowed = is_free(borrower.take().unwrap().unwrap());
    let sums = std::thread::spawn(move || (lent.iter().sum::<u8>(), borrowed.iter().sum::<u8>()));
    assert_eq!(sums.join().unwrap(), (24, 24));
}

/// NODE-84: who comes gets what was sent last, first and once, and it takes no slot from anybody.
#[test]
fn the_last_sample_is_there_for_who_comes() {
    let _group = Group::new();
    let limits = Limits { latch: true, ..SMALL };
    let lender = Lender::new(limits).unwrap();
    for round in 0..20 {
        let mut loan = lender.loan(1).unwrap();
        loan.fill(round as u8);
        let lent = loan.send(round).unwrap();
        let mut borrower = Borrower::open(lender.name(), 2).unwrap();
        assert!(borrower.take().unwrap().is_none() && !borrower.has_waiting());
        lender.greet().unwrap();
        assert!(borrower.has_waiting());
        let sample = borrower.take().unwrap().expect("the last");
        assert_eq!((sample.sequence(), &sample[..]), (round, &[round as u8][..]));
        lender.greet().unwrap();
        assert!(borrower.take().unwrap().is_none(), "once");
        drop(lent);
        let all: Vec<_> = (0..limits.own).map(|_| lender.loan(1).expect("a loan never fails")).collect();
        assert_eq!(all.len() as u32, limits.own);
    }
}
