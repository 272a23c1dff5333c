//! Packets on their way out: what goes next, and how it is put into a packet (SPEC §6).

use super::Session;
use crate::core::outbox::OutFlow;
use crate::core::parity::{Expectation, risk_worth_taking};
use crate::core::path::{Packet, Path, PathId};
use crate::core::sample::{OutSample, Sending};
use crate::core::scheduler::{Choice, Reach, choose, choose_copy, waiting};
use crate::core::sent::{Carried, Content, MAX_REPEATS, USUAL_REPEATS};
use crate::wire::{Fragment, Frame, HEADER_LEN, Whole};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime, TraceId};

/// Above this round trip chance is planned for, below it the next repair is as quick.
const LONG_ROUND_TRIP: Duration = Duration::from_millis(5);
/// Bytes of earlier samples a packet repeats at most (LNK-44).
const REPEATED_BYTES: usize = 512;
/// What cannot arrive whole is begun this often all the same (LNK-52).
const TRY_INTERVAL: Duration = Duration::from_secs(2);

impl Session {
    /// The next packet to send now on `path`, written to `out` (cleared before), with the class it travels in. None when
    /// there is nothing to send on it before [`Session::deadline`], or no such path.
    pub fn poll_transmit(&mut self, now: MonoTime, path: PathId, out: &mut Vec<u8>) -> Option<Class> {
        let at = self.path_at(path)?;
        self.start(now);
        self.publish_table(now);
        self.paths[at].burst.held_back = false;
        if let Some(class) = self.feedback_packet(now, at, out) {
            return Some(class);
        }
        let all = self.paths[at].reach(now);
        if let Some(choice) = choose(&self.flows, Class::Control, all, false) {
            return self.sample_packet(now, at, choice, out);
        }
        if let Some(choice) = self.due_copy(all) {
            return self.sample_packet(now, at, choice, out);
        }
        if self.paths[at].is_silent() {
            return self.silent_probe(now, at, out);
        }
        if self.paths[at].hole.is_hole() {
            return self.hole_packet(now, at, all, out);
        }
        if let Some(class) = self.feeler_packet(now, at, out) {
            return Some(class);
        }
        let reach = Reach { most_bps: self.most_hoped_for(now, at), ..all };
        self.paced_packet(now, at, reach, out)
    }

    /// What is not whole in time even at twice the rate is not begun: it would only stand in front of others. But one
    /// now and then is, or nothing would show that the path carries more (LNK-52).
    fn most_hoped_for(&self, now: MonoTime, at: usize) -> f64 {
        let path = &self.paths[at];
        match path.rate.is_starting() || now >= path.burst.next_try {
            true => f64::INFINITY,
            false => path.most_hoped_for(),
        }
    }

    fn paced_packet(&mut self, now: MonoTime, at: usize, reach: Reach, out: &mut Vec<u8>) -> Option<Class> {
        let is_crowded = self.paths[at].rate.is_hungry(now);
        let next = |flows: &[OutFlow]| {
            Class::ALL[1..].iter().find_map(|class| choose(flows, *class, reach, is_crowded))
        };
        let mut choice = next(&self.flows);
        if choice.is_none() && self.paths[at].burst.is_open && self.top_up(now, at) {
            choice = next(&self.flows);
        }
        if choice.is_some() && self.paths[at].is_window_full() {
            return self.due_probe(now, at, out); // an answer opens the window
        }
        if choice.is_some() && !self.paths[at].pacer.is_ready(now) {
            self.paths[at].burst.held_back = true;
            return None;
        }
        match choice {
            Some(choice) => self.sample_packet(now, at, choice, out),
            None => self.trial_packet(now, at, out),
        }
    }

    /// A copy of control that is due on this path (LNK-91).
    fn due_copy(&self, all: Reach) -> Option<Choice> {
        let path = self.path(all.path);
        let room = path.size.in_force() - HEADER_LEN - Frame::SAMPLE_OVERHEAD;
        if self.paths.len() > 1 { choose_copy(&self.flows, all, room) } else { None }
    }

    /// Nothing is left to send: a probe shows what was lost at the end, and another if that one is lost (LNK-40).
    pub(super) fn end_burst(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Option<Class> {
        let path = &mut self.paths[at];
        path.burst.on_idle();
        if std::mem::take(&mut path.burst.owes_probe) {
            path.burst.probe_at = Some(now + path.feedback_interval());
            return Some(self.probe_packet(now, at, out));
        }
        self.due_probe(now, at, out)
    }

    pub(super) fn due_probe(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Option<Class> {
        let path = &mut self.paths[at];
        if now < path.burst.probe_at().min(path.keepalive_at(self.config.lease)) {
            return None;
        }
        path.burst.on_answered();
        Some(self.probe_packet(now, at, out))
    }

    fn silent_probe(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Option<Class> {
        let path = &mut self.paths[at];
        path.burst.on_idle();
        path.burst.on_answered(); // the path monitor probes now
        path.monitor.wants_probe(now).then(|| self.probe_packet(now, at, out))
    }

    fn probe_packet(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Class {
        self.paths[at].begin(now, true, out);
        Frame::Probe.write(out);
        self.stats.packets_probe += 1;
        self.finish(now, at, out, Packet { content: Content::Nothing, watched: true }, false);
        Class::Realtime
    }

    pub(super) fn finish(&mut self, now: MonoTime, at: usize, out: &[u8], packet: Packet, paced: bool) {
        let mut settled = std::mem::take(&mut self.settled);
        self.paths[at].record(now, out.len(), &packet, paced, &mut settled);
        self.apply(now, at, &mut settled, false);
        self.settled = settled;
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += out.len() as u64;
    }

    /// A packet with feedback, if it is due, and with whatever small goes along.
    fn feedback_packet(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Option<Class> {
        let feedback = self.paths[at].received.take_feedback(now);
        let floor = self.due_floor(at);
        if feedback.is_none() && floor.is_none() {
            return None;
        }
        self.paths[at].begin(now, false, out);
        if let Some(feedback) = feedback {
            Frame::Feedback(feedback).write(out);
            self.stats.packets_feedback += 1;
        }
        let mut packet = Packet { content: Content::Nothing, watched: false };
        if let Some(floor) = floor {
            Frame::Floor(floor).write(out);
            packet = Packet { content: Content::Floor(floor), watched: true };
        } else {
            self.add_control_sample(now, at, out, &mut packet);
        }
        self.finish(now, at, out, packet, false);
        Some(Class::Control)
    }

    /// A floor goes where it is answered, if anything is.
    fn due_floor(&mut self, at: usize) -> Option<TraceId> {
        let is_worse = self.paths[at].is_silent() && self.paths.iter().any(|path| !path.is_silent());
        if is_worse { None } else { self.flows.iter_mut().find_map(OutFlow::take_floor) }
    }

    /// Lets a small control sample travel with the feedback.
    fn add_control_sample(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>, packet: &mut Packet) {
        let path = &self.paths[at];
        let all = path.reach(now);
        let choice = choose(&self.flows, Class::Control, all, false).or_else(|| self.due_copy(all));
        let Some(choice) = choice else { return };
        let flow = &self.flows[choice.flow];
        let fits = flow.get(choice.sequence).is_some_and(|sample| {
            let bytes = out.len() + Frame::SAMPLE_OVERHEAD + sample.payload().len();
            sample.is_whole() && bytes <= path.size.in_force()
        });
        if let Some(content) = fits.then(|| self.write_samples(now, at, choice, out)).flatten() {
            (packet.content, packet.watched) = (content, true);
        }
    }

    pub(super) fn sample_packet(
        &mut self,
        now: MonoTime,
        at: usize,
        choice: Choice,
        out: &mut Vec<u8>,
    ) -> Option<Class> {
        if choice.is_new {
            self.begin_sample(now, at, choice);
        }
        let flow = &self.flows[choice.flow];
        let (class, is_whole) = (flow.class, flow.get(choice.sequence)?.is_whole());
        let paced = class != Class::Control;
        let path = &mut self.paths[at];
        match paced {
            true => path.begin_paced(now, !is_whole, out),
            false => path.begin(now, false, out),
        }
        let content = match is_whole {
            true => self.write_samples(now, at, choice, out)?,
            false => self.write_shard(now, choice, out)?,
        };
        self.finish(now, at, out, Packet { content, watched: true }, paced);
        Some(class)
    }

    /// The sample's turn has come: its parity is decided now, when the path is known best (LNK-42).
    fn begin_sample(&mut self, now: MonoTime, at: usize, choice: Choice) {
        let path = &mut self.paths[at];
        let class = self.flows[choice.flow].class;
        let behind = waiting(&self.flows, class, path.id).saturating_sub(1).max(path.least_behind(now));
        let (loss, risk) = (path.loss_now(), risk_worth_taking(path.prices(), behind));
        let reach = Reach { most_bps: path.most_hoped_for(), ..path.reach(now) };
        if self.flows[choice.flow].get(choice.sequence).is_some_and(|sample| !reach.covers(sample)) {
            path.burst.next_try = now + TRY_INTERVAL;
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

    /// The link is idle: samples not confirmed get parity that delays nobody (LNK-43). True if any was added.
    fn top_up(&mut self, now: MonoTime, at: usize) -> bool {
        let path = &self.paths[at];
        let Some(risk) = risk_worth_taking(path.prices(), path.least_behind(now)) else { return false };
        let loss = path.loss_now();
        let mut added = false;
        let reliable = self.flows.iter_mut().filter(|flow| flow.is_reliable());
        let here = reliable.flat_map(OutFlow::samples_mut).filter(|sample| sample.path() == path.id);
        for sample in here {
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
        let (bytes, stay) = (sample.shard_bytes() as u16, Some(sample.stay()));
        let shard = sample.shard(index, &mut self.codec)?;
        Frame::Fragment(Fragment { id, capture_us, k: k as u16, index, shard }).write(out);
        sample.on_sent(sending);
        match (sending, usize::from(index) < k) {
            (Sending::Again, _) => self.stats.packets_repair += 1,
            (Sending::First, true) => self.stats.packets_fresh += 1,
            (Sending::First, false) => self.stats.packets_parity += 1,
        }
        Some(Content::Shard { id, index, bytes, sending, stay })
    }

    /// Writes a whole sample, and earlier ones of its flow that may have been lost (LNK-44).
    /// None where not even the first one fits.
    fn write_samples(
        &mut self,
        now: MonoTime,
        at: usize,
        choice: Choice,
        out: &mut Vec<u8>,
    ) -> Option<Content> {
        let path = &self.paths[at];
        let (most, on) = (if path.is_silent() { MAX_REPEATS } else { USUAL_REPEATS }, path.id);
        let flow = &mut self.flows[choice.flow];
        let mut ids = [None; MAX_REPEATS];
        let mut room = path.size.in_force();
        for (slot, sequence) in ids.iter_mut().zip(whole_samples(flow, choice.sequence, most, on, now)) {
            let Some(sample) = flow.get_mut(sequence) else { continue };
            let bytes = Frame::SAMPLE_OVERHEAD + sample.payload().len();
            if out.len() + bytes > room {
                break;
            }
            if sequence == choice.sequence {
                // Of a copy nothing is taken: what it still needs goes on its own path.
                match if sample.path() == on { sample.take_shard() } else { None } {
                    Some((_, Sending::Again)) => self.stats.packets_repair += 1,
                    _ => self.stats.packets_fresh += 1,
                }
                room = room.min(out.len() + bytes + REPEATED_BYTES);
            }
            let (capture_us, is_home) = (capture_stamp(now, sample.capture), sample.path() == on);
            Frame::Sample(Whole { id: sample.id, capture_us, payload: sample.payload() }).write(out);
            // A repeat does not wait for a loss: each counts as a first one.
            match is_home {
                true => sample.on_sent(Sending::First),
                false => sample.on_copied(on),
            }
            *slot = Some(Carried { id: sample.id, stay: is_home.then(|| sample.stay()) });
        }
        ids[0].is_some().then_some(Content::Samples(ids))
    }

    /// Queues repairs and settles what is over.
    pub(super) fn plan(&mut self, now: MonoTime) {
        let paths = &self.paths;
        let one_answers = paths.iter().any(|path| !path.is_silent());
        for flow in &mut self.flows {
            flow.sweep(now);
            if !flow.is_reliable() {
                continue;
            }
            let newest = flow.next_sequence().wrapping_sub(1);
            for path in paths {
                // On a silent path nothing is known to be lost. Of a stream of commands only the newest is sent again, and
                // repeats those before: repairs of all of them would stand in front of the next one.
                let may =
                    |sample: &OutSample| !path.is_silent() || !one_answers && sample.id.sequence == newest;
                let wanted = flow.samples_mut().filter(|sample| sample.path() == path.id && may(sample));
                let expected = expectation(path);
                wanted.for_each(|sample| sample.plan_repairs(now, &expected));
            }
        }
        self.report_ended();
    }
}

fn expectation(path: &Path) -> Expectation {
    let is_long = path.rtt.smoothed() >= LONG_ROUND_TRIP;
    if is_long { Expectation::Less(path.loss_now()) } else { Expectation::All }
}

/// A capture time for the wire: what is older than half a turn of the stamp is told to be that old, or it would look
/// fresh.
pub(super) fn capture_stamp(now: MonoTime, capture: MonoTime) -> u32 {
    capture.max(now.saturating_sub(Duration::from_micros(u64::from(u32::MAX / 2)))).as_micros() as u32
}

/// The sample to send, then the newest before it that were sent on this path, are unconfirmed and alive, `most` in all.
fn whole_samples(flow: &OutFlow, sequence: u32, most: usize, on: PathId, now: MonoTime) -> Vec<u32> {
    let mut sequences = vec![sequence];
    if flow.is_reliable() {
        let open: Vec<&TraceId> = flow
            .samples()
            .filter(|s| s.is_whole() && s.was_sent_on(on) && !s.is_confirmed() && s.expires > now)
            .map(|s| &s.id)
            .filter(|id| id.sequence != sequence)
            .collect();
        sequences.extend(open.iter().rev().take(most - 1).map(|id| id.sequence));
    }
    sequences
}
