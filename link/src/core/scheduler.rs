//! Who sends next (LNK-50, LNK-51). Strict order of classes; within a class repairs, then what has begun, then the
//! sample to expire first, in rounds in which the flow that has waited longest goes first.
//!
//! Looks at every open sample of a class for each packet: a robot has few, and the order is then always exact.

use super::outbox::OutFlow;
use super::path::PathId;
use super::sample::{OutSample, ToSend};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};

/// Samples that expire this close to each other are one round: cameras that fire on the same tick.
const ROUND: Duration = Duration::from_millis(20);

/// No sample takes longer than a year.
const LONGEST_TAKE_S: f64 = 3e7;

const LONGEST_ROUND: Duration = Duration::from_secs(1);

/// What is one round where the path does not carry all: the longest period of the class. What waits then waits its
/// turn, or flows that fire a little earlier would always come first.
fn crowded_round(flows: &[OutFlow], class: Class) -> Duration {
    let waits = |flow: &&OutFlow| flow.class == class && flow.samples().any(OutSample::is_waiting);
    let periods = flows.iter().filter(waits).filter_map(|flow| flow.period);
    periods.max().unwrap_or(ROUND).clamp(ROUND, LONGEST_ROUND)
}

/// The sample to send from next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Index of the flow.
    pub flow: usize,
    /// Sequence number in it.
    pub sequence: u32,
    /// Nothing of it was sent so far.
    pub is_new: bool,
}

/// What can still come in time.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// When a packet sent now arrives.
    pub earliest: MonoTime,
    /// Bit/s that the path will not exceed.
    pub most_bps: f64,
    /// Of the samples that go on this path.
    pub path: PathId,
}

impl Reach {
    /// Samples that have begun, or go in one packet, come in time while a packet does; others when all of them may.
    pub fn covers(&self, sample: &OutSample) -> bool {
        if !sample.is_waiting() || sample.is_whole() {
            return sample.expires > self.earliest;
        }
        let takes_s = sample.unsent_bytes() as f64 * 8.0 / self.most_bps;
        sample.expires > self.earliest + Duration::from_secs_f64(takes_s.min(LONGEST_TAKE_S))
    }
}

/// The next sample of `class` to send from. Samples beyond `reach` are passed over. `is_crowded`: the path does not carry
/// all, flows gave way lately.
pub fn choose(flows: &[OutFlow], class: Class, reach: Reach, is_crowded: bool) -> Option<Choice> {
    let of =
        |(flow, sample): (usize, &OutSample), is_new| Choice { flow, sequence: sample.id.sequence, is_new };
    let urgent = |wanted: fn(&OutFlow, &OutSample) -> bool| {
        let wanted = open(flows, class, reach).filter(|(at, sample)| wanted(&flows[*at], sample));
        wanted.min_by_key(|(_, sample)| (sample.to_send(), sample.expires))
    };
    // Asked for each packet: what is repaired and what has begun in one pass, the former first.
    if let Some(begun) = urgent(|_, sample| sample.to_send() < ToSend::Waiting) {
        return Some(of(begun, false));
    }
    // What a flow gets that asks for less than its share is not for those to take that ask for more.
    let fits = |flow: &OutFlow, sample: &OutSample| sample.is_waiting() && !flow.lacks_rate;
    if let Some(fitting) = is_crowded.then(|| urgent(fits)).flatten() {
        return Some(of(fitting, true));
    }
    let round = if is_crowded { crowded_round(flows, class) } else { ROUND };
    let first = urgent(|_, sample| sample.is_waiting())?.1.expires;
    open(flows, class, reach)
        .filter(|(_, sample)| sample.is_waiting() && sample.expires <= first + round)
        .max_by_key(|(at, sample)| {
            let flow = &flows[*at];
            let first = (sample.expires, *at, sample.id.sequence);
            // One packet delays nobody and need not wait behind a picture; many of them, where room is
            // scarce, take their turn.
            (sample.is_whole() && !is_crowded, flow.starved, flow.waited, std::cmp::Reverse(first))
        })
        .map(|waiting| of(waiting, true))
}

/// The next sample of `class` that goes in a packet of its own of at most `most_bytes` of payload, first the first to
/// expire.
pub fn choose_short(flows: &[OutFlow], class: Class, reach: Reach, most_bytes: usize) -> Option<Choice> {
    let is_short = |sample: &OutSample| sample.is_whole() && sample.payload().len() <= most_bytes;
    open(flows, class, reach)
        .filter(|(_, sample)| sample.to_send() < ToSend::Nothing && is_short(sample))
        .min_by_key(|(_, sample)| (sample.to_send(), sample.expires))
        .map(|(flow, sample)| Choice { flow, sequence: sample.id.sequence, is_new: sample.is_waiting() })
}

/// Samples of `class` that can still come in time, with their flow's index.
fn open(flows: &[OutFlow], class: Class, reach: Reach) -> impl Iterator<Item = (usize, &OutSample)> {
    flows
        .iter()
        .enumerate()
        .filter(move |(_, flow)| flow.class == class)
        .flat_map(|(at, flow)| flow.samples().map(move |sample| (at, sample)))
        .filter(move |(_, sample)| sample.path() == reach.path && reach.covers(sample))
}

/// The next sample of class control of at most `most_bytes` of which a copy is due on the path of `reach`: the first to
/// expire (LNK-91).
pub fn choose_copy(flows: &[OutFlow], reach: Reach, most_bytes: usize) -> Option<Choice> {
    let is_due = |sample: &OutSample| {
        let is_elsewhere = sample.path() != reach.path && !sample.was_sent_on(reach.path);
        let fits = sample.is_whole() && sample.payload().len() <= most_bytes;
        fits && is_elsewhere && !sample.is_confirmed() && sample.expires > reach.earliest
    };
    let control = flows.iter().enumerate().filter(|(_, flow)| flow.class == Class::Control);
    control
        .flat_map(|(at, flow)| flow.samples().map(move |sample| (at, sample)))
        .filter(|(_, sample)| is_due(sample))
        .min_by_key(|(_, sample)| sample.expires)
        .map(|(flow, sample)| Choice { flow, sequence: sample.id.sequence, is_new: false })
}

/// Samples of `class` of more than a packet that wait for their first on `path`.
pub fn waiting(flows: &[OutFlow], class: Class, path: PathId) -> usize {
    let waits = |sample: &&OutSample| sample.path() == path && sample.is_waiting() && !sample.is_whole();
    let of_class = flows.iter().filter(|flow| flow.class == class);
    of_class.map(|flow| flow.samples().filter(waits).count()).sum()
}

/// Bytes of first transmissions on `path` that go before a new sample of `class`.
pub fn bytes_ahead(flows: &[OutFlow], class: Class, path: PathId) -> usize {
    flows
        .iter()
        .filter(|flow| flow.class <= class)
        .flat_map(OutFlow::samples)
        .filter(|sample| sample.path() == path)
        .map(OutSample::unsent_bytes)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Cut;
    use super::*;
    use tokkyu_contract::{FlowId, Qos, TraceId};

    fn flow(id: u16, class: Class) -> OutFlow {
        OutFlow::new(FlowId(id), class, Qos::default(), None)
    }

    fn publish(flow: &mut OutFlow, capture_ms: u64) {
        let id = TraceId { flow: flow.id, sequence: flow.next_sequence() };
        let capture = MonoTime::from_millis(capture_ms);
        let expires = capture + Duration::from_millis(500);
        flow.push(
            capture,
            OutSample::new(id, capture, expires, vec![7; 350].into(), Cut::of(PathId::FIRST, 125, 125)),
        );
    }

    fn until(ms: u64) -> Reach {
        Reach { earliest: MonoTime::from_millis(ms), most_bps: f64::INFINITY, path: PathId::FIRST }
    }

    fn next(flows: &[OutFlow], class: Class) -> Option<(usize, u32)> {
        choose(flows, class, until(0), false).map(|choice| (choice.flow, choice.sequence))
    }

    #[test]
    fn a_sample_that_has_begun_is_finished_before_the_next_begins() {
        let mut flows = [flow(1, Class::Realtime), flow(2, Class::Realtime)];
        flows.iter_mut().for_each(|f| publish(f, 0));
        let first = next(&flows, Class::Realtime).unwrap();
        flows[first.0].get_mut(first.1).unwrap().take_shard();
        for _ in 0..3 {
            assert_eq!(next(&flows, Class::Realtime), Some(first));
            flows[first.0].get_mut(first.1).unwrap().take_shard();
        }
        assert_ne!(next(&flows, Class::Realtime), Some(first));
    }

    #[test]
    fn in_a_round_the_flow_that_waited_longest_goes_first() {
        let mut flows: Vec<OutFlow> = (1..=4).map(|id| flow(id, Class::Realtime)).collect();
        flows.iter_mut().for_each(|f| publish(f, 0));
        flows[2].waited = Duration::from_millis(5);
        assert_eq!(next(&flows, Class::Realtime), Some((2, 0)));
    }

    #[test]
    fn an_older_round_goes_before_a_newer_one_whoever_waited() {
        let mut flows = [flow(1, Class::Realtime), flow(2, Class::Realtime)];
        publish(&mut flows[0], 0);
        publish(&mut flows[1], 100);
        flows[1].waited = Duration::from_secs(9);
        assert_eq!(next(&flows, Class::Realtime), Some((0, 0)));
    }

    #[test]
    fn what_would_arrive_after_its_lifespan_is_passed_over() {
        let mut flows = [flow(1, Class::Realtime)];
        publish(&mut flows[0], 0);
        assert_eq!(choose(&flows, Class::Realtime, until(500), false), None);
        assert!(choose(&flows, Class::Realtime, until(499), false).is_some());
    }

    #[test]
    fn what_cannot_come_whole_is_not_begun_and_what_has_begun_is_finished() {
        let mut flows = [flow(1, Class::Realtime)];
        publish(&mut flows[0], 0);
        // Four shards of 100 bytes.
        let at = |most_bps| Reach { most_bps, ..until(300) };
        let chosen =
            |flows: &[OutFlow], most_bps| choose(flows, Class::Realtime, at(most_bps), false).is_some();
        assert!(!chosen(&flows, 15e3) && chosen(&flows, 17e3));
        flows[0].get_mut(0).unwrap().take_shard();
        assert!(chosen(&flows, 1.0));
    }

    #[test]
    fn classes_do_not_see_each_other() {
        let mut flows = [flow(1, Class::Realtime)];
        publish(&mut flows[0], 0);
        assert_eq!(next(&flows, Class::Control), None);
        assert_eq!(waiting(&flows, Class::Realtime, PathId::FIRST), 1);
        assert_eq!(bytes_ahead(&flows, Class::BestEffort, PathId::FIRST), 400);
        assert_eq!(bytes_ahead(&flows, Class::Control, PathId::FIRST), 0);
    }
}
