//! A bell between processes (NODE-77, NODE-78).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use tokkyu_contract::MonoTime;
use tokkyu_process::{ProcessError, RemoteBell, SharedBell};
use tokkyu_topic::Doorbell;

mod peer;
use peer::{Peer, Talk, part};

const ROUNDS: u32 = if cfg!(debug_assertions) { 10_000 } else { 50_000 };
/// Sleeps while another process writes into the word; it may take a second to come back from one.
const STORM: u32 = 300;
const IDLE: u32 = 1 << 31;

fn asleep(bell: &Arc<SharedBell>) -> thread::JoinHandle<()> {
    let sleeper = bell.clone();
    let sleeping = thread::spawn(move || sleeper.sleep(None));
    while !bell.is_resting() {
        thread::yield_now();
    }
    sleeping
}

/// The word, as a process that keeps no rule has it.
struct Word {
    at: *mut libc::c_void,
}

impl Word {
    fn of(name: &str) -> Word {
        // SAFETY: at an address of the kernel's choice.
        let at = unsafe { libc::shmat(number(name), std::ptr::null(), 0) };
        assert_ne!(at as isize, -1);
        Word { at }
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: attached until drop, and an atomic.
        unsafe { &*self.at.cast() }
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        // SAFETY: attached by `of`.
        unsafe { libc::shmdt(self.at) };
    }
}

fn number(name: &str) -> i32 {
    name.split('-').nth(2).unwrap().parse().unwrap()
}

/// NODE-77: who rings first wakes, and nobody else; a busy listener is not woken at all.
#[test]
fn the_edge_alone_wakes() {
    let bell = Arc::new(SharedBell::create().unwrap());
    let (one, other) = (RemoteBell::open(bell.name()).unwrap(), RemoteBell::open(bell.name()).unwrap());
    assert!(!one.ring_at(0) && !bell.ring_at(30), "busy");
    bell.sleep(None);
    assert_eq!(bell.answer(), 1 | 1 << 30, "it did not sleep");
    for _ in 0..100 {
        let sleeping = asleep(&bell);
        // Resting, it may not be in the kernel yet: then the first ring keeps it from sleeping, and there is nobody to wake.
        one.ring_at(3);
        assert!(!other.ring_at(4) && !one.ring_at(3));
        sleeping.join().unwrap();
        assert!(!bell.ring_at(5));
        assert_eq!((bell.answer(), bell.answer()), (1 << 3 | 1 << 4 | 1 << 5, 0));
    }
    assert_eq!(bell.overslept(), 0);
}

/// NODE-77: two processes ring one bell and are answered, round by round; nobody sleeps over a ring.
#[test]
fn nobody_sleeps_over_a_ring() {
    const NAME: &str = "nobody_sleeps_over_a_ring";
    if let Some((source, mut talk)) = part() {
        return ring_and_wait(source.parse().unwrap(), &mut talk);
    }
    let bell = SharedBell::create().unwrap();
    let mut peers = ["0", "30"].map(|source| Peer::start(NAME, source, "bells"));
    let answers = peers.each_mut().map(|peer| {
        peer.talk.say(bell.name());
        RemoteBell::open(&peer.talk.hear().unwrap()).unwrap()
    });
    let mut rounds = [0; 2];
    while rounds != [ROUNDS; 2] {
        let rang = bell.answer();
        assert_eq!(rang & !(1 | 1 << 30), 0);
        for (end, source) in [0, 30].into_iter().enumerate() {
            if rang & 1 << source != 0 {
                rounds[end] += 1;
                answers[end].ring(7);
            }
        }
        if rounds != [ROUNDS; 2] {
            bell.sleep(None);
        }
    }
    assert_eq!(bell.overslept(), 0);
    for mut peer in peers {
        peer.talk.expect("0 overslept");
        peer.end();
    }
}

fn ring_and_wait(source: u32, talk: &mut Talk) {
    let bell = RemoteBell::open(&talk.hear().unwrap()).unwrap();
    let answer = SharedBell::create().unwrap();
    talk.say(answer.name());
    for _ in 0..ROUNDS {
        bell.ring(source);
        while answer.answer() != 1 << 7 {
            answer.sleep(None);
        }
    }
    talk.say(format_args!("{} overslept", answer.overslept()));
}

/// NODE-78: while another process writes anything into the word at any time, the listener comes back from every sleep.
#[test]
fn whatever_another_process_writes_the_listener_goes_on() {
    const NAME: &str = "whatever_another_process_writes_the_listener_goes_on";
    if let Some((_, mut talk)) = part() {
        let word = Word::of(&talk.hear().unwrap());
        talk.say("writing");
        let mut value = 1_u32;
        loop {
            // Zeros, the mark alone, bits with and without it.
            value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let written = [0, IDLE, value, value | IDLE, 0][(value >> 24) as usize % 5];
            word.word().store(written, Ordering::Relaxed);
        }
    }
    let bell = Arc::new(SharedBell::create().unwrap());
    let mut peer = Peer::start(NAME, "hostile", "bells");
    peer.talk.say(bell.name());
    peer.talk.expect("writing");
    let remote = RemoteBell::open(bell.name()).unwrap();
    let (heard, hears) = channel();
    let ringer = bell.clone();
    let ringing = thread::spawn(move || {
        for _ in 0..STORM {
            ringer.ring(2);
            remote.ring(3);
            hears.recv().unwrap();
        }
    });
    // What is written in between may hide a bit; that the listener wakes is what counts.
    let mut sleeps = 0;
    while !ringing.is_finished() {
        bell.sleep(None);
        bell.answer();
        sleeps += 1;
        let _ = heard.send(());
    }
    ringing.join().unwrap();
    assert!(sleeps >= STORM, "{sleeps}");
    peer.kill();
}

/// NODE-78: what a wiped word does: the next ring of this process wakes; without one the listener looks by itself.
#[test]
fn a_wiped_word_does_not_keep_the_listener_asleep() {
    let bell = Arc::new(SharedBell::create().unwrap());
    let word = Word::of(bell.name());
    for wiped in [0, 1, IDLE | 2, u32::MAX] {
        let sleeping = asleep(&bell);
        word.word().store(wiped, Ordering::Relaxed);
        bell.ring(4);
        sleeping.join().unwrap();
        assert_eq!(bell.answer(), (wiped | 1 << 4) & !IDLE);
    }
    assert_eq!(bell.overslept(), 0, "all were woken");
    let sleeping = asleep(&bell);
    bell.ring(4);
    assert_eq!(word.word().load(Ordering::Relaxed), 1 << 4, "who wakes takes the mark away");
    sleeping.join().unwrap();
    bell.answer();
    let sleeping = asleep(&bell);
    // Once it waits in the kernel nothing wakes it. If it does not yet, it sees the change, and tries again.
    word.word().store(0, Ordering::Relaxed);
    sleeping.join().unwrap();
    assert_eq!(bell.answer(), 0);
}

/// NODE-78: it can neither be cut short nor taken away, and nothing is left when the listener was killed.
#[test]
fn the_word_stays_while_somebody_has_it_and_goes_with_the_last() {
    const NAME: &str = "the_word_stays_while_somebody_has_it_and_goes_with_the_last";
    if let Some((_, mut talk)) = part() {
        let bell = SharedBell::create().unwrap();
        talk.say(bell.name());
        bell.sleep(None);
        talk.say(bell.answer());
        return assert_eq!(talk.hear(), None, "killed while it waits");
    }
    let mut peer = Peer::start(NAME, "listener", "bells");
    let name = peer.talk.hear().unwrap();
    let remote = RemoteBell::open(&name).unwrap();
    remote.ring(9);
    assert_eq!(peer.talk.number(), 1 << 9);
    RemoteBell::open(&name).expect("still there");
    peer.kill();
    remote.ring(9);
    assert!(is_in_memory(&name), "ours");
    drop(remote);
    assert!(!is_in_memory(&name));
    assert!(matches!(RemoteBell::open(&name), Err(ProcessError::Gone(_))));
}

fn is_in_memory(name: &str) -> bool {
    let all = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    let wanted = number(name).to_string();
    all.lines().any(|line| line.split_whitespace().nth(1) == Some(&wanted))
}

/// NODE-71: a name opens what it was given for and nothing else.
#[test]
fn a_name_of_something_else_is_refused() {
    let bell = SharedBell::create().unwrap();
    let name = bell.name();
    let digit = if name.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{digit}", &name[..name.len() - 1]);
    assert!(matches!(RemoteBell::open(&other), Err(ProcessError::Gone(_))), "another page's number");
    for wrong in ["", "/dev/shm/x", &name[1..], &format!("{name}0")] {
        assert!(matches!(RemoteBell::open(wrong), Err(ProcessError::BellName(_))), "{wrong}");
    }
    // SAFETY: zero is a valid value, and it is there to be written.
    let status = unsafe {
        let mut status: libc::shmid_ds = std::mem::zeroed();
        assert_eq!(libc::shmctl(number(name), libc::IPC_STAT, &raw mut status), 0);
        status
    };
    assert_eq!(status.shm_perm.mode & 0o777, 0o600, "this user alone");
    // SAFETY: takes the number alone.
    unsafe { libc::shmctl(number(name), libc::IPC_RMID, std::ptr::null_mut()) };
    RemoteBell::open(name).expect("nobody can take it away");
}

/// A time that has come ends the sleep; a bell that rang does not begin one.
#[test]
fn sleep_ends_at_its_time() {
    let bell = SharedBell::create().unwrap();
    bell.sleep(Some(MonoTime::from_nanos(0)));
    assert_eq!(bell.answer(), 0);
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let soon = MonoTime::from_nanos(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64).offset(1_000_000);
    bell.sleep(Some(soon));
    assert_eq!((bell.answer(), bell.overslept()), (0, 0));
}
