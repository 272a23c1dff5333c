//! The order in which samples of a topic are published at the target: NODE-96.
//!
//! Pure. Invariants: what is given out never goes back in numbers within a publication; no more than `depth` samples wait,
//! none longer than [`HOLD`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokkyu_contract::{Class, Durability, FlowId, MonoTime, PeerTime, Qos, Reliability};

/// Longest wait of a sample for one before it: a few round trips of a long path, in which a repair comes or does not.
const HOLD: Duration = Duration::from_millis(250);
/// Publications that others have taken the place of, remembered.
const FORMER: usize = 8;
/// Samples of a kept topic that are known again, at most.
const RECENT_MAX: usize = 1024;

/// A sample as the link gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbered<T> {
    pub(crate) session: u64,
    pub(crate) flow: FlowId,
    pub(crate) sequence: u32,
    pub(crate) capture: PeerTime,
    pub(crate) sample: T,
}

/// What a topic's QoS and class ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The newest counts: one that comes late is dropped.
    Newest,
    /// One waits for the other.
    InOrder { depth: usize },
    /// The link sees to it (LNK-13).
    AsItComes,
}

impl Rule {
    fn of(qos: &Qos, class: Class) -> Rule {
        let is_newest = qos.reliability == Reliability::BestEffort || class == Class::Control;
        match qos.depth() {
            _ if is_newest => Rule::Newest,
            None => Rule::AsItComes,
            Some(1) => Rule::Newest,
            Some(depth) => Rule::InOrder { depth: depth as usize },
        }
    }
}

/// Where a topic's order stands.
#[derive(Debug)]
pub(crate) struct Order<T> {
    rule: Rule,
    /// The session and the publication that brings the topic.
    stream: Option<(u64, FlowId)>,
    /// Publications of this session that it has taken the place of.
    former: VecDeque<FlowId>,
    /// The number due next, without its wrap; `None` before the first sample of a publication.
    next: Option<u64>,
    held: BTreeMap<u64, (MonoTime, T)>,
    missed: BTreeSet<u64>,
    /// Of a kept topic the last samples: a new session brings them again (LNK-14).
    recent: VecDeque<(PeerTime, u64)>,
    /// How many of those are remembered; none of a topic that is not kept.
    recent_max: usize,
    stale: u64,
}

impl<T> Order<T> {
    pub(crate) fn new(qos: &Qos, class: Class) -> Order<T> {
        let recent_max = match qos.durability {
            Durability::Volatile => 0,
            Durability::TransientLocal => qos.depth().map_or(RECENT_MAX, |depth| depth as usize),
        };
        Order {
            rule: Rule::of(qos, class),
            stream: None,
            former: VecDeque::new(),
            next: None,
            held: BTreeMap::new(),
            missed: BTreeSet::new(),
            recent: VecDeque::new(),
            recent_max: recent_max.min(RECENT_MAX),
            stale: 0,
        }
    }

    /// Samples since it was asked last that came too late, or for the second time.
    pub(crate) fn take_stale(&mut self) -> u64 {
        std::mem::take(&mut self.stale)
    }

    /// When [`Order::on_time`] has something to do.
    pub(crate) fn deadline(&self) -> Option<MonoTime> {
        self.held.values().map(|(since, _)| *since + HOLD).min()
    }

    /// A sample came; gives those whose turn it is.
    pub(crate) fn on_sample(&mut self, now: MonoTime, numbered: Numbered<T>) -> Vec<T> {
        let Numbered { session, flow, sequence, capture, sample } = numbered;
        let mut due = Vec::new();
        if self.is_former(session, flow) || self.is_known(session, capture) {
            self.stale += 1;
            return due;
        }
        if self.stream != Some((session, flow)) {
            due = self.begin(session, flow);
        }
        let number = self.number(sequence);
        match self.rule {
            Rule::AsItComes => due.push(sample),
            _ if self.next.is_some_and(|next| number < next) => self.stale += 1,
            Rule::Newest => {
                self.next = Some(number + 1);
                due.push(sample);
            }
            Rule::InOrder { .. } => {
                self.next.get_or_insert(number);
                if self.held.insert(number, (now, sample)).is_some() {
                    self.stale += 1;
                }
                due.extend(self.due());
            }
        }
        due
    }

    /// A sample of this publication will never come; gives those that waited for it.
    pub(crate) fn on_missed(&mut self, flow: FlowId, sequence: u32) -> Vec<T> {
        let is_ours = self.stream.is_some_and(|(_, ours)| ours == flow);
        if let (Rule::InOrder { depth }, Some(next), true) = (self.rule, self.next, is_ours) {
            let number = self.number(sequence);
            if number >= next && self.missed.len() < depth {
                self.missed.insert(number);
            }
        }
        self.due()
    }

    /// Gives those that have waited long enough.
    pub(crate) fn on_time(&mut self, now: MonoTime) -> Vec<T> {
        let mut due = Vec::new();
        while self.deadline().is_some_and(|deadline| now >= deadline) {
            self.skip();
            due.extend(self.due());
        }
        due
    }

    /// The topic goes: nothing is waited for any more. Gives what waits, in its order.
    pub(crate) fn finish(&mut self) -> Vec<T> {
        std::mem::take(&mut self.held).into_values().map(|(_, sample)| sample).collect()
    }

    /// A sample of a publication that another has taken the place of: it was under way.
    fn is_former(&self, session: u64, flow: FlowId) -> bool {
        self.stream.is_some_and(|(current, _)| current == session) && self.former.contains(&flow)
    }

    /// It came in a session before.
    fn is_known(&mut self, session: u64, capture: PeerTime) -> bool {
        if self.recent.iter().any(|(known, before)| *known == capture && *before != session) {
            return true;
        }
        self.recent.push_back((capture, session));
        while self.recent.len() > self.recent_max {
            self.recent.pop_front();
        }
        false
    }

    /// Another session or publication: numbers begin again, and what waited for the last one's waits for nothing any more.
    fn begin(&mut self, session: u64, flow: FlowId) -> Vec<T> {
        match self.stream.replace((session, flow)) {
            Some((former, _)) if former != session => self.former.clear(),
            Some((_, former)) => self.former.push_back(former),
            None => {}
        }
        while self.former.len() > FORMER {
            self.former.pop_front();
        }
        self.next = None;
        self.missed.clear();
        self.finish()
    }

    /// All whose turn it is now.
    fn due(&mut self) -> Vec<T> {
        let mut due = Vec::new();
        let Rule::InOrder { depth } = self.rule else { return due };
        while let Some(next) = self.next {
            if let Some((_, sample)) = self.held.remove(&next) {
                due.push(sample);
            } else if !self.missed.remove(&next) {
                if self.held.len() <= depth {
                    break;
                }
                self.skip();
                continue;
            }
            self.next = Some(next + 1);
        }
        due
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
        // Far from 0, so that what lies before the first number has one as well.
        let Some(next) = self.next else { return u64::from(sequence) + (1 << 32) };
        let ahead = i64::from(sequence.wrapping_sub(next as u32) as i32);
        next.saturating_add_signed(ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::History;

    fn qos(depth: u32) -> Qos {
        Qos { history: History::KeepLast { depth }, ..Qos::default() }
    }

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    fn numbered(session: u64, flow: u16, sequence: u32) -> Numbered<u32> {
        let capture = PeerTime::from_millis(u64::from(sequence) + 1);
        Numbered { session, flow: FlowId(flow), sequence, capture, sample: sequence }
    }

    fn gives(order: &mut Order<u32>, sequences: &[u32]) -> Vec<u32> {
        sequences.iter().flat_map(|n| order.on_sample(at(0), numbered(1, 1, *n))).collect()
    }

    #[test]
    fn of_control_best_effort_and_depth_1_what_comes_after_a_newer_one_is_dropped() {
        let best_effort = Qos { reliability: Reliability::BestEffort, ..qos(10) };
        for (qos, class) in
            [(qos(10), Class::Control), (best_effort, Class::Realtime), (qos(1), Class::BestEffort)]
        {
            let mut order = Order::new(&qos, class);
            assert_eq!(gives(&mut order, &[3, 5, 4, 5, 6]), [3, 5, 6]);
            assert_eq!(order.take_stale(), 2);
        }
    }

    #[test]
    fn others_wait_for_one_before_them_until_it_comes_or_is_told_missed() {
        let mut order = Order::new(&qos(10), Class::Realtime);
        assert_eq!(gives(&mut order, &[0, 2, 3, 1, 5]), [0, 1, 2, 3]);
        assert_eq!(order.on_missed(FlowId(9), 4), [0; 0], "another publication's");
        assert_eq!(order.on_missed(FlowId(1), 4), [5]);
        assert_eq!((order.take_stale(), order.deadline()), (0, None));
    }

    #[test]
    fn they_wait_for_250_ms_and_depth_samples_at_most() {
        let mut order = Order::new(&qos(2), Class::Realtime);
        assert_eq!(gives(&mut order, &[0, 2, 3]), [0]);
        assert_eq!(order.on_time(at(249)), [0; 0]);
        assert_eq!(order.on_time(at(250)), [2, 3]);
        assert_eq!(gives(&mut order, &[5, 6]), [0; 0]);
        assert_eq!(gives(&mut order, &[7, 4]), [5, 6, 7]);
        assert_eq!(order.take_stale(), 1);
    }

    #[test]
    fn numbers_wrap() {
        let mut order = Order::new(&qos(5), Class::Realtime);
        assert_eq!(gives(&mut order, &[u32::MAX - 1, 0, u32::MAX, 1]), [u32::MAX - 1, u32::MAX, 0, 1]);
    }

    #[test]
    fn another_publication_begins_anew_and_what_is_under_way_of_the_former_is_dropped() {
        let mut order = Order::new(&qos(5), Class::Realtime);
        assert_eq!(gives(&mut order, &[7, 9]), [7]);
        assert_eq!(order.on_sample(at(1), numbered(1, 2, 0)), [9, 0]);
        assert_eq!(order.on_sample(at(1), numbered(1, 1, 10)), [0; 0]);
        assert_eq!(order.take_stale(), 1);
        assert_eq!(order.on_sample(at(1), numbered(2, 1, 20)), [20], "numbers of another session are others");
    }

    #[test]
    fn what_a_new_session_brings_again_of_a_kept_topic_is_dropped() {
        let kept = Qos { durability: Durability::TransientLocal, ..qos(2) };
        let mut order = Order::new(&kept, Class::BestEffort);
        assert_eq!(gives(&mut order, &[1, 2, 3]), [1, 2, 3]);
        let again: Vec<u32> =
            [2, 3, 4].iter().flat_map(|n| order.on_sample(at(5), numbered(2, 1, *n))).collect();
        assert_eq!(again, [4]);
        assert_eq!(order.take_stale(), 2);
    }

    #[test]
    fn what_waits_is_given_when_the_topic_goes() {
        let mut order = Order::new(&qos(5), Class::Realtime);
        assert_eq!(gives(&mut order, &[0, 3, 2]), [0]);
        assert_eq!(order.finish(), [2, 3]);
    }
}
