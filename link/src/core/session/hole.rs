//! What the session does in a black hole for long packets (LNK-70): short samples go on, long packets feel for its end.

use super::Session;
use super::hole_state::{Before, Told};
use crate::core::black_hole::{Finding, is_long, longest_short};
use crate::core::event::{Event, Way};
use crate::core::scheduler::{Choice, Reach, choose, choose_short};
use crate::core::sent::Sent;
use crate::wire::{Frame, HEADER_LEN, Header};
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// A packet of ours was answered or given up.
    pub(super) fn watch_for_hole(&mut self, now: MonoTime, sent: &Sent, is_lost: bool) {
        // Feelers, and what was sent before packets were cut: their fate says nothing of those in force.
        if sent.bytes as usize > self.packets.in_force() {
            return;
        }
        let is_long = is_long(sent.bytes as usize, self.packets.in_force());
        let found = self.hole.out.on_fate(now, sent, is_lost, is_long);
        found.into_iter().for_each(|finding| self.on_finding(now, finding));
    }

    /// A packet that was given up arrived after all.
    pub(super) fn on_late_answer(&mut self, now: MonoTime, sent: &Sent) {
        if is_long(sent.bytes as usize, self.packets.in_force()) {
            let found = self.hole.out.on_long_answered();
            found.into_iter().for_each(|finding| self.on_finding(now, finding));
        }
    }

    fn on_finding(&mut self, now: MonoTime, finding: Finding) {
        match finding {
            Finding::Suspicion => {
                let (rate_bps, loss) = (self.rate.rate_bps(), self.loss.clone());
                self.hole.before = Some(Before { rate_bps, loss });
            }
            Finding::Hole if self.shorten(now) => self.hole.out.on_shortened(),
            Finding::Hole => {
                self.hole.out.on_feeler(now);
                self.events.push_back(Event::LongPacketsLost { way: Way::Out });
            }
            Finding::Over => {
                self.take_up_what_was_known(now);
                self.events.push_back(Event::LongPacketsPass { way: Way::Out });
            }
        }
    }

    /// What was learned since packets were lost for their length was of that, and not of the path.
    pub(super) fn take_up_what_was_known(&mut self, now: MonoTime) {
        if let Some(before) = self.hole.before.take() {
            self.loss = before.loss;
            self.rate.on_hole_over(before.rate_bps);
            self.pacer.refill(now);
        }
    }

    /// The peer tells in each packet whether its long ones come here, and whether all are shorter; the newest packet counts.
    pub(super) fn hear_of_hole(&mut self, header: &Header) {
        let before = self.hole.peer;
        if before.number.is_some_and(|number| header.number.wrapping_sub(number) as i32 <= 0) {
            return;
        }
        let Header { number, long_lost, is_cut, .. } = *header;
        self.hole.peer = Told { number: Some(number), long_lost, is_cut };
        let way = Way::In;
        if before.is_cut != is_cut {
            self.events.push_back(match is_cut {
                true => Event::PacketsCut { way, ip_bytes: None },
                false => Event::PacketsWhole { way },
            });
        }
        if before.long_lost != long_lost {
            self.events.push_back(match long_lost {
                true => Event::LongPacketsLost { way },
                false => Event::LongPacketsPass { way },
            });
        }
    }

    /// The long packet that is due, or a short sample.
    pub(super) fn hole_packet(&mut self, now: MonoTime, all: Reach, out: &mut Vec<u8>) -> Option<Class> {
        let choice = self.feeler(now, all).or_else(|| self.short_choice(all));
        match choice {
            Some(_) if self.is_window_full() => self.due_probe(now, out),
            Some(_) if !self.pacer.is_ready(now) => {
                self.burst.held_back = true;
                None
            }
            Some(choice) => self.sample_packet(now, choice, out),
            None => self.end_burst(now, out),
        }
    }

    fn short_choice(&self, all: Reach) -> Option<Choice> {
        let most = longest_short(self.packets.in_force()).checked_sub(HEADER_LEN + Frame::SAMPLE_OVERHEAD)?;
        Class::ALL[1..].iter().find_map(|class| choose_short(&self.flows, *class, all, most))
    }

    fn feeler(&mut self, now: MonoTime, all: Reach) -> Option<Choice> {
        if !self.hole.out.wants_feeler(now) {
            return None;
        }
        self.hole.out.on_feeler(now);
        Class::ALL[1..].iter().find_map(|class| choose(&self.flows, *class, all, true))
    }
}
