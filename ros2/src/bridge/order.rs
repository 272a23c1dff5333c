//! The order in which samples of a topic are written at the target: ROS2-16.
//!
//! Pure. Invariants: what is given out never goes back in numbers within a publication; no more than `depth` samples wait,
//! none longer than [`HOLD`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokkyu_contract::{Class, Durability, FlowId, MonoTime, PeerTime, Qos, Reliability};

/// Longest wait of a sample for one before it: a few round trips of a long path, in which a repair comes or does not.
pub(super) const HOLD: Duration = Duration::from_millis(250);

/// A sample as the link gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbered<T> {
    pub(super) session: u64,
    pub(super) flow: FlowId,
    pub(super) sequence: u32,
    pub(super) capture: PeerTime,
    pub(super) sample: T,
}

/// Where a topic's order stands.
#[derive(Debug)]
pub(super) struct Order<T> {
    rule: Rule,
    /// The session and the publication that brings the topic.
    stream: (u64, FlowId),
    /// The number due next, without its wrap; `None` before the first sample of a publication.
    next: Option<u64>,
    held: BTreeMap<u64, (MonoTime, T)>,
    missed: BTreeSet<u64>,
    recent: Recent,
    stale: u64,
}

/// What a topic's QoS and class ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The newest counts: one that comes late is dropped.
    Newest,
    /// One waits for the other. A late reader's first number may lie so far back.
    InOrder { depth: usize, first_back: u64 },
    /// The link sees to it.
    AsItComes,
}

impl Rule {
    fn of(qos: &Qos, class: Class) -> Rule {
        match qos.depth() {
            None if qos.reliability == Reliability::Reliable => Rule::AsItComes,
            Some(depth)
                if depth > 1 && qos.reliability == Reliability::Reliable && class != Class::Control =>
            {
                let is_local = qos.durability == Durability::TransientLocal;
                let first_back = if is_local { u64::from(depth) - 1 } else { 0 };
                Rule::InOrder { depth: depth as usize, first_back }
            }
            _ => Rule::Newest,
        }
    }
}

impl<T> Order<T> {
    pub(super) fn new(qos: &Qos, class: Class) -> Order<T> {
        let kept = match qos.durability {
            Durability::Volatile => 0,
            Durability::TransientLocal => qos.depth().map_or(usize::MAX, |depth| depth as usize),
        };
        Order {
            rule: Rule::of(qos, class),
            stream: (0, FlowId::SESSION),
            next: None,
            held: BTreeMap::new(),
            missed: BTreeSet::new(),
            recent: Recent::new(kept),
            stale: 0,
        }
    }

    /// Samples that came too late to be written, or for the second time.
    pub(super) fn stale(&self) -> u64 {
        self.stale
    }

    /// When [`Order::on_time`] has something to do.
    pub(super) fn deadline(&self) -> Option<MonoTime> {
        self.held.values().map(|(since, _)| *since + HOLD).min()
    }

    /// A sample came; gives those whose turn it is.
    pub(super) fn on_sample(&mut self, now: MonoTime, numbered: Numbered<T>) -> Vec<T> {
        let mut due = Vec::new();
        if self.is_former(&numbered) {
            self.stale += 1;
            return due;
        }
        let stream = (numbered.session, numbered.flow);
        if stream != self.stream {
            due.extend(self.begin(stream));
        }
        if self.recent.has(numbered.capture, numbered.session) {
            self.stale += 1;
            return due;
        }
        let number = self.number(numbered.sequence);
        self.recent.add(numbered.capture, numbered.session);
        match (self.rule, self.next) {
            (Rule::AsItComes, _) => due.push(numbered.sample),
            (_, Some(next)) if number < next => self.stale += 1,
            (Rule::Newest, _) => {
                self.next = Some(number + 1);
                due.push(numbered.sample);
            }
            (Rule::InOrder { first_back, .. }, next) => {
                self.next = next.or(Some(number.saturating_sub(first_back)));
                self.held.insert(number, (now, numbered.sample));
                due.extend(self.due());
            }
        }
        due
    }

    /// A sample of this topic will never come; gives those that waited for it.
    pub(super) fn on_missed(&mut self, sequence: u32) -> Vec<T> {
        if let (Rule::InOrder { depth, .. }, Some(next)) = (self.rule, self.next) {
            let number = self.number(sequence);
            if number >= next && self.missed.len() < depth {
                self.missed.insert(number);
            }
        }
        self.due()
    }

    /// Gives those that have waited long enough.
    pub(super) fn on_time(&mut self, now: MonoTime) -> Vec<T> {
        let mut due = Vec::new();
        while self.deadline().is_some_and(|deadline| now >= deadline) {
            self.skip();
            due.extend(self.due());
        }
        due
    }

    /// The topic goes: nothing is waited for any more. Gives what waits, in its order.
    pub(super) fn finish(&mut self) -> Vec<T> {
        std::mem::take(&mut self.held).into_values().map(|(_, sample)| sample).collect()
    }

    /// A sample of a publication that another has taken the place of: it was under way. Numbers of publications are given
    /// in turn (LNK-31).
    fn is_former(&self, numbered: &Numbered<T>) -> bool {
        let (session, flow) = self.stream;
        numbered.session == session && (numbered.flow.0.wrapping_sub(flow.0) as i16) < 0
    }

    /// Another session or publication: numbers begin again, and what waited for the last one's waits for nothing any
    /// more.
    fn begin(&mut self, stream: (u64, FlowId)) -> Vec<T> {
        self.stream = stream;
        self.next = None;
        self.missed.clear();
        self.finish()
    }

    /// All whose turn it is now.
    fn due(&mut self) -> Vec<T> {
        let mut due = Vec::new();
        let Rule::InOrder { depth, .. } = self.rule else { return due };
        loop {
            let Some(next) = self.next else { return due };
            if let Some((_, sample)) = self.held.remove(&next) {
                due.push(sample);
            } else if !self.missed.remove(&next) {
                if self.held.len() <= depth {
                    return due;
                }
                self.skip();
                continue;
            }
            self.next = Some(next + 1);
        }
    }

    /// Goes on with the oldest that waits.
    fn skip(&mut self) {
        if let Some(oldest) = self.held.keys().next().copied() {
            self.next = Some(oldest);
            self.missed = self.missed.split_off(&oldest);
        }
    }

    /// A sequence number without its wrap: the one nearest to what is due.
    fn number(&self, sequence: u32) -> u64 {
        let Some(next) = self.next else { return u64::from(sequence) };
        let ahead = i64::from(sequence.wrapping_sub(next as u32) as i32);
        next.saturating_add_signed(ahead)
    }
}

/// Capture times of the last samples of a transient local topic: a new session sends again what is kept (LNK-14), which a
/// reader here must not get twice.
#[derive(Debug)]
struct Recent {
    depth: usize,
    captures: VecDeque<(PeerTime, u64)>,
}

/// Most samples remembered of a keep_all topic.
const RECENT_MAX: usize = 1024;

impl Recent {
    fn new(depth: usize) -> Recent {
        Recent { depth: depth.min(RECENT_MAX), captures: VecDeque::new() }
    }

    /// Whether a sample captured then came in a session before.
    fn has(&self, capture: PeerTime, session: u64) -> bool {
        self.captures.iter().any(|(known, in_session)| *known == capture && *in_session != session)
    }

    fn add(&mut self, capture: PeerTime, session: u64) {
        self.captures.push_back((capture, session));
        while self.captures.len() > self.depth {
            self.captures.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::History;

    const NOW: MonoTime = MonoTime::from_millis(1_000);

    fn order(depth: u32) -> Order<u32> {
        Order::new(&Qos { history: History::KeepLast { depth }, ..Qos::default() }, Class::Realtime)
    }

    fn sample(sequence: u32) -> Numbered<u32> {
        in_session(1, sequence)
    }

    fn in_session(session: u64, sequence: u32) -> Numbered<u32> {
        let capture = PeerTime::from_millis(u64::from(sequence));
        Numbered { session, flow: FlowId(3), sequence, capture, sample: sequence }
    }

    #[test]
    fn a_sample_waits_for_the_one_before_it() {
        let mut order = order(3);
        assert_eq!(order.on_sample(NOW, sample(7)), [7], "a late reader begins where it begins");
        assert_eq!(order.on_sample(NOW, sample(9)), [0; 0]);
        assert_eq!(order.on_sample(NOW, sample(8)), [8, 9]);
        assert_eq!(order.on_sample(NOW, sample(8)), [0; 0]);
        assert_eq!(order.stale(), 1);
    }

    #[test]
    fn one_that_never_comes_is_waited_for_until_that_is_known() {
        let mut order = order(3);
        order.on_sample(NOW, sample(0));
        order.on_sample(NOW, sample(3));
        assert_eq!(order.on_missed(2), [0; 0], "1 may still come");
        assert_eq!(order.on_missed(1), [3]);
    }

    #[test]
    fn no_sample_waits_longer_than_the_hold() {
        let mut order = order(5);
        order.on_sample(NOW, sample(0));
        order.on_sample(NOW + Duration::from_millis(10), sample(2));
        assert_eq!(order.deadline(), Some(NOW + Duration::from_millis(10) + HOLD));
        assert_eq!(order.on_time(NOW + HOLD), [0; 0]);
        assert_eq!(order.on_time(NOW + Duration::from_millis(10) + HOLD), [2]);
        assert_eq!(order.on_sample(NOW + HOLD, sample(1)), [0; 0]);
        assert_eq!(order.stale(), 1);
    }

    #[test]
    fn no_more_than_depth_samples_wait() {
        let mut order = order(2);
        order.on_sample(NOW, sample(0));
        assert_eq!(order.on_sample(NOW, sample(2)), [0; 0]);
        assert_eq!(order.on_sample(NOW, sample(4)), [0; 0]);
        assert_eq!(order.on_sample(NOW, sample(5)), [2], "1 is given up, 3 may still come");
        assert_eq!(order.on_sample(NOW, sample(3)), [3, 4, 5]);
    }

    #[test]
    fn with_depth_1_best_effort_or_control_the_newest_counts_and_nothing_waits() {
        let reliable = Qos::default();
        for (qos, class) in [
            (Qos { history: History::KeepLast { depth: 1 }, ..reliable }, Class::Realtime),
            (Qos::sensor_data(), Class::Realtime),
            (reliable, Class::Control),
        ] {
            let mut order = Order::new(&qos, class);
            assert_eq!(order.on_sample(NOW, sample(0)), [0]);
            assert_eq!(order.on_sample(NOW, sample(2)), [2]);
            assert_eq!(order.on_sample(NOW, sample(1)), [0; 0]);
            assert_eq!((order.stale(), order.deadline()), (1, None));
        }
    }

    #[test]
    fn a_late_reader_of_a_transient_local_topic_gets_what_was_kept_in_order() {
        let qos = Qos {
            history: History::KeepLast { depth: 3 },
            durability: Durability::TransientLocal,
            ..Qos::default()
        };
        let mut order = Order::new(&qos, Class::Realtime);
        assert_eq!(order.on_sample(NOW, sample(6)), [0; 0]);
        assert_eq!(order.on_sample(NOW, sample(4)), [4]);
        assert_eq!(order.on_sample(NOW, sample(5)), [5, 6]);
    }

    #[test]
    fn what_a_new_session_sends_again_is_not_written_again() {
        let qos = Qos {
            history: History::KeepLast { depth: 2 },
            durability: Durability::TransientLocal,
            ..Qos::default()
        };
        let mut order = Order::new(&qos, Class::Realtime);
        for sequence in 0..4 {
            order.on_sample(NOW, sample(sequence));
        }
        let again = |order: &mut Order<u32>, sequence, capture_ms| {
            let capture = PeerTime::from_millis(capture_ms);
            order.on_sample(NOW, Numbered { capture, ..in_session(2, sequence) })
        };
        assert_eq!(again(&mut order, 0, 2), [0; 0]);
        assert_eq!(again(&mut order, 1, 3), [0; 0]);
        assert_eq!(order.on_time(NOW + HOLD), [0; 0]);
        assert_eq!(again(&mut order, 2, 50), [0; 0], "0 and 1 may have been others");
        assert_eq!(order.on_time(NOW + HOLD), [2]);
    }

    #[test]
    fn another_session_numbers_anew_and_lets_go_of_what_waited() {
        let mut order = order(3);
        order.on_sample(NOW, sample(0));
        order.on_sample(NOW, sample(2));
        assert_eq!(order.on_sample(NOW, in_session(2, 0)), [2, 0]);
    }

    /// ROS2-25: a topic that goes and comes back in one session is another publication.
    #[test]
    fn another_publication_numbers_anew_and_what_was_under_way_of_the_former_is_dropped() {
        let of = |flow: u16, sequence| Numbered { flow: FlowId(flow), ..sample(sequence) };
        for (former, latter) in [(3, 4), (u16::MAX, 1)] {
            let mut order = order(3);
            assert_eq!(order.on_sample(NOW, of(former, 5)), [5]);
            assert_eq!(order.on_sample(NOW, of(former, 7)), [0; 0]);
            assert_eq!(order.on_sample(NOW, of(latter, 0)), [7, 0]);
            assert_eq!(order.on_sample(NOW, of(former, 8)), [0; 0]);
            assert_eq!((order.on_sample(NOW, of(latter, 1)), order.stale()), (vec![1], 1));
        }
    }

    #[test]
    fn a_topic_that_goes_gives_what_waits_in_its_order() {
        let mut order = order(5);
        order.on_sample(NOW, sample(0));
        order.on_sample(NOW, sample(4));
        order.on_sample(NOW, sample(2));
        assert_eq!((order.finish(), order.deadline()), (vec![2, 4], None));
    }

    #[test]
    fn numbers_may_wrap() {
        let mut order = order(3);
        assert_eq!(order.on_sample(NOW, sample(u32::MAX)), [u32::MAX]);
        assert_eq!(order.on_sample(NOW, sample(1)), [0; 0]);
        assert_eq!(order.on_sample(NOW, sample(0)), [0, 1]);
    }
}
