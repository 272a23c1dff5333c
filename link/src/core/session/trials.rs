//! Measuring a path that is nobody's home, by copies of what goes elsewhere (LNK-94).

use super::Session;
use super::transmit::capture_stamp;
use crate::core::outbox::OutFlow;
use crate::core::path::Packet;
use crate::core::sample::{OutSample, Sending};
use crate::core::sent::Content;
use crate::wire::{Fragment, Frame, HEADER_LEN};
use tokkyu_contract::{Class, MonoTime, TraceId};

/// What a packet of a trial carries.
enum Copy {
    Shard(TraceId, u16),
    Padding,
    Nothing,
}

impl Session {
    /// The next packet of a trial, if one is due on the path at `at`; else what ends a burst.
    pub(super) fn trial_packet(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Option<Class> {
        if self.paths.len() == 1 || !self.goes_on_trial(now, at) {
            return self.end_burst(now, at, out);
        }
        let path = &mut self.paths[at];
        if path.is_window_full() {
            return self.due_probe(now, at, out);
        }
        if !path.pacer.is_ready(now) {
            path.burst.held_back = true;
            return None;
        }
        match self.next_copy(now, at) {
            Copy::Shard(id, index) => self.copy_shard(now, at, id, index, out),
            Copy::Padding => Some(self.copy_nothing(now, at, out)),
            Copy::Nothing => self.end_burst(now, at, out),
        }
    }

    /// Whether a trial is under way on the path at `at`, or begins now.
    fn goes_on_trial(&mut self, now: MonoTime, at: usize) -> bool {
        let is_home = self.is_home(self.paths[at].id);
        let path = &mut self.paths[at];
        if is_home {
            path.trial.on_sample(now);
            return false;
        }
        let was_unseen = path.rate.is_unseen();
        if path.trial.begins(now) && !was_unseen {
            path.rate.on_trial();
        }
        if path.trial.is_under_way() && !path.rate.has_train() {
            path.trial.on_end(now);
        }
        path.trial.is_under_way()
    }

    /// A data shard of the newest sample that goes on another path in several packets. Where that has longer packets, none
    /// fits: then as many of nothing go.
    fn next_copy(&mut self, now: MonoTime, at: usize) -> Copy {
        let path = &mut self.paths[at];
        let room = path.size.in_force() - HEADER_LEN - Frame::FRAGMENT_OVERHEAD;
        let is_elsewhere = |sample: &&OutSample| {
            !sample.is_whole() && sample.path() != path.id && !sample.is_confirmed() && sample.expires > now
        };
        let newest = |flow: &OutFlow| {
            let newest = flow.samples().filter(is_elsewhere).last();
            newest.map(|sample| (sample.capture, sample.id, sample.k, sample.shard_bytes() <= room))
        };
        // Without the table: it has no place among the publications.
        let newest = self.flows[1..].iter().filter_map(newest).max_by_key(|(capture, ..)| *capture);
        let Some((_, id, k, fits)) = newest else { return Copy::Nothing };
        match path.trial.next_shard(id, k) {
            Some(index) if fits => Copy::Shard(id, index),
            Some(_) => Copy::Padding,
            None => Copy::Nothing,
        }
    }

    fn copy_nothing(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Class {
        let path = &mut self.paths[at];
        path.begin_paced(now, true, out);
        Frame::Probe.write(out);
        Frame::Padding(path.size.in_force().saturating_sub(out.len())).write(out);
        self.stats.packets_copied += 1;
        self.finish(now, at, out, Packet { content: Content::Nothing, watched: true }, true);
        Class::Realtime
    }

    fn copy_shard(
        &mut self,
        now: MonoTime,
        at: usize,
        id: TraceId,
        index: u16,
        out: &mut Vec<u8>,
    ) -> Option<Class> {
        let (flow, path) = (self.place(id.flow)?, &mut self.paths[at]);
        path.begin_paced(now, true, out);
        let sample = self.flows[flow].get_mut(id.sequence)?;
        let (k, bytes, capture_us) =
            (sample.k as u16, sample.shard_bytes() as u16, capture_stamp(now, sample.capture));
        let shard = sample.shard(index, &mut self.codec)?;
        Frame::Fragment(Fragment { id, capture_us, k, index, shard }).write(out);
        let content = Content::Shard { id, index, bytes, sending: Sending::First, stay: None };
        self.stats.packets_copied += 1;
        self.finish(now, at, out, Packet { content, watched: true }, true);
        Some(self.flows[flow].class)
    }
}
