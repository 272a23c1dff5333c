//! Packets no longer than the path takes them (LNK-85 to LNK-88): shorter at once, longer again after a feeler.

use super::Session;
use super::transmit::Packet;
use crate::core::event::{Event, Way};
use crate::core::packet_size::Change;
use crate::core::path::PathState;
use crate::core::sample::Cut;
use crate::core::sent::{Content, Sent};
use crate::wire::Frame;
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// How samples are cut now.
    pub(super) fn cut(&self) -> Cut {
        Cut::of(self.packets.in_force(), self.packets.least())
    }

    /// Our own device refused a datagram of `bytes` for its length (EMSGSIZE).
    pub fn on_refused_size(&mut self, now: MonoTime, bytes: usize) {
        let change = self.packets.on_refused(now, bytes);
        change.into_iter().for_each(|change| self.on_change(now, change));
    }

    /// Long packets are lost: shorter ones from now on. False when they cannot be shorter.
    pub(super) fn shorten(&mut self, now: MonoTime) -> bool {
        let change = self.packets.on_long_lost(now);
        change.into_iter().for_each(|change| self.on_change(now, change));
        change.is_some()
    }

    fn on_change(&mut self, now: MonoTime, change: Change) {
        match change {
            Change::Shortened => self.on_shortened(now),
            Change::Found => self.tell_cut(),
            Change::Whole => self.events.push_back(Event::PacketsWhole { way: Way::Out }),
        }
    }

    fn on_shortened(&mut self, now: MonoTime) {
        let cut = self.cut();
        self.flows.iter_mut().for_each(|flow| flow.cut_anew(cut));
        self.report_ended();
        self.take_up_what_was_known(now);
        self.tell_cut();
    }

    fn tell_cut(&mut self) {
        let ip_bytes = Some(self.config.ip_bytes.saturating_sub(self.packets.missing()));
        self.events.push_back(Event::PacketsCut { way: Way::Out, ip_bytes });
    }

    /// The feeler that is due, if the pacer lets it go (LNK-77).
    pub(super) fn feeler_packet(&mut self, now: MonoTime, out: &mut Vec<u8>) -> Option<Class> {
        let bytes = self.packets.due_feeler(now)?;
        if self.is_window_full() || !self.pacer.is_ready(now) {
            return None;
        }
        self.packets.on_feeler();
        // Like fragments, it is followed by a probe: its loss must not look like silence.
        self.burst.on_paced(now, true);
        self.begin(now, false, out);
        Frame::Probe.write(out);
        Frame::Padding(bytes.saturating_sub(out.len())).write(out);
        self.stats.packets_probe += 1;
        self.finish(now, out, Packet { content: Content::Feeler, watched: true }, true);
        Some(Class::Realtime)
    }

    /// When a feeler is due that may go.
    pub(super) fn feeler_at(&self) -> MonoTime {
        let is_possible =
            self.path.state() != PathState::Silent && !self.hole.is_hole() && !self.is_window_full();
        if is_possible { self.packets.deadline().max(self.pacer.wake_at()) } else { MonoTime::MAX }
    }

    /// A feeler was answered or given up.
    pub(super) fn on_feeler_fate(&mut self, now: MonoTime, sent: &Sent, is_lost: bool) {
        let bytes = sent.bytes as usize;
        let change = match is_lost {
            true => self.packets.on_feeler_lost(now, bytes),
            false => self.packets.on_feeler_answered(now, bytes),
        };
        change.into_iter().for_each(|change| self.on_change(now, change));
    }
}
