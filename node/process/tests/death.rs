//! Processes that are killed (NODE-79): the others go on, and what the dead had is taken back.

use tokkyu_process::{Borrowed, Borrower, Lender, Limits, ProcessError, SharedBell, reclaim};

mod peer;
use peer::{Group, Peer, Talk, part};

const LIMITS: Limits =
    Limits { subscribers: 2, depth: 3, held: 2, own: 2, latch: false, slot_bytes: 4096, most_bytes: 1 << 20 };
const ROUNDS: u32 = 60;

/// Sends messages of one page, all of them the low byte of the number; a loan never fails.
fn send(lender: &Lender, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let mut loan = lender.loan(4096).unwrap();
        loan.fill(number as u8);
        drop(loan.send(number).unwrap());
    }
}

fn is_whole(borrowed: &Borrowed) -> bool {
    borrowed.len() == 4096 && borrowed.iter().all(|byte| *byte == borrowed.sequence() as u8)
}

/// Does what it is told, a line at a time, until it is told nothing more.
fn serve(talk: &mut Talk) {
    let mut ends = Ends::default();
    while let Some(line) = talk.hear() {
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = ends.answer(word, rest);
        talk.say(answer);
    }
}

#[derive(Default)]
struct Ends {
    lender: Option<Lender>,
    borrower: Option<Borrower>,
    held: Vec<Borrowed>,
    sent: u32,
}

impl Ends {
    fn answer(&mut self, word: &str, rest: &str) -> String {
        match word {
            "lend" => {
                let lender = Lender::new(LIMITS).unwrap();
                self.lender.insert(lender).name().into()
            }
            "send" => {
                let count: u32 = rest.parse().unwrap();
                send(self.lender.as_ref().unwrap(), self.sent..self.sent + count);
                self.sent += count;
                self.sent.to_string()
            }
            "subscribers" => self.lender.as_ref().unwrap().subscribers().to_string(),
            "open" => match Borrower::open(rest, 3) {
                Ok(borrower) => {
                    self.borrower = Some(borrower);
                    "open".into()
                }
                Err(ProcessError::Gone(_)) => "gone".into(),
                Err(error) => error.to_string(),
            },
            "take" => match self.borrower.as_mut().unwrap().take().unwrap() {
                Some(borrowed) => {
                    let number = borrowed.sequence().to_string();
                    self.held.push(borrowed);
                    number
                }
                None => "none".into(),
            },
            "whole" => self.held.iter().all(is_whole).to_string(),
            "drop" => {
                self.held.clear();
                "dropped".into()
            }
            "close" => {
                *self = Ends::default();
                "closed".into()
            }
            "connected" => self.borrower.as_ref().unwrap().is_connected().to_string(),
            "reclaim" => reclaim().unwrap().to_string(),
            "ends" => self.lender.as_ref().unwrap().reclaim().unwrap().to_string(),
            _ => panic!("{word}?"),
        }
    }
}

/// Tells it something and hears the answer.
fn ask(peer: &mut Peer, what: &str) -> String {
    peer.talk.say(what);
    peer.talk.hear().unwrap_or_else(|| panic!("it died of {what:?}"))
}

/// A subscriber that holds all it may, with a full queue, is killed.
#[test]
fn a_subscriber_that_is_killed_holds_up_nobody() {
    const NAME: &str = "a_subscriber_that_is_killed_holds_up_nobody";
    if let Some((_, mut talk)) = part() {
        return serve(&mut talk);
    }
    let group = Group::new();
    let [mut lender, mut dying, mut other] = [(); 3].map(|()| Peer::start(NAME, "any", &group.0));
    let name = ask(&mut lender, "lend");
    let open = format!("open {name}");
    assert_eq!(ask(&mut other, &open), "open");
    ask(&mut lender, "send 1");
    assert_eq!(ask(&mut other, "take"), "0");
    let before = group.files().len();
    assert_eq!(ask(&mut dying, &open), "open");
    ask(&mut lender, "send 2");
    assert_eq!((ask(&mut dying, "take"), ask(&mut dying, "take")), ("1".into(), "2".into()));
    ask(&mut lender, "send 20");
    dying.kill();
    assert_eq!(ask(&mut lender, "send 1000"), "1023");
    assert_eq!((ask(&mut other, "take"), ask(&mut other, "whole")), ("1020".into(), "true".into()));
    assert_eq!(ask(&mut lender, "subscribers"), "2");
    assert_eq!((ask(&mut lender, "ends"), ask(&mut lender, "ends")), ("1".into(), "0".into()));
    assert_eq!((ask(&mut lender, "subscribers"), ask(&mut other, "reclaim")), ("1".into(), "0".into()));
    ask(&mut lender, "send 1");
    assert_eq!(group.files().len(), before, "{:?}", group.files());
    let mut next = Peer::start(NAME, "any", &group.0);
    assert_eq!(ask(&mut next, &open), "open");
    ask(&mut lender, "send 1");
    assert_eq!((ask(&mut next, "take"), ask(&mut next, "whole")), ("1024".into(), "true".into()));
}

/// A publisher is killed with a loan half filled; subscribers keep what they hold and get what waits.
#[test]
fn a_publisher_that_is_killed_takes_nothing_with_it() {
    const NAME: &str = "a_publisher_that_is_killed_takes_nothing_with_it";
    match part() {
        Some((part, mut talk)) if part == "lender" => return lend_and_wait(&mut talk),
        Some((_, mut talk)) => return serve(&mut talk),
        None => {}
    }
    let group = Group::new();
    let mut lender = Peer::start(NAME, "lender", &group.0);
    let mut reader = Peer::start(NAME, "any", &group.0);
    let name = lender.talk.hear().unwrap();
    assert_eq!(ask(&mut reader, &format!("open {name}")), "open");
    lender.talk.say("send");
    lender.talk.expect("half filled");
    assert_eq!(ask(&mut reader, "take"), "0");
    lender.kill();
    assert_eq!((ask(&mut reader, "take"), ask(&mut reader, "whole")), ("1".into(), "true".into()));
    ask(&mut reader, "drop");
    assert_eq!((ask(&mut reader, "take"), ask(&mut reader, "connected")), ("2".into(), "false".into()));
    assert_eq!((ask(&mut reader, "reclaim"), ask(&mut reader, "reclaim")), ("1".into(), "0".into()));
    assert_eq!(group.files(), [""; 0]);
    assert_eq!((ask(&mut reader, "take"), ask(&mut reader, "whole")), ("none".into(), "true".into()));
    let mut late = Peer::start(NAME, "any", &group.0);
    assert_eq!(ask(&mut late, &format!("open {name}")), "gone");
    ask(&mut reader, "close");
    assert_eq!(group.files(), [""; 0]);
}

fn lend_and_wait(talk: &mut Talk) {
    let lender = Lender::new(LIMITS).unwrap();
    talk.say(lender.name());
    talk.expect("send");
    send(&lender, 0..3);
    let mut loan = lender.loan(4096).unwrap();
    loan[..2048].fill(3);
    talk.say("half filled");
    assert_eq!(talk.hear(), None, "killed while it waits");
}

/// All are killed. The next process that calls `reclaim`, or makes a topic, takes everything away.
#[test]
fn when_all_are_killed_the_next_one_clears_up() {
    const NAME: &str = "when_all_are_killed_the_next_one_clears_up";
    if let Some((_, mut talk)) = part() {
        return serve(&mut talk);
    }
    let group = Group::new();
    for by_itself in [false, true] {
        let [mut lender, mut reader] = [(); 2].map(|()| Peer::start(NAME, "any", &group.0));
        let name = ask(&mut lender, "lend");
        ask(&mut reader, &format!("open {name}"));
        ask(&mut lender, "send 3");
        ask(&mut reader, "take");
        lender.kill();
        reader.kill();
        assert!(group.files().len() > 5);
        let mut next = Peer::start(NAME, "any", &group.0);
        if by_itself {
            ask(&mut next, "lend");
            ask(&mut next, "close");
        } else {
            assert_eq!(ask(&mut next, "reclaim"), "1");
        }
        assert_eq!(group.files(), [""; 0]);
    }
}

/// What each end has in a topic's folder: its lock; a folder with its settings and tags of one topic and two ports; three files that tell whether it lives.
const ENDS_FILES: usize = 1 + 4 + 3;

fn is_of_an_end(file: &str) -> bool {
    file.contains("/end-") || file.contains("/nodes/")
}

/// Lets some time go by, other each round: what is killed after it may be anywhere.
fn dawdle(round: u32) {
    (0..round * 7919 % 100_000).for_each(|_| std::hint::spin_loop());
}

/// Killed anywhere, many times over: joining, taking, giving back. Nobody calls `reclaim`: who opens the topic finds the dead one's place.
#[test]
fn subscribers_killed_anywhere_leave_the_topic_whole() {
    const NAME: &str = "subscribers_killed_anywhere_leave_the_topic_whole";
    match part() {
        Some((part, mut talk)) if part == "dying" => return read_for_ever(&mut talk),
        Some((_, mut talk)) => return serve(&mut talk),
        None => {}
    }
    let group = Group::new();
    let mut lender = Peer::start(NAME, "any", &group.0);
    let name = ask(&mut lender, "lend");
    for round in 0..ROUNDS {
        let mut dying = Peer::start(NAME, "dying", &group.0);
        dying.talk.say(&name);
        if round % 2 == 0 {
            dying.talk.expect("open");
            ask(&mut lender, "send 500");
        } else {
            dawdle(round);
            ask(&mut lender, "send 500");
        }
        dying.kill();
        ask(&mut lender, "send 100");
    }
    let mut last = Peer::start(NAME, "any", &group.0);
    assert_eq!(ask(&mut last, &format!("open {name}")), "open");
    ask(&mut lender, "send 5");
    assert_eq!(ask(&mut last, "take"), (ROUNDS * 600 + 2).to_string());
    assert_eq!(ask(&mut last, "whole"), "true");
    ask(&mut last, "close");
    group.age();
    ask(&mut lender, "ends");
    let left: Vec<String> = group.files().into_iter().filter(|file| is_of_an_end(file)).collect();
    assert_eq!(left.len(), ENDS_FILES, "those of the publisher: {left:?}");
    ask(&mut lender, "close");
    assert_eq!(group.files(), [""; 0]);
}

fn read_for_ever(talk: &mut Talk) {
    let mut borrower = Borrower::open(&talk.hear().unwrap(), 3).unwrap();
    talk.say("open");
    let mut held = [const { None }; 2];
    for turn in 0_usize.. {
        held[turn % 2] = None;
        held[turn % 2] = borrower.take().unwrap();
        assert!(held[turn % 2].as_ref().is_none_or(is_whole));
    }
}

/// Killed anywhere: a publisher at full speed, with a subscriber that takes whatever there is.
#[test]
fn publishers_killed_anywhere_leave_whole_samples() {
    const NAME: &str = "publishers_killed_anywhere_leave_whole_samples";
    match part() {
        Some((part, mut talk)) if part == "dying" => return send_for_ever(&mut talk),
        Some((_, mut talk)) => return serve(&mut talk),
        None => {}
    }
    let group = Group::new();
    let mut reader = Peer::start(NAME, "any", &group.0);
    for round in 0..ROUNDS {
        let early = Peer::start(NAME, "dying", &group.0);
        dawdle(round);
        early.kill();
        let mut dying = Peer::start(NAME, "dying", &group.0);
        let name = dying.talk.hear().unwrap();
        assert_eq!(ask(&mut reader, &format!("open {name}")), "open");
        let mut taken = 0;
        while taken < 20 {
            taken += u32::from(ask(&mut reader, "take") != "none");
            assert_eq!(
                (ask(&mut reader, "whole"), ask(&mut reader, "drop")),
                ("true".into(), "dropped".into())
            );
        }
        dying.kill();
        while ask(&mut reader, "take") != "none" {
            assert_eq!(
                (ask(&mut reader, "whole"), ask(&mut reader, "drop")),
                ("true".into(), "dropped".into())
            );
        }
        assert_ne!(ask(&mut reader, "reclaim"), "0");
    }
    ask(&mut reader, "close");
    group.age();
    ask(&mut reader, "reclaim");
    assert_eq!(group.files(), [""; 0]);
}

fn send_for_ever(talk: &mut Talk) {
    let lender = Lender::new(LIMITS).unwrap();
    talk.say(lender.name());
    for number in 0.. {
        send(&lender, number..number + 1);
    }
}

/// A listener killed while it sleeps: who rings does not notice.
#[test]
fn a_listener_that_is_killed_is_rung_in_vain() {
    const NAME: &str = "a_listener_that_is_killed_is_rung_in_vain";
    if let Some((_, mut talk)) = part() {
        let bell = SharedBell::create().unwrap();
        talk.say(bell.name());
        bell.sleep(None);
        return;
    }
    let mut listener = Peer::start(NAME, "listener", "any");
    let bell = tokkyu_process::RemoteBell::open(&listener.talk.hear().unwrap()).unwrap();
    listener.kill();
    assert!(!bell.ring_at(1) && !bell.ring_at(2), "nobody is there to be woken");
}
