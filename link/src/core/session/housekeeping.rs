//! What comes due by itself: deadlines, liveliness and grants (LNK-16, LNK-17, LNK-66).

use super::Session;
use crate::core::event::Event;
use crate::core::grant::{is_news, share};
use crate::core::outbox::OutFlow;
use crate::core::path::Path;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, MonoTime};

/// Grants are looked at this often.
const GRANT_INTERVAL: Duration = Duration::from_millis(100);

/// Grants are told from then on, whether a burst was long enough to show the capacity or not.
const LONGEST_START: Duration = Duration::from_millis(500);

impl Session {
    /// Deadlines of both sides (LNK-16): once for each period missed.
    pub(super) fn check_deadlines(&mut self, now: MonoTime) {
        for (id, writer) in &mut self.writers {
            if missed(now, writer.publication.qos.deadline, &mut writer.deadline_from) {
                self.events.push_back(Event::OfferedDeadlineMissed { flow: *id });
            }
        }
        for (id, reader) in self.readers.iter_mut().filter(|(_, reader)| reader.is_matched) {
            reader.deadline_from.get_or_insert(now);
            if missed(now, reader.subscription.qos.deadline, &mut reader.deadline_from) {
                self.events.push_back(Event::RequestedDeadlineMissed { flow: *id });
            }
        }
        self.inbox.expire_parked(now);
        self.tell_ended(now);
    }

    /// The peer is heard.
    pub(super) fn note_alive(&mut self) {
        if std::mem::take(&mut self.peer_is_silent) {
            self.events.push_back(Event::PeerAlive);
        }
    }

    fn silent_at(&self) -> MonoTime {
        let last = self.paths.iter().map(|path| path.received.last_packet()).max().unwrap_or(MonoTime::ZERO);
        let since = self.started.map_or(MonoTime::MAX, |started| started.max(last));
        if self.peer_is_silent { MonoTime::MAX } else { since + self.config.lease }
    }

    pub(super) fn check_liveliness(&mut self, now: MonoTime) {
        if now >= self.silent_at() {
            self.peer_is_silent = true;
            self.events.push_back(Event::PeerSilent);
        }
    }

    /// Tells flows what they may send, when it changed (LNK-66).
    pub(super) fn tell_grants(&mut self, now: MonoTime) {
        if now < self.next_grant {
            return;
        }
        self.next_grant = now + GRANT_INTERVAL;
        self.look_at_homes(now);
        (0..self.paths.len()).for_each(|at| self.tell_grants_on(now, at));
    }

    /// The flows whose home is the path at `at` share it.
    fn tell_grants_on(&mut self, now: MonoTime, at: usize) {
        let path = &self.paths[at];
        if !self.knows_rate(now, path) {
            return;
        }
        let is_paced =
            |flow: &&OutFlow| flow.class != Class::Control && flow.wanted && flow.home.path() == path.id;
        let paced: Vec<FlowId> = self.flows.iter().filter(is_paced).map(|flow| flow.id).collect();
        let demand = |id: &FlowId| self.writers.get(id).map_or(0.0, |writer| writer.demand.bps);
        let demands: Vec<f64> = paced.iter().map(demand).collect();
        for (flow, bps) in paced.into_iter().zip(share(path.payload_bps(), &demands)) {
            let Some(writer) = self.writers.get_mut(&flow) else { continue };
            if is_news(writer.granted_bps, bps) {
                writer.granted_bps = bps;
                self.events.push_back(Event::Grant { flow, bps: bps as u64 });
            }
        }
    }

    /// The capacity was seen; or small flows did not show it, then what they may use grows with what they do.
    fn knows_rate(&self, now: MonoTime, path: &Path) -> bool {
        let since = self.started.map_or(Duration::ZERO, |started| now.since(started));
        !path.rate.is_starting() || (path.rtt.is_measured() && since >= LONGEST_START)
    }

    /// When deadlines, liveliness and grants want to be looked at.
    pub(super) fn next_housekeeping(&self) -> MonoTime {
        let due = |deadline: Option<Duration>, from: &Option<MonoTime>| {
            from.zip(deadline).map_or(MonoTime::MAX, |(from, deadline)| from + deadline)
        };
        let writers = self.writers.values();
        let offered = writers.map(|writer| due(writer.publication.qos.deadline, &writer.deadline_from));
        let matched = self.readers.values().filter(|reader| reader.is_matched);
        let requested = matched.map(|reader| due(reader.subscription.qos.deadline, &reader.deadline_from));
        let partials = if self.inbox.has_partials() { self.next_partial_check } else { MonoTime::MAX };
        let first = offered.chain(requested).min().unwrap_or(MonoTime::MAX);
        first.min(self.silent_at()).min(self.next_grant).min(partials)
    }
}

/// Whether the deadline passed since `from`; starts the next period if so.
fn missed(now: MonoTime, deadline: Option<Duration>, from: &mut Option<MonoTime>) -> bool {
    let (Some(deadline), Some(start)) = (deadline, *from) else { return false };
    let is_missed = now >= start + deadline;
    if is_missed {
        *from = Some(start + deadline);
    }
    is_missed
}
