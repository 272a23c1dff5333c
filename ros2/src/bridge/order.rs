//! The order in which samples of a topic are written at the target: ROS2-16.
//!
//! Pure. Invariants: what is given out never goes back in numbers within a publication; no more than `depth` samples wait,
//! none longer than [`HOLD`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokkyu_contract::{Class, Durability, FlowId, MonoTime, PeerTime, Qos, Reliability};

/// Longest wait of a sample for one before it: a few round trips of a long path, in which a repair comes or does not.
pub(super) const HOLD: Duration = Duration::from_millis(250);

/// A publication whose first number here is below this one began at 0 while it had a reader here: what comes before that
/// sample is under way.
const BEGINNING: u64 = 16;
/// Publications that others have taken the place of, remembered: a topic comes back seldom while samples are under way.
const FORMER: usize = 8;

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
    /// Publications of this session that it has taken the place of.
    former: VecDeque<FlowId>,
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
    /// One waits for the other. Of a transient local topic a late reader gets the last `depth`.
    InOrder { depth: usize, is_local: bool },
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
                Rule::InOrder { depth: depth as usize, is_local }
            }
            _ => Rule::Newest,
        }
    }
}

/// Where a publication begins of which `number` came first.
fn first_of(number: u64, depth: usize, is_local: bool) -> u64 {
    match is_local {
        true => number.saturating_sub(depth as u64 - 1),
        false if number < BEGINNING => 0,
        false => number,
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
            former: VecDeque::new(),
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
            (Rule::InOrder { depth, is_local }, next) => {
                self.next = next.or(Some(first_of(number, depth, is_local)));
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

    /// A sample of a publication that another has taken the place of: it was under way. How their numbers compare says
    /// nothing: all topics share them (LNK-31).
    fn is_former(&self, numbered: &Numbered<T>) -> bool {
        numbered.session == self.stream.0 && self.former.contains(&numbered.flow)
    }

    /// Another session or publication: numbers begin again, and what waited for the last one's waits for nothing any
    /// more.
    fn begin(&mut self, stream: (u64, FlowId)) -> Vec<T> {
        let (session, flow) = std::mem::replace(&mut self.stream, stream);
        if session != stream.0 {
            self.former.clear();
        } else {
            self.former.push_back(flow);
            if self.former.len() > FORMER {
                self.former.pop_front();
            }
        }
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
mod tests;
