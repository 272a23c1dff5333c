//! What the session does in a black hole for long packets (LNK-70): short samples go on, long packets feel for its end.

use super::Session;
use crate::core::black_hole::{Finding, is_long, longest_short};
use crate::core::event::{Event, Way};
use crate::core::path::{Before, Told};
use crate::core::scheduler::{Choice, Reach, choose, choose_short};
use crate::core::sent::Sent;
use crate::wire::{Frame, HEADER_LEN, Header};
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// A packet of ours was answered or given up.
    pub(super) fn watch_for_hole(&mut self, now: MonoTime, at: usize, sent: &Sent, is_lost: bool) {
        let path = &mut self.paths[at];
        // Feelers, and what was sent before packets were cut: their fate says nothing of those in force.
        if sent.bytes as usize > path.size.in_force() {
            return;
        }
        let is_long = is_long(sent.bytes as usize, path.size.in_force());
        let found = path.hole.out.on_fate(now, sent, is_lost, is_long);
        found.into_iter().for_each(|finding| self.on_finding(now, at, finding));
    }

    /// A packet that was given up arrived after all.
    pub(super) fn on_late_answer(&mut self, now: MonoTime, at: usize, sent: &Sent) {
        let path = &mut self.paths[at];
        if is_long(sent.bytes as usize, path.size.in_force()) {
            let found = path.hole.out.on_long_answered();
            found.into_iter().for_each(|finding| self.on_finding(now, at, finding));
        }
    }

    fn on_finding(&mut self, now: MonoTime, at: usize, finding: Finding) {
        match finding {
            Finding::Suspicion => {
                let path = &mut self.paths[at];
                let (rate_bps, loss) = (path.rate.rate_bps(), path.loss.clone());
                path.hole.before = Some(Before { rate_bps, loss });
            }
            Finding::Hole if self.shorten(now, at) => self.paths[at].hole.out.on_shortened(),
            Finding::Hole => {
                self.paths[at].hole.out.on_feeler(now);
                self.events.push_back(Event::LongPacketsLost { way: Way::Out });
            }
            Finding::Over => {
                self.paths[at].take_up_what_was_known(now);
                self.events.push_back(Event::LongPacketsPass { way: Way::Out });
            }
        }
    }

    /// The peer tells in each packet whether its long ones come here, and whether all are shorter; the newest packet counts.
    pub(super) fn hear_of_hole(&mut self, at: usize, header: &Header) {
        let hole = &mut self.paths[at].hole;
        let before = hole.peer;
        if before.number.is_some_and(|number| header.number.wrapping_sub(number) as i32 <= 0) {
            return;
        }
        let Header { number, long_lost, is_cut, .. } = *header;
        hole.peer = Told { number: Some(number), long_lost, is_cut };
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
    pub(super) fn hole_packet(
        &mut self,
        now: MonoTime,
        at: usize,
        all: Reach,
        out: &mut Vec<u8>,
    ) -> Option<Class> {
        let choice = self.feeler(now, at, all).or_else(|| self.short_choice(at, all));
        let path = &mut self.paths[at];
        match choice {
            Some(_) if path.is_window_full() => self.due_probe(now, at, out),
            Some(_) if !path.pacer.is_ready(now) => {
                path.burst.held_back = true;
                None
            }
            Some(choice) => self.sample_packet(now, at, choice, out),
            None => self.end_burst(now, at, out),
        }
    }

    fn short_choice(&self, at: usize, all: Reach) -> Option<Choice> {
        let longest = longest_short(self.paths[at].size.in_force());
        let most = longest.checked_sub(HEADER_LEN + Frame::SAMPLE_OVERHEAD)?;
        Class::ALL[1..].iter().find_map(|class| choose_short(&self.flows, *class, all, most))
    }

    fn feeler(&mut self, now: MonoTime, at: usize, all: Reach) -> Option<Choice> {
        let hole = &mut self.paths[at].hole.out;
        if !hole.wants_feeler(now) {
            return None;
        }
        hole.on_feeler(now);
        Class::ALL[1..].iter().find_map(|class| choose(&self.flows, *class, all, true))
    }
}
