//! Datagrams on their way in: parsing, acknowledgements, reassembly (SPEC §1, §3, §5).

use super::{Session, place_of};
use crate::core::event::Event;
use crate::core::inbox::Complete;
use crate::core::outbox::OutFlow;
use crate::core::path::{Path, PathId, PathState};
use crate::core::received::Arrival;
use crate::core::sample::{OutSample, Sending};
use crate::core::sent::{Carried, Content, Settled};
use crate::wire::{Feedback, Frame, Header, Malformed, Reader};
use std::time::Duration;
use tokkyu_contract::{FlowId, MonoTime, Outcome, PeerTime, TraceId};

/// Incomplete samples are looked at this often, and later for each of them: a flood of small ones must not keep us busy.
const PARTIAL_CHECK: Duration = Duration::from_millis(10);
const PARTIAL_CHECK_EACH: Duration = Duration::from_micros(1);
/// What a peer's own stamps may differ by: they are read at one moment, and cut to microseconds.
const MOST_ROUNDING_US: u32 = 1_000;

impl Session {
    /// A datagram came on `path`, marked Congestion Experienced or not. What cannot be parsed in full is counted and
    /// ignored (LNK-20).
    pub fn on_datagram(&mut self, now: MonoTime, path: PathId, ce: bool, datagram: &[u8]) {
        let Some(at) = self.path_at(path) else { return };
        self.start(now);
        let Ok((header, eliciting)) = check(datagram) else {
            self.stats.packets_malformed += 1;
            return;
        };
        self.note_alive();
        let arrival = Arrival { bytes: datagram.len(), ce, eliciting };
        if !self.paths[at].received.on_packet(now, &header, arrival) {
            self.stats.packets_duplicate += 1;
            return;
        }
        self.stats.packets_received += 1;
        self.hear_of_hole(at, &header);
        let sent = self.clock.unwrap(now, header.sent_us);
        self.paths[at].received.on_stamp(now, sent);
        if self.clock.on_packet(now, sent) {
            self.on_clock_jump();
        }
        let mut reader = Reader::new(datagram);
        let _ = Header::read(&mut reader);
        while let (false, Ok(frame)) = (reader.is_empty(), Frame::read(&mut reader)) {
            self.on_frame(now, at, frame, sent);
        }
        self.tell_ended(now);
    }

    fn on_frame(&mut self, now: MonoTime, at: usize, frame: Frame<'_>, sent: PeerTime) {
        match frame {
            Frame::Fragment(shard) => {
                let capture = capture_time(sent, shard.capture_us);
                if let Some(complete) = self.inbox.on_fragment(now, &shard, capture) {
                    self.on_complete(now, complete);
                }
            }
            Frame::Sample(whole) => {
                let capture = capture_time(sent, whole.capture_us);
                if let Some(complete) = self.inbox.on_sample(now, &whole, capture) {
                    self.on_complete(now, complete);
                }
            }
            Frame::Feedback(feedback) => self.on_feedback(now, at, &feedback, sent),
            Frame::Floor(id) => self.on_floor(now, id),
            Frame::Probe | Frame::Padding(_) | Frame::Extension { .. } => {}
        }
    }

    fn on_feedback(&mut self, now: MonoTime, at: usize, feedback: &Feedback, answered: PeerTime) {
        let path = &mut self.paths[at];
        let Some(highest) = path.log.highest_of(feedback) else {
            self.stats.violations += 1;
            return;
        };
        let Some(sent) = path.log.get(highest).copied() else { return };
        let rtt = now.since(sent.at).saturating_sub(Duration::from_micros(u64::from(feedback.hold_us)));
        if self.clock.is_of_now(sent.at) {
            path.rtt.on_sample(now, rtt);
        }
        path.pacer.on_path(path.rtt.min(), path.rate.rate_bps());
        let received = time_of_receipt(feedback, answered);
        if received.is_some_and(|received| self.clock.on_answer(now, sent.at, received)) {
            self.on_clock_jump();
        }
        let (path, mut settled) = (&mut self.paths[at], std::mem::take(&mut self.settled));
        path.log.on_feedback(now, feedback, path.rtt.smoothed(), &mut settled);
        let is_whole = path.monitor.state() == PathState::Alive && !path.hole.is_hole();
        let learn = is_whole && path.rate.is_calm(path.rtt.min());
        self.apply(now, at, &mut settled, learn);
        self.settled = settled;
        let path = &mut self.paths[at];
        if path.log.under_way() == 0 {
            path.burst.on_answered();
        }
        if path.monitor.on_feedback(now, path.log.under_way() > 0) {
            path.rate.on_path_back();
            path.pacer.refill(now);
            self.on_path_answers(now, at);
        }
        if let Some(received) = received {
            self.paths[at].on_mark(now, &sent, feedback, received);
        }
        self.plan(now);
    }

    /// This machine was suspended for `span`, for which our clock stood. To be told before any packet that waited: by our
    /// clock they came as soon as they were sent. No age is known until an answer to a packet sent from now on (LNK-4).
    pub fn on_suspended(&mut self, now: MonoTime, span: Duration) {
        self.clock.begin_anew(now);
        self.on_clock_jump();
        self.flows.iter_mut().for_each(|flow| flow.on_suspended(span));
    }

    /// A clock jumped: what was learned by both together is void (LNK-4).
    fn on_clock_jump(&mut self) {
        self.paths.iter_mut().for_each(Path::on_clock_jump);
    }

    /// Brings what the log settled to the samples, and to the loss statistics when `learn`.
    pub(super) fn apply(&mut self, now: MonoTime, at: usize, settled: &mut Settled, learn: bool) {
        for resolved in &settled.resolved {
            let sent = &resolved.sent;
            self.watch_for_hole(now, at, sent, resolved.lost);
            if let Content::Feeler = sent.content {
                self.on_feeler_fate(now, at, sent, resolved.lost);
            } else if learn && sent.bytes as usize <= self.paths[at].size.in_force() {
                self.paths[at].loss.on_packet(resolved.lost, sent.in_burst);
            }
            apply_content(&mut self.flows, &sent.content, |sample, index, sending, is_of_now| {
                match (resolved.lost, is_of_now) {
                    (true, true) => sample.on_lost(index, sending),
                    (false, true) => sample.on_acked(index, sending),
                    // A copy, or of a sample that moved since: it is not waited for.
                    (true, false) => {}
                    (false, false) => sample.on_arrived_after_all(index),
                }
            });
            if let Content::Floor(id) = &sent.content {
                // One that was withdrawn needs none any more.
                let Some(at) = place_of(&self.flows, id.flow) else { continue };
                let flow = &mut self.flows[at];
                if resolved.lost { flow.owe_floor() } else { flow.on_floor_confirmed(id.sequence) }
            }
        }
        for sent in &settled.spurious {
            self.stats.spurious += 1;
            self.on_late_answer(now, at, sent);
            if let Content::Feeler = sent.content {
                self.on_feeler_fate(now, at, sent, false);
            } else if learn && sent.was_missed() {
                self.paths[at].loss.on_spurious();
            }
            apply_content(&mut self.flows, &sent.content, |sample, index, _, _| {
                sample.on_arrived_after_all(index)
            });
        }
        settled.clear();
    }

    fn on_complete(&mut self, now: MonoTime, complete: Complete) {
        if complete.id.flow == FlowId::SESSION {
            self.inbox.settle(FlowId::SESSION, Outcome::Delivered);
            self.on_table(now, &complete);
            return;
        }
        match self.incoming.contains_key(&complete.id.flow) {
            true => self.hand_over(now, complete),
            false => self.inbox.park(complete),
        }
    }

    /// Delivers samples that came before the table did.
    pub(super) fn deliver_parked(&mut self, now: MonoTime) {
        for complete in self.inbox.take_parked() {
            self.hand_over(now, complete);
        }
    }

    pub(super) fn miss(&mut self, id: TraceId, outcome: Outcome) {
        self.inbox.settle(id.flow, outcome);
        self.events.push_back(Event::Missed { id, outcome });
    }

    /// Age of a sample of the peer and the bound of its error (LNK-3, LNK-4).
    pub(super) fn age(
        &self,
        now: MonoTime,
        capture: PeerTime,
        first_packet: MonoTime,
    ) -> (Duration, Duration) {
        let unknown = || (now.since(first_packet) + self.longest_rtt() / 2, Duration::MAX);
        self.clock.age(now, capture).unwrap_or_else(unknown)
    }

    /// Gives up incomplete samples that can only come late (LNK-3).
    pub(super) fn expire_incoming(&mut self, now: MonoTime) {
        if !self.inbox.has_partials() || now < self.next_partial_check {
            return;
        }
        let partials = u32::try_from(self.inbox.partials()).unwrap_or(u32::MAX);
        self.next_partial_check = now + PARTIAL_CHECK + PARTIAL_CHECK_EACH * partials;
        let lifespans = self.incoming_lifespans();
        let offset = self.clock.offset(now).map(|(offset, _)| offset);
        self.inbox.expire(|flow, capture, first_packet| {
            let Some(lifespan) = lifespans.get(&flow) else { return false };
            let captured = offset.map_or(first_packet, |offset| capture.to_mono(offset));
            now.since(captured) > *lifespan
        });
        self.tell_ended(now);
    }
}

/// Parses a datagram to its end: header, and whether it calls for feedback.
fn check(datagram: &[u8]) -> Result<(Header, bool), Malformed> {
    let mut reader = Reader::new(datagram);
    let header = Header::read(&mut reader)?;
    let (mut eliciting, mut feedbacks) = (false, 0);
    while !reader.is_empty() {
        let is_feedback = matches!(Frame::read(&mut reader)?, Frame::Feedback(_));
        eliciting |= !is_feedback;
        feedbacks += u32::from(is_feedback);
    }
    // Each makes us look at everything that is under way: a packet full of them would keep us busy.
    if feedbacks > 1 { Err(Malformed("more than one feedback")) } else { Ok((header, eliciting)) }
}

/// When the packet that `feedback` answers came, by the clock of the peer, who sent the answer at `answered`. None where the
/// peer's own figures contradict each other (LNK-22).
fn time_of_receipt(feedback: &Feedback, answered: PeerTime) -> Option<PeerTime> {
    let held_us = (answered.as_micros() as u32).wrapping_sub(feedback.highest_rx_us);
    let is_whole = held_us.abs_diff(feedback.hold_us) <= MOST_ROUNDING_US;
    is_whole.then(|| answered.saturating_sub(Duration::from_micros(u64::from(held_us))))
}

/// The full capture stamp: it lies before the packet was sent, by at most 2³² µs.
fn capture_time(sent: PeerTime, capture_us: u32) -> PeerTime {
    let age_us = (sent.as_micros() as u32).wrapping_sub(capture_us);
    // A capture stamp a little in the future (a camera that stamps the end of its exposure) reads as a huge age.
    if age_us > u32::MAX / 2 {
        return sent;
    }
    sent.saturating_sub(Duration::from_micros(u64::from(age_us)))
}

/// Gives `change` each sample that a packet carried, with the shard, how it was sent, and whether it was part of what is
/// counted of the sample now.
fn apply_content(
    flows: &mut [OutFlow],
    content: &Content,
    mut change: impl FnMut(&mut OutSample, u16, Sending, bool),
) {
    // What was cut anew since is another cut's (LNK-87).
    let mut each = |carried: Carried, (index, sending), is_same_cut: &dyn Fn(&OutSample) -> bool| {
        let Carried { id, stay } = carried;
        let sample = place_of(flows, id.flow).and_then(|at| flows[at].get_mut(id.sequence));
        if let Some(sample) = sample.filter(|sample| is_same_cut(sample)) {
            let is_of_now = stay == Some(sample.stay());
            change(sample, index, sending, is_of_now);
        }
    };
    match *content {
        Content::Shard { id, index, bytes, sending, stay } => {
            each(Carried { id, stay }, (index, sending), &|sample| {
                !sample.is_whole() && sample.shard_bytes() == usize::from(bytes)
            });
        }
        Content::Samples(carried) => {
            let all = carried.into_iter().flatten();
            all.for_each(|one| each(one, (0, Sending::First), &OutSample::is_whole));
        }
        Content::Floor(_) | Content::Feeler | Content::Nothing => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::sample::Cut;
    use crate::wire::MAX_FEEDBACK_WORDS;
    use tokkyu_contract::{Class, Qos};

    /// LNK-93: a packet from before the sample moved, or with a copy of it, tells what arrived and no more.
    #[test]
    fn what_a_packet_carried_counts_for_the_stay_that_it_was_sent_in() {
        let mut flow = OutFlow::new(FlowId(1), Class::Realtime, Qos::default(), None);
        let id = TraceId { flow: flow.id, sequence: 0 };
        let cut = Cut::of(PathId::FIRST, 125, 125);
        flow.push(
            MonoTime::ZERO,
            OutSample::new(id, MonoTime::ZERO, MonoTime::MAX, vec![7; 350].into(), cut),
        );
        let bytes = flow.get(0).map_or(0, OutSample::shard_bytes) as u16;
        let mut flows = [flow];
        let mut is_of_now = |stay| {
            let content = Content::Shard { id, index: 0, bytes, sending: Sending::First, stay };
            let mut found = None;
            apply_content(&mut flows, &content, |sample, _, _, is_of_now| {
                found = Some(is_of_now);
                sample.move_to(PathId(1)); // and again, and again
            });
            found
        };
        assert_eq!([is_of_now(Some(0)), is_of_now(Some(0))], [Some(true), Some(false)], "it moved");
        assert_eq!([is_of_now(None), is_of_now(Some(3))], [Some(false), Some(true)]);
    }

    #[test]
    fn a_receipt_that_the_peers_own_stamps_contradict_is_none() {
        let receipt = |highest_rx_us, hold_us| {
            let bitmap = [0; MAX_FEEDBACK_WORDS];
            let feedback =
                Feedback { highest: 0, highest_rx_us, hold_us, received_bytes: 0, ce: 0, words: 1, bitmap };
            time_of_receipt(&feedback, PeerTime::from_micros((1 << 32) + 5_000))
        };
        assert_eq!(receipt(3_000, 2_000), Some(PeerTime::from_micros((1 << 32) + 3_000)));
        assert_eq!(receipt(u32::MAX, 5_001), Some(PeerTime::from_micros((1 << 32) - 1)), "over a wrap");
        for (highest_rx_us, hold_us) in [(3_000, 3_001), (3_000, 0), (6_000, 0), (3_000, u32::MAX)] {
            assert_eq!(receipt(highest_rx_us, hold_us), None, "{highest_rx_us} {hold_us}");
        }
    }
}
