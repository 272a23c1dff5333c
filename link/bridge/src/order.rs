//! The order in which samples of a topic are given out at the target: ROS2-16, NODE-96.
//!
//! Pure. Invariants: what is given out never goes back in numbers within a publication; no more than `depth` samples wait,
//! none longer than [`HOLD`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokkyu_contract::{Class, Durability, FlowId, MonoTime, PeerTime, Qos, Reliability};

/// Longest wait of a sample for one before it: a few round trips of a long path, in which a repair comes or does not.
pub const HOLD: Duration = Duration::from_millis(250);

/// A volatile publication whose first number here is below this one began at 0 while it had a reader here: what comes
/// before that sample is under way.
const BEGINNING: u32 = 16;
/// Publications that others have taken the place of, remembered: a topic comes back seldom while samples are under way.
const FORMER_MAX: usize = 8;
/// Samples of a kept topic that are known again, at most.
const RECENT_MAX: usize = 1024;
/// Where the numbers without wrap begin: far from 0, so that what lies before the first sample has one as well.
const BASE: u64 = 1 << 32;

/// A sample as the link gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered<T> {
    /// The session it came in: numbers begin again with each.
    pub session: u64,
    /// The peer's publication.
    pub flow: FlowId,
    /// Its number there.
    pub sequence: u32,
    /// The peer's clock when it was captured.
    pub capture: PeerTime,
    /// The sample.
    pub sample: T,
}

/// What a topic's QoS and class ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The newest counts: one that comes late is dropped.
    Newest,
    /// One waits for the other. Of a kept topic a late reader gets the last `depth`.
    InOrder { depth: usize, is_kept: bool },
    /// The link sees to it (LNK-13).
    AsItComes,
}

impl Rule {
    fn of(qos: &Qos, class: Class) -> Rule {
        let is_newest = qos.reliability == Reliability::BestEffort || class == Class::Control;
        let is_kept = qos.durability == Durability::TransientLocal;
        match qos.depth() {
            _ if is_newest => Rule::Newest,
            None => Rule::AsItComes,
            Some(0 | 1) => Rule::Newest,
            Some(depth) => Rule::InOrder { depth: depth as usize, is_kept },
        }
    }
}

/// Where a topic's order stands.
#[derive(Debug)]
pub struct Order<T> {
    rule: Rule,
    /// The session and the publication that brings the topic.
    stream: Option<(u64, FlowId)>,
    /// Publications of this session that it has taken the place of.
    former: VecDeque<FlowId>,
    /// The number due next, without its wrap; `None` before the first sample of a publication.
    next: Option<u64>,
    held: BTreeMap<u64, (MonoTime, T)>,
    missed: BTreeSet<u64>,
    recent: Recent,
    stale: u64,
}

impl<T> Order<T> {
    /// Nothing came yet of a topic of this QoS and class.
    pub fn new(qos: &Qos, class: Class) -> Order<T> {
        Order {
            rule: Rule::of(qos, class),
            stream: None,
            former: VecDeque::new(),
            next: None,
            held: BTreeMap::new(),
            missed: BTreeSet::new(),
            recent: Recent::of(qos),
            stale: 0,
        }
    }

    /// Samples since it was asked last that came too late, or for the second time.
    pub fn take_stale(&mut self) -> u64 {
        std::mem::take(&mut self.stale)
    }

    /// When [`Order::on_time`] has something to do.
    pub fn deadline(&self) -> Option<MonoTime> {
        self.held.values().map(|(since, _)| *since + HOLD).min()
    }

    /// A sample came; gives those whose turn it is.
    pub fn on_sample(&mut self, now: MonoTime, numbered: Numbered<T>) -> Vec<T> {
        let Numbered { session, flow, sequence, capture, sample } = numbered;
        let mut due = Vec::new();
        if self.is_former(session, flow) {
            self.stale += 1;
            return due;
        }
        if self.stream != Some((session, flow)) {
            due = self.begin(session, flow);
        }
        due.extend(match self.recent.is_known(capture, session) {
            true => self.pass_over(sequence),
            false => self.take(now, sequence, sample),
        });
        due
    }

    /// A sample that came in a session before: those behind it do not wait for it.
    fn pass_over(&mut self, sequence: u32) -> Vec<T> {
        self.stale += 1;
        self.begin_at(sequence);
        self.skip_number(sequence);
        self.due()
    }

    /// A sample of the publication at hand, which did not come in a session before.
    fn take(&mut self, now: MonoTime, sequence: u32, sample: T) -> Vec<T> {
        let number = self.number(sequence);
        match self.rule {
            Rule::AsItComes => return vec![sample],
            _ if self.next.is_some_and(|next| number < next) => self.stale += 1,
            Rule::Newest => {
                self.next = Some(number + 1);
                return vec![sample];
            }
            Rule::InOrder { .. } => {
                self.begin_at(sequence);
                if self.held.insert(number, (now, sample)).is_some() {
                    self.stale += 1;
                }
            }
        }
        self.due()
    }

    /// A sample of this publication will never come; gives those that waited for it.
    pub fn on_missed(&mut self, flow: FlowId, sequence: u32) -> Vec<T> {
        if self.stream.is_some_and(|(_, ours)| ours == flow) {
            self.skip_number(sequence);
        }
        self.due()
    }

    /// Nothing waits for this number.
    fn skip_number(&mut self, sequence: u32) {
        if let (Rule::InOrder { depth, .. }, Some(next)) = (self.rule, self.next) {
            let number = self.number(sequence);
            if number >= next && self.missed.len() < depth {
                self.missed.insert(number);
            }
        }
    }

    /// The publication's first sample is here.
    fn begin_at(&mut self, sequence: u32) {
        if let Rule::InOrder { depth, is_kept } = self.rule {
            self.next.get_or_insert_with(|| BASE + u64::from(first_of(sequence, depth, is_kept)));
        }
    }

    /// Gives those that have waited long enough.
    pub fn on_time(&mut self, now: MonoTime) -> Vec<T> {
        let mut due = Vec::new();
        while self.deadline().is_some_and(|deadline| now >= deadline) {
            self.skip();
            due.extend(self.due());
        }
        due
    }

    /// The topic goes: nothing is waited for any more. Gives what waits, in its order.
    pub fn finish(&mut self) -> Vec<T> {
        std::mem::take(&mut self.held).into_values().map(|(_, sample)| sample).collect()
    }

    /// A sample of a publication that another has taken the place of: it was under way. How their numbers compare says
    /// nothing: all topics share them (LNK-31).
    fn is_former(&self, session: u64, flow: FlowId) -> bool {
        self.stream.is_some_and(|(current, _)| current == session) && self.former.contains(&flow)
    }

    /// Another session or publication: numbers begin again, and what waited for the last one's waits for nothing any
    /// more.
    fn begin(&mut self, session: u64, flow: FlowId) -> Vec<T> {
        match self.stream.replace((session, flow)) {
            Some((former, _)) if former != session => self.former.clear(),
            Some((_, former)) => self.former.push_back(former),
            None => {}
        }
        while self.former.len() > FORMER_MAX {
            self.former.pop_front();
        }
        self.next = None;
        self.missed.clear();
        self.finish()
    }

    /// All whose turn it is now.
    fn due(&mut self) -> Vec<T> {
        let mut due = Vec::new();
        let Rule::InOrder { depth, .. } = self.rule else { return due };
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
        let Some(next) = self.next else { return BASE + u64::from(sequence) };
        let ahead = i64::from(sequence.wrapping_sub(next as u32) as i32);
        next.saturating_add_signed(ahead)
    }
}

/// Where a publication begins of which sample `sequence` came first.
fn first_of(sequence: u32, depth: usize, is_kept: bool) -> u32 {
    match is_kept {
        true => sequence.saturating_sub(u32::try_from(depth - 1).unwrap_or(u32::MAX)),
        false if sequence < BEGINNING => 0,
        false => sequence,
    }
}

/// Capture times of the last samples of a kept topic, with their sessions: a new session sends again what is kept (LNK-14),
/// which a reader here must not get twice.
#[derive(Debug)]
struct Recent {
    /// How many are remembered: none of a topic that is not kept.
    max: usize,
    captures: VecDeque<(PeerTime, u64)>,
}

impl Recent {
    fn of(qos: &Qos) -> Recent {
        let kept = match qos.durability {
            Durability::Volatile => 0,
            Durability::TransientLocal => qos.depth().map_or(RECENT_MAX, |depth| depth as usize),
        };
        Recent { max: kept.min(RECENT_MAX), captures: VecDeque::new() }
    }

    /// Whether a sample captured then came in a session before; if not it is remembered.
    fn is_known(&mut self, capture: PeerTime, session: u64) -> bool {
        if self.captures.iter().any(|(known, before)| *known == capture && *before != session) {
            return true;
        }
        self.captures.push_back((capture, session));
        while self.captures.len() > self.max {
            self.captures.pop_front();
        }
        false
    }
}

#[cfg(test)]
mod tests;
