//! How long packets are (LNK-85, LNK-86, LNK-88): as long as both ends agreed, until the path takes no such packets.
//!
//! ```text
//!                 long packets are lost, or the device refuses them
//!   Agreed ─────────────────────────────────────────────────────────► Halving
//!     ▲                                                                │   ▲
//!     │                                       what passes and what not │   │ long packets are lost, or refused
//!     │                                       are 16 bytes apart       ▼   │
//!     └─────────────────────────────────────────────────────────────  Resting
//!                 a feeler of the agreed size was answered
//! ```
//! Halving: feelers between the size that passes and the least one that does not. Resting: one of the agreed size after
//! each pause. Feelers carry nothing (RFC 8899 §4.1): their loss costs a sample nothing and is no sign of a loaded path.

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// IP packet that every path carries (RFC 8200 §5).
pub const LEAST_IP_BYTES: usize = 1280;
/// Bytes that are not worth another feeler.
const SMALL_GAP: usize = 16;
/// A feeler is lost by chance too; as many in a row are its size's fault (RFC 8899 §5.1.2, MAX_PROBES).
const TRIES: u32 = 3;
/// Between the fate of a feeler and the next.
const FEELER_INTERVAL: Duration = Duration::from_millis(50);
/// Until the agreed size is tried again: a path that is mended is back soon.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// At most; the pause doubles with each time it does not pass.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// A size that passes feelers and is cut again so soon does not carry samples: the next try waits longer.
const STEADY: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Agreed,
    /// Packets of `fails` bytes do not pass.
    Halving {
        fails: usize,
    },
    Resting,
}

/// The size of packets in force, and the search for a longer one.
#[derive(Clone, Copy, Debug)]
pub struct PacketSize {
    agreed: usize,
    least: usize,
    /// Of the IP packet that one as agreed is made on its way.
    ip_bytes: usize,
    /// What the carrier and the network add on the wire.
    overhead_bytes: usize,
    in_force: usize,
    state: State,
    /// Feelers of the size tried now that were lost.
    lost: u32,
    is_under_way: bool,
    next_feeler: MonoTime,
    pause: Duration,
    /// When the agreed size was in force again, after a cut.
    agreed_since: Option<MonoTime>,
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Packets are as long as agreed again.
    Whole,
    /// They are shorter from now on, and what is cut already must be so anew.
    Shortened,
    /// They are shorter; the longest that pass is known.
    Found,
}

impl PacketSize {
    /// Datagrams of `agreed` bytes, of which IP packets of `ip_bytes` are made on their way, and that take
    /// `overhead_bytes` more on the wire.
    pub fn new(agreed: usize, ip_bytes: usize, overhead_bytes: usize) -> Self {
        let agreed = agreed.max(256);
        PacketSize {
            agreed,
            least: agreed.saturating_sub(ip_bytes.saturating_sub(LEAST_IP_BYTES)).max(256),
            ip_bytes,
            overhead_bytes,
            in_force: agreed,
            state: State::Agreed,
            lost: 0,
            is_under_way: false,
            next_feeler: MonoTime::MAX,
            pause: FIRST_PAUSE,
            agreed_since: None,
        }
    }

    /// Bytes of the longest datagram that may be sent.
    pub fn in_force(&self) -> usize {
        self.in_force
    }

    /// What it may come to be.
    pub fn least(&self) -> usize {
        self.least
    }

    /// Bytes of the IP packet that one of the size in force travels in.
    pub fn ip_bytes(&self) -> usize {
        self.ip_bytes.saturating_sub(self.missing())
    }

    /// What a datagram of `bytes` takes on the wire.
    pub fn wire_bytes(&self, bytes: usize) -> usize {
        bytes + self.overhead_bytes
    }

    /// By how much it is shorter than agreed.
    pub fn missing(&self) -> usize {
        self.agreed - self.in_force
    }

    /// Whether it is shorter than agreed.
    pub fn is_cut(&self) -> bool {
        self.missing() > 0
    }

    /// Packets of the size in force are lost. None when it cannot be shorter.
    pub fn on_long_lost(&mut self, now: MonoTime) -> Option<Change> {
        self.cut(now, self.in_force)
    }

    /// The device refused a datagram of `bytes`.
    pub fn on_refused(&mut self, now: MonoTime, bytes: usize) -> Option<Change> {
        if bytes <= self.in_force {
            return self.cut(now, bytes);
        }
        // What is longer is a feeler, and no other needs to be lost; or it was on its way when packets were cut.
        if self.is_under_way { self.on_failed(now, self.tried()) } else { None }
    }

    fn cut(&mut self, now: MonoTime, fails: usize) -> Option<Change> {
        if self.in_force == self.least {
            return None;
        }
        let was_steady = self.agreed_since.is_none_or(|since| now.since(since) >= STEADY);
        self.pause = if was_steady { FIRST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.in_force, self.state) = (self.least, State::Halving { fails });
        self.begin_try(now + FEELER_INTERVAL);
        self.rest_unless_searching(now);
        Some(Change::Shortened)
    }

    fn begin_try(&mut self, at: MonoTime) {
        (self.lost, self.is_under_way, self.next_feeler) = (0, false, at);
    }

    /// The size of the feeler that is due.
    pub fn due_feeler(&self, now: MonoTime) -> Option<usize> {
        (now >= self.next_feeler && !self.is_under_way).then(|| self.tried())
    }

    /// What is tried now.
    fn tried(&self) -> usize {
        match self.state {
            State::Halving { fails } => self.in_force.midpoint(fails),
            State::Agreed | State::Resting => self.agreed,
        }
    }

    /// A feeler was sent.
    pub fn on_feeler(&mut self) {
        self.is_under_way = true;
    }

    /// A feeler of `bytes` arrived, if only after it had been given up.
    pub fn on_feeler_answered(&mut self, now: MonoTime, bytes: usize) -> Option<Change> {
        if bytes <= self.in_force || bytes > self.agreed {
            return None;
        }
        self.in_force = bytes;
        if !self.is_cut() {
            (self.state, self.agreed_since) = (State::Agreed, Some(now));
            self.begin_try(MonoTime::MAX);
            return Some(Change::Whole);
        }
        self.begin_try(now + FEELER_INTERVAL);
        self.rest_unless_searching(now)
    }

    /// A feeler of `bytes` was given up.
    pub fn on_feeler_lost(&mut self, now: MonoTime, bytes: usize) -> Option<Change> {
        if bytes != self.tried() || self.state == State::Agreed {
            return None;
        }
        (self.is_under_way, self.next_feeler) = (false, now + FEELER_INTERVAL);
        self.lost += 1;
        if self.lost < TRIES { None } else { self.on_failed(now, bytes) }
    }

    /// Feelers of `bytes` do not pass.
    fn on_failed(&mut self, now: MonoTime, bytes: usize) -> Option<Change> {
        self.begin_try(now + FEELER_INTERVAL);
        match &mut self.state {
            State::Halving { fails } => *fails = bytes,
            State::Resting => self.pause = (self.pause * 2).min(LONGEST_PAUSE),
            State::Agreed => {}
        }
        self.rest_unless_searching(now)
    }

    /// Where no other size is worth a feeler, the agreed one gets the next, after the pause.
    fn rest_unless_searching(&mut self, now: MonoTime) -> Option<Change> {
        let was_searching = match self.state {
            State::Agreed => return None,
            State::Halving { fails } if fails > self.in_force + SMALL_GAP => return None,
            State::Halving { .. } => true,
            State::Resting => false,
        };
        (self.state, self.next_feeler) = (State::Resting, now + self.pause);
        was_searching.then_some(Change::Found)
    }

    /// When a feeler is due.
    pub fn deadline(&self) -> MonoTime {
        if self.is_under_way { MonoTime::MAX } else { self.next_feeler }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path that takes datagrams of `passes` bytes at most; the device says so itself, or nobody does.
    struct Way {
        passes: usize,
        tells: bool,
        size: PacketSize,
        now: MonoTime,
        told: Vec<Change>,
        feelers: usize,
    }

    impl Way {
        fn new(passes: usize, tells: bool) -> Way {
            let (size, now) = (PacketSize::new(1_434, 1_500, 97), MonoTime::from_millis(100_000));
            Way { passes, tells, size, now, told: Vec::new(), feelers: 0 }
        }

        fn run(&mut self, span: Duration) {
            let end = self.now + span;
            while self.size.deadline() < end {
                self.now = self.now.max(self.size.deadline());
                let bytes = self.size.due_feeler(self.now).expect("due at the deadline");
                self.size.on_feeler();
                self.feelers += 1;
                self.now += Duration::from_millis(20);
                let change = match (bytes > self.passes, self.tells) {
                    (false, _) => self.size.on_feeler_answered(self.now, bytes),
                    (true, true) => self.size.on_refused(self.now, bytes),
                    (true, false) => self.size.on_feeler_lost(self.now, bytes),
                };
                self.told.extend(change);
            }
            self.now = end;
        }
    }

    #[test]
    fn the_size_that_passes_is_found_and_told_once_whoever_tells_what_does_not() {
        for tells in [false, true] {
            for passes in [1_214, 1_215, 1_300, 1_337, 1_433] {
                let mut way = Way::new(passes, tells);
                assert_eq!(way.size.on_long_lost(way.now), Some(Change::Shortened));
                assert_eq!(way.size.in_force(), 1_214);
                way.run(Duration::from_secs(4));
                let found = way.size.in_force();
                assert!(found <= passes && passes - found <= SMALL_GAP, "{found} of {passes}, told: {tells}");
                assert_eq!(way.told, [Change::Found]);
            }
        }
    }

    #[test]
    fn the_agreed_size_is_tried_ever_more_rarely_and_taken_up_when_it_passes() {
        let mut way = Way::new(1_300, false);
        way.size.on_long_lost(way.now);
        way.run(Duration::from_secs(4));
        let searched = way.feelers;
        way.run(Duration::from_secs(3_600));
        assert!(
            (TRIES as usize * 8..=TRIES as usize * 14).contains(&(way.feelers - searched)),
            "{}",
            way.feelers
        );
        way.passes = 9_000;
        way.run(LONGEST_PAUSE + Duration::from_secs(1));
        assert_eq!((way.size.in_force(), way.size.is_cut()), (1_434, false));
        assert_eq!(way.told, [Change::Found, Change::Whole]);
        assert_eq!(way.size.deadline(), MonoTime::MAX);
    }

    #[test]
    fn a_size_that_passes_feelers_alone_is_tried_less_often_each_time() {
        let mut way = Way::new(9_000, false);
        let pauses: Vec<u64> = (0..5)
            .map(|_| {
                way.size.on_long_lost(way.now);
                way.passes = 1_300;
                way.run(Duration::from_secs(4));
                way.passes = 9_000;
                let (before, next) = (way.now, way.size.deadline());
                way.run(next.since(before) + Duration::from_secs(1));
                next.since(before).as_secs()
            })
            .collect();
        assert!(pauses.windows(2).all(|pair| pair[1] > pair[0]), "{pauses:?}");
    }

    /// A device of MTU 800 refuses also what is much shorter than the least, and there is nothing to search.
    #[test]
    fn a_device_that_refused_less_than_the_least_is_asked_for_the_agreed_size_until_it_takes_it() {
        for refused in [700, 1_214, 1_230] {
            let mut way = Way::new(9_000, false);
            assert_eq!(way.size.on_refused(way.now, refused), Some(Change::Shortened));
            way.run(FIRST_PAUSE * 2);
            assert_eq!(
                (way.size.in_force(), way.told.last()),
                (1_434, Some(&Change::Whole)),
                "{refused} refused"
            );
        }
    }

    /// The device tells of a packet, and how much of that QUIC put around the datagram varies by its number's length.
    #[test]
    fn a_feeler_that_the_device_refuses_is_known_by_its_size_to_a_few_bytes() {
        let mut size = PacketSize::new(1_434, 1_500, 97);
        let now = MonoTime::from_millis(100_000);
        size.on_long_lost(now);
        let tried = size.due_feeler(size.deadline()).expect("due");
        size.on_feeler();
        assert_eq!(size.on_refused(now, tried - 3), None);
        let next = size.due_feeler(size.deadline()).expect("another size is due");
        assert!(next < tried, "{next} after {tried}");
    }

    #[test]
    fn what_cannot_be_shorter_stays() {
        let mut size = PacketSize::new(1_214, 1_280, 97);
        assert_eq!(size.on_long_lost(MonoTime::from_millis(5)), None);
        assert_eq!(size.on_refused(MonoTime::from_millis(5), 1_214), None);
        assert_eq!((size.in_force(), size.deadline()), (1_214, MonoTime::MAX));
    }
}
