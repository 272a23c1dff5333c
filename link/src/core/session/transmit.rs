//! Packets on their way out: what goes next, and how it is put into a packet (SPEC §6).

use super::Session;
use crate::core::outbox::OutFlow;
use crate::core::parity::{Expectation, Loss, Prices, risk_worth_taking};
use crate::core::path::PathState;
use crate::core::rate::TRAIN;
use crate::core::sample::Sending;
use crate::core::scheduler::{Choice, Reach, choose, waiting};
use crate::core::sent::{Content, MAX_REPEATS, NewPacket, USUAL_REPEATS};
use crate::core::window::{Delays, most_unanswered};
use crate::wire::{Fragment, Frame, Header, Whole};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime, TraceId};

/// Time coding a sample takes at the sender and the receiver together (measured: 0.1 and 0.5 ms for 266 shards).
const CODING: Duration = Duration::from_micros(600);
/// Above this round trip chance is planned for, below it the next repair is as quick.
const LONG_ROUND_TRIP: Duration = Duration::from_millis(5);
/// More packets of the peer missing in a row are not chance.
const BURSTY_GAP: u32 = 4;
/// More feedback than this costs both ends more than it gains: each is a packet made, sent, read and taken in, and a wake-up.
const LEAST_FEEDBACK_INTERVAL: Duration = Duration::from_micros(200);
/// Bytes of earlier samples a packet repeats at most (LNK-44).
const REPEATED_BYTES: usize = 512;

/// The path may be better than we think by this: a capacity that changes all the time is never known well.
const HOPE: f64 = 2.0;
/// What cannot arrive whole is begun this often all the same (LNK-52).
const TRY_INTERVAL: Duration = Duration::from_secs(2);

/// A packet being filled.
pub(super) struct Packet {
    pub(super) content: Content,
    pub(super) watched: bool,
}

impl Session {
    /// The next packet to send now, written to `out` (cleared before), with the class it travels in. None when there
    /// is nothing to send before [`Session::deadline`].
    pub fn poll_transmit(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Option<Class> {
        self.start(now);
        self.publish_table(now);
        self.burst.held_back = false;
        if let Some(class) = self.feedback_packet(now, out) {
            return Some(class);
        }
        let all = Reach { earliest: self.earliest_arrival(now), most_bps: f64::INFINITY };
        if let Some(choice) = choose(&self.flows, Class::Control, all, false) {
            return self.sample_packet(now, choice, out);
        }
        if self.path.state() == PathState::Silent {
            return self.silent_probe(now, out);
        }
        if self.hole.is_hole() {
            return self.hole_packet(now, all, out);
        }
        if let Some(class) = self.feeler_packet(now, out) {
            return Some(class);
        }
        let reach = Reach { most_bps: self.most_hoped_for(now), ..all };
        self.paced_packet(now, reach, out)
    }

    /// What is not whole in time even at twice the rate is not begun: it would only stand in front of others. But one
    /// now and then is, or nothing would show that the path carries more (LNK-52).
    fn most_hoped_for(&self, now: MonoTime) -> f64 {
        match self.rate.is_starting() || now >= self.next_try {
            true => f64::INFINITY,
            false => self.rate.rate_bps() * HOPE,
        }
    }

    /// When a packet sent now arrives at the earliest. By the shortest round trip: a queue may be gone by then, and a
    /// sample held back for it would never show that it is. It may as well stand on the way back.
    fn earliest_arrival(&self, now: MonoTime) -> MonoTime {
        now + self.rtt.min().min(self.rtt.smoothed()).min(self.shortest_rtt) / 2
    }

    fn paced_packet(&mut self, now: MonoTime, reach: Reach, out: &mut Vec<u8>) -> Option<Class> {
        let is_crowded = self.rate.is_hungry(now);
        let next = |flows: &[OutFlow]| {
            Class::ALL[1..].iter().find_map(|class| choose(flows, *class, reach, is_crowded))
        };
        let mut choice = next(&self.flows);
        if choice.is_none() && self.burst.is_open && self.top_up(now) {
            choice = next(&self.flows);
        }
        if choice.is_some() && self.is_window_full() {
            return self.due_probe(now, out); // an answer opens the window
        }
        if choice.is_some() && !self.pacer.is_ready(now) {
            self.burst.held_back = true;
            return None;
        }
        match choice {
            Some(choice) => self.sample_packet(now, choice, out),
            None => self.end_burst(now, out),
        }
    }

    /// As much is unanswered as may be (LNK-67).
    pub(super) fn is_window_full(&self) -> bool {
        let packet = self.packets.in_force();
        let most = match self.rate.is_unseen() {
            true => u64::from(TRAIN) * packet as u64,
            false => most_unanswered(self.rate.known_bps(), self.delays(), packet),
        };
        self.log.unanswered_bytes() >= most
    }

    fn delays(&self) -> Delays {
        // Feedback is lost too, on a bursty path several in a row.
        let unheard = self.feedback_interval() * self.received.longest_gap();
        Delays {
            min_rtt: self.rtt.min(),
            extra: self.rate.jitter() * 4 + self.rate.foreign_queue() + self.clock.queue_back() + unheard,
        }
    }

    /// Nothing is left to send: a probe shows what was lost at the end, and another if that one is lost (LNK-40).
    pub(super) fn end_burst(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Option<Class> {
        self.burst.on_idle();
        if std::mem::take(&mut self.burst.owes_probe) {
            self.burst.probe_at = Some(now + self.feedback_interval());
            return Some(self.probe_packet(now, out));
        }
        self.due_probe(now, out)
    }

    pub(super) fn due_probe(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Option<Class> {
        if now < self.burst.probe_at().min(self.keepalive_at()) {
            return None;
        }
        self.burst.on_answered();
        Some(self.probe_packet(now, out))
    }

    /// A peer that hears nothing takes us for gone (LNK-17), and round trips are learned only from what is sent.
    pub(super) fn keepalive_at(&self) -> MonoTime {
        match self.path.state() {
            PathState::Silent => MonoTime::MAX, // probed already
            PathState::Fresh | PathState::Alive => self.last_watched + self.config.lease / 3,
        }
    }

    fn silent_probe(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Option<Class> {
        self.burst.on_idle();
        self.burst.on_answered(); // the path monitor probes now
        self.path.wants_probe(now).then(|| self.probe_packet(now, out))
    }

    fn probe_packet(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Class {
        self.begin(now, true, out);
        Frame::Probe.write(out);
        self.stats.packets_probe += 1;
        self.finish(now, out, Packet { content: Content::Nothing, watched: true }, false);
        Class::Realtime
    }

    pub(super) fn begin(&self, now: MonoTime, ask: bool, out: &mut Vec<u8>) {
        out.clear();
        Header {
            ask,
            long_lost: self.hole.is_hole(),
            is_cut: self.packets.is_cut(),
            feedback_interval: self.feedback_interval_units(),
            number: self.log.next_number() as u32,
            sent_us: now.as_micros() as u32,
        }
        .write(out);
    }

    pub(super) fn finish(&mut self, now: MonoTime, out: &[u8], packet: Packet, paced: bool) {
        let burst = if self.burst.is_open { self.burst.number } else { 0 };
        let new = NewPacket {
            at: now,
            bytes: out.len(),
            burst,
            in_burst: self.burst.packets,
            content: packet.content,
            watched: packet.watched,
        };
        let mut settled = std::mem::take(&mut self.settled);
        self.log.record(new, &mut settled);
        self.apply(now, &mut settled, false);
        self.settled = settled;
        self.burst.packets += 1;
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += out.len() as u64;
        if packet.watched {
            self.path.on_sent(now);
            self.last_watched = now;
        }
        let (bytes, bps) = (out.len() + self.config.overhead_bytes, self.rate.pacing_bps());
        if paced {
            self.pacer.on_sent(now, bytes, bps);
            self.rate.on_sent();
        } else {
            self.pacer.on_unpaced(now, bytes, bps);
        }
    }

    /// How often we want feedback: an eighth of a round trip, in units of 50 µs.
    fn feedback_interval_units(&self) -> u8 {
        (self.feedback_interval().as_micros() / 50) as u8
    }

    pub(super) fn feedback_interval(&self) -> Duration {
        // Bursts of loss take packets, not time: where they take feedback, twice as much of it halves the silence.
        let longest = if self.received.longest_gap() > BURSTY_GAP { 2 } else { 4 };
        (self.rtt.smoothed() / 8).clamp(LEAST_FEEDBACK_INTERVAL, Duration::from_millis(longest))
    }

    /// Unanswered for this long is lost (LNK-40).
    pub(super) fn probe_timeout(&self) -> Duration {
        let srtt = self.rtt.smoothed();
        // Feedback is lost too, on a bursty path several in a row.
        let silence = self.feedback_interval() * (5 + 2 * self.received.longest_gap());
        srtt * 9 / 8 + silence + self.log.reorder_window() + Duration::from_micros(300)
    }

    /// A packet with feedback, if it is due, and with whatever small goes along.
    fn feedback_packet(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Option<Class> {
        let feedback = self.received.take_feedback(now);
        let floor = self.flows.iter_mut().find_map(OutFlow::take_floor);
        if feedback.is_none() && floor.is_none() {
            return None;
        }
        self.begin(now, false, out);
        if let Some(feedback) = feedback {
            Frame::Feedback(feedback).write(out);
            self.stats.packets_feedback += 1;
        }
        let mut packet = Packet { content: Content::Nothing, watched: false };
        if let Some(floor) = floor {
            Frame::Floor(floor).write(out);
            packet = Packet { content: Content::Floor(floor), watched: true };
        } else {
            self.add_control_sample(now, out, &mut packet);
        }
        self.finish(now, out, packet, false);
        Some(Class::Control)
    }

    /// Lets a small control sample travel with the feedback.
    fn add_control_sample(&mut self, now: MonoTime, out: &mut Vec<u8>, packet: &mut Packet) {
        let all = Reach { earliest: self.earliest_arrival(now), most_bps: f64::INFINITY };
        let Some(choice) = choose(&self.flows, Class::Control, all, false) else { return };
        let flow = &self.flows[choice.flow];
        let fits = flow.get(choice.sequence).is_some_and(|sample| {
            sample.is_whole()
                && out.len() + Frame::SAMPLE_OVERHEAD + sample.payload().len() <= self.packets.in_force()
        });
        if fits {
            packet.content = self.write_samples(now, choice, out);
            packet.watched = true;
        }
    }

    pub(super) fn sample_packet(
        &mut self,
        now: MonoTime,
        choice: Choice,
        out: &mut Vec<u8>,
    ) -> Option<Class> {
        if choice.is_new {
            self.begin_sample(now, choice);
        }
        let flow = &self.flows[choice.flow];
        let (class, is_whole) = (flow.class, flow.get(choice.sequence)?.is_whole());
        let paced = class != Class::Control;
        if paced {
            self.burst.on_paced(now, !is_whole);
        }
        self.begin(now, paced && (self.burst.packets == 0 || self.rate.wants_answer()), out);
        let content =
            if is_whole { self.write_samples(now, choice, out) } else { self.write_shard(now, choice, out)? };
        self.finish(now, out, Packet { content, watched: true }, paced);
        Some(class)
    }

    /// The sample's turn has come: its parity is decided now, when the path is known best (LNK-42).
    fn begin_sample(&mut self, now: MonoTime, choice: Choice) {
        let class = self.flows[choice.flow].class;
        let behind = waiting(&self.flows, class).saturating_sub(1).max(self.least_behind(now));
        let loss = self.loss_now();
        let risk = risk_worth_taking(self.prices(), behind);
        let reach = Reach { earliest: self.earliest_arrival(now), most_bps: self.rate.rate_bps() * HOPE };
        if self.flows[choice.flow].get(choice.sequence).is_some_and(|sample| !reach.covers(sample)) {
            self.next_try = now + TRY_INTERVAL;
        }
        let flow = &mut self.flows[choice.flow];
        let reliable = flow.is_reliable();
        let Some(sample) = flow.get_mut(choice.sequence) else { return };
        let waited = now.since(sample.capture);
        if let Some(risk) = risk.filter(|_| reliable && !sample.is_whole()) {
            let limit = loss.parity_limit(sample.k, behind);
            sample.set_parity(loss.spare_for(sample.k, risk, limit), limit);
        }
        flow.on_turn(waited);
    }

    /// Samples that wait behind whatever is sent: where flows lack rate there is always one, here already or not.
    fn least_behind(&self, now: MonoTime) -> usize {
        usize::from(self.rate.is_hungry(now))
    }

    pub(super) fn loss_now(&self) -> Loss {
        Loss { share: self.loss.share(), dispersion: self.loss.dispersion() }
    }

    fn prices(&self) -> Prices {
        // Without the queue of our own burst: it makes everything late alike, a repair no more than the rest.
        // A loss is told half an interval later, on average.
        let repair = self.rtt.min() + self.feedback_interval() / 2;
        let packet_bits = 8.0 * (self.packets.in_force() + self.config.overhead_bytes) as f64;
        Prices {
            repair_s: repair.as_secs_f64(),
            coding_s: CODING.as_secs_f64(),
            packet_s: packet_bits / self.rate.rate_bps(),
        }
    }

    /// The link is idle: samples not confirmed get parity that delays nobody (LNK-43). True if any was added.
    fn top_up(&mut self, now: MonoTime) -> bool {
        let Some(risk) = risk_worth_taking(self.prices(), self.least_behind(now)) else { return false };
        let loss = self.loss_now();
        let mut added = false;
        for sample in self.flows.iter_mut().filter(|flow| flow.is_reliable()).flat_map(OutFlow::samples_mut) {
            added |= sample.top_up(|needed, under_way| {
                // `needed` of `under_way + more` must arrive.
                let spare = loss.spare_for(needed, risk, under_way);
                (needed + spare).saturating_sub(under_way)
            });
        }
        added
    }

    fn write_shard(&mut self, now: MonoTime, choice: Choice, out: &mut Vec<u8>) -> Option<Content> {
        let sample = self.flows[choice.flow].get_mut(choice.sequence)?;
        let (index, sending) = sample.take_shard()?;
        let (id, k, capture_us) = (sample.id, sample.k, capture_stamp(now, sample.capture));
        let bytes = sample.shard_bytes() as u16;
        let shard = sample.shard(index, &mut self.codec)?;
        Frame::Fragment(Fragment { id, capture_us, k: k as u16, index, shard }).write(out);
        sample.on_sent(sending);
        match (sending, usize::from(index) < k) {
            (Sending::Again, _) => self.stats.packets_repair += 1,
            (Sending::First, true) => self.stats.packets_fresh += 1,
            (Sending::First, false) => self.stats.packets_parity += 1,
        }
        Some(Content::Shard { id, index, bytes, sending })
    }

    /// Writes a whole sample, and earlier ones of its flow that may have been lost (LNK-44).
    fn write_samples(&mut self, now: MonoTime, choice: Choice, out: &mut Vec<u8>) -> Content {
        let most = if self.path.state() == PathState::Silent { MAX_REPEATS } else { USUAL_REPEATS };
        let flow = &mut self.flows[choice.flow];
        let mut ids = [None; MAX_REPEATS];
        let mut room = self.packets.in_force();
        for (slot, sequence) in ids.iter_mut().zip(whole_samples(flow, choice.sequence, most, now)) {
            let Some(sample) = flow.get_mut(sequence) else { continue };
            let bytes = Frame::SAMPLE_OVERHEAD + sample.payload().len();
            if out.len() + bytes > room {
                break;
            }
            if sequence == choice.sequence {
                match sample.take_shard() {
                    Some((_, Sending::Again)) => self.stats.packets_repair += 1,
                    _ => self.stats.packets_fresh += 1,
                }
                room = room.min(out.len() + bytes + REPEATED_BYTES);
            }
            let capture_us = capture_stamp(now, sample.capture);
            Frame::Sample(Whole { id: sample.id, capture_us, payload: sample.payload() }).write(out);
            // A repeat does not wait for a loss: each counts as a first one.
            sample.on_sent(Sending::First);
            *slot = Some(sample.id);
        }
        Content::Samples(ids)
    }

    /// Queues repairs and settles what is over.
    pub(super) fn plan(&mut self, now: MonoTime) {
        let loss = self.loss_now();
        let is_long = self.rtt.smoothed() >= LONG_ROUND_TRIP;
        let expected = if is_long { Expectation::Less(loss) } else { Expectation::All };
        let is_silent = self.path.state() == PathState::Silent;
        for flow in &mut self.flows {
            flow.sweep(now);
            // On a silent path nothing is known to be lost. Of a stream of commands only the newest is sent again, and
            // repeats those before: repairs of all of them would stand in front of the next one.
            let newest = flow.next_sequence().wrapping_sub(1);
            if flow.is_reliable() {
                let wanted = flow.samples_mut().filter(|sample| !is_silent || sample.id.sequence == newest);
                wanted.for_each(|sample| sample.plan_repairs(now, &expected));
            }
        }
        self.report_ended();
    }
}

/// A capture time for the wire: what is older than half a turn of the stamp is told to be that old, or it would look
/// fresh.
fn capture_stamp(now: MonoTime, capture: MonoTime) -> u32 {
    capture.max(now.saturating_sub(Duration::from_micros(u64::from(u32::MAX / 2)))).as_micros() as u32
}

/// The sample to send, then the newest before it that are sent, unconfirmed and alive, `most` in all.
fn whole_samples(flow: &OutFlow, sequence: u32, most: usize, now: MonoTime) -> Vec<u32> {
    let mut sequences = vec![sequence];
    if flow.is_reliable() {
        let open: Vec<&TraceId> = flow
            .samples()
            .filter(|s| s.is_whole() && s.is_sent() && !s.is_confirmed() && s.expires > now)
            .map(|s| &s.id)
            .filter(|id| id.sequence != sequence)
            .collect();
        sequences.extend(open.iter().rev().take(most - 1).map(|id| id.sequence));
    }
    sequences
}
