//! Packets no longer than the path takes them (LNK-85 to LNK-88): shorter at once, longer again after a feeler.

use super::Session;
use crate::core::event::{Event, Way};
use crate::core::packet_size::Change;
use crate::core::path::{Packet, PathId};
use crate::core::sent::{Content, Sent};
use crate::wire::Frame;
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// The device of `path` refused a datagram of `bytes` for its length (EMSGSIZE).
    pub fn on_refused_size(&mut self, now: MonoTime, path: PathId, bytes: usize) {
        let Some(at) = self.path_at(path) else { return };
        let change = self.paths[at].size.on_refused(now, bytes);
        change.into_iter().for_each(|change| self.on_change(now, at, change));
    }

    /// Long packets are lost: shorter ones from now on. False when they cannot be shorter.
    pub(super) fn shorten(&mut self, now: MonoTime, at: usize) -> bool {
        let change = self.paths[at].size.on_long_lost(now);
        change.into_iter().for_each(|change| self.on_change(now, at, change));
        change.is_some()
    }

    fn on_change(&mut self, now: MonoTime, at: usize, change: Change) {
        match change {
            Change::Shortened => self.on_shortened(now, at),
            Change::Found => self.tell_cut(at),
            Change::Whole => self.events.push_back(Event::PacketsWhole { way: Way::Out }),
        }
    }

    fn on_shortened(&mut self, now: MonoTime, at: usize) {
        let cut = self.cut_for(at);
        self.flows.iter_mut().for_each(|flow| flow.cut_anew(cut));
        self.report_ended();
        self.paths[at].take_up_what_was_known(now);
        self.tell_cut(at);
    }

    fn tell_cut(&mut self, at: usize) {
        let ip_bytes = Some(self.paths[at].size.ip_bytes());
        self.events.push_back(Event::PacketsCut { way: Way::Out, ip_bytes });
    }

    /// The feeler that is due, if the pacer lets it go (LNK-77).
    pub(super) fn feeler_packet(&mut self, now: MonoTime, at: usize, out: &mut Vec<u8>) -> Option<Class> {
        let path = &mut self.paths[at];
        let bytes = path.size.due_feeler(now)?;
        if path.is_window_full() || !path.pacer.is_ready(now) {
            return None;
        }
        path.size.on_feeler();
        // Like fragments, it is followed by a probe: its loss must not look like silence.
        path.burst.on_paced(now, true);
        path.begin(now, false, out);
        Frame::Probe.write(out);
        Frame::Padding(bytes.saturating_sub(out.len())).write(out);
        self.stats.packets_probe += 1;
        self.finish(now, at, out, Packet { content: Content::Feeler, watched: true }, true);
        Some(Class::Realtime)
    }

    /// A feeler was answered or given up.
    pub(super) fn on_feeler_fate(&mut self, now: MonoTime, at: usize, sent: &Sent, is_lost: bool) {
        let (size, bytes) = (&mut self.paths[at].size, sent.bytes as usize);
        let change = match is_lost {
            true => size.on_feeler_lost(now, bytes),
            false => size.on_feeler_answered(now, bytes),
        };
        change.into_iter().for_each(|change| self.on_change(now, at, change));
    }
}
