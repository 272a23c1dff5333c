//! Endpoints of both ends: the table, who matches whom, deadlines, liveliness and grants (SPEC §2, §4).

use super::incoming::Incoming;
use super::{InEndpoint, Publication, Session, Subscription};
use crate::core::event::{Endpoint, Event};
use crate::core::grant::{is_news, share};
use crate::core::inbox::Complete;
use crate::core::limits::{EndpointError, check_names, next_endpoint};
use crate::core::outbox::OutFlow;
use crate::wire::{EndpointKind, Entry, Table};
use std::time::Duration;
use tokkyu_contract::{Class, Durability, FlowId, History, MonoTime, Qos};

/// Grants are looked at this often.
const GRANT_INTERVAL: Duration = Duration::from_millis(100);

/// Disagreements told of one endpoint at most.
const MAX_DISAGREEMENTS: usize = 16;

/// Grants are told from then on, whether a burst was long enough to show the capacity or not.
const LONGEST_START: Duration = Duration::from_millis(500);

/// How much a flow publishes, bit/s, smoothed over its last samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    bps: f64,
    last: Option<MonoTime>,
}

impl Demand {
    pub(super) fn on_publish(&mut self, now: MonoTime, bytes: usize) {
        if let Some(last) = self.last.replace(now) {
            let seconds = now.since(last).as_secs_f64().max(1e-4);
            let sample = bytes as f64 * 8.0 / seconds;
            self.bps = if self.bps == 0.0 { sample } else { self.bps * 0.8 + sample * 0.2 };
        }
    }
}

/// The flow that carries the table.
pub(super) fn table_flow() -> OutFlow {
    let qos = Qos {
        history: History::KeepLast { depth: 1 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let mut flow = OutFlow::new(FlowId::SESSION, Class::Control, qos, None);
    flow.wanted = true;
    flow
}

impl Disagreement {
    fn event(self, endpoint: Endpoint, peer_type: &str) -> Event {
        match self {
            Disagreement::Type => Event::OtherType { endpoint, peer_type: peer_type.to_owned() },
            Disagreement::Qos(mismatches) => Event::Incompatible { endpoint, mismatches },
        }
    }
}

impl Session {
    /// Announces a flow. Gives its number, by which it is published and named in events.
    ///
    /// # Errors
    /// There are as many publications as one end may have, or a name is too long for the table (LNK-6, LNK-30).
    pub fn advertise(&mut self, publication: Publication) -> Result<FlowId, EndpointError> {
        check_names(&publication.topic, &publication.type_name)?;
        let id = FlowId(next_endpoint("publication", self.publications.len())?);
        let mut flow = OutFlow::new(id, publication.class, publication.qos, publication.period);
        // Before the table comes, urgent flows are sent as if wanted (LNK-18).
        flow.wanted = self.peer_wants.is_none() && publication.class <= Class::Realtime;
        self.flows.push(flow);
        self.publications.push(publication);
        self.grants.push(0.0);
        self.demand.push(Demand::default());
        self.deadline_from.push(None);
        self.matched.push(false);
        self.table_dirty = true;
        if self.peer_wants.is_some() {
            self.match_publication(self.last_seen, usize::from(id.0));
        }
        Ok(id)
    }

    /// Asks for a topic. Gives the number by which it is named in events.
    ///
    /// # Errors
    /// There are as many subscriptions as one end may have, or a name is too long for the table (LNK-6, LNK-30).
    pub fn subscribe(&mut self, subscription: Subscription) -> Result<FlowId, EndpointError> {
        check_names(&subscription.topic, &subscription.type_name)?;
        let id = FlowId(next_endpoint("subscription", self.readers.len())?);
        self.readers.push(InEndpoint { subscription, id, is_matched: false, deadline_from: None });
        self.table_dirty = true;
        let now = self.last_seen;
        self.match_reader(now, self.readers.len() - 1);
        Ok(id)
    }

    fn own_table(&self) -> Table {
        let publications = self.publications.iter().enumerate().map(|(at, publication)| Entry {
            kind: EndpointKind::Publication,
            flow: FlowId(at as u16 + 1),
            class: publication.class,
            qos: publication.qos,
            rate_mhz: publication.period.map_or(0, |p| (1000.0 / p.as_secs_f64().max(1e-6)) as u32),
            size_bytes: publication.size_bytes,
            topic: publication.topic.clone(),
            type_name: publication.type_name.clone(),
        });
        let subscriptions = self.readers.iter().map(|reader| Entry {
            kind: EndpointKind::Subscription,
            flow: reader.id,
            class: Class::Control,
            qos: reader.subscription.qos,
            rate_mhz: 0,
            size_bytes: 0,
            topic: reader.subscription.topic.clone(),
            type_name: reader.subscription.type_name.clone(),
        });
        let memory_bytes = self.config.memory_bytes as u64;
        Table { memory_bytes, entries: publications.chain(subscriptions).collect() }
    }

    /// Sends the table when it changed.
    pub(super) fn publish_table(&mut self, now: MonoTime) {
        if std::mem::take(&mut self.table_dirty) {
            let bytes = self.own_table().to_bytes();
            self.enqueue(now, 0, now, bytes.into());
        }
    }

    /// The peer's table came.
    pub(super) fn on_table(&mut self, now: MonoTime, complete: &Complete) {
        // Repeats and repairs can bring an older table after a newer one.
        let is_older = |have: u32| (complete.id.sequence.wrapping_sub(have) as i32) < 0;
        if self.table_sequence.is_some_and(is_older) {
            return;
        }
        let Ok(table) = Table::from_bytes(&complete.payload) else {
            self.stats.violations += 1;
            return;
        };
        self.table_sequence = Some(complete.id.sequence);
        self.peer_memory = Some(usize::try_from(table.memory_bytes).unwrap_or(usize::MAX));
        let (offers, wants) =
            table.entries.into_iter().partition(|entry| entry.kind == EndpointKind::Publication);
        self.peer_wants = Some(wants);
        for at in 1..self.flows.len() {
            self.match_publication(now, at);
        }
        self.take_offers(offers);
        for at in 0..self.readers.len() {
            self.match_reader(now, at);
        }
        self.deliver_parked(now);
        self.tell_ended(now);
    }

    /// Brings the flows of the peer in line with its table.
    fn take_offers(&mut self, offers: Vec<Entry>) {
        let mut before = std::mem::take(&mut self.incoming);
        for entry in offers {
            let incoming = match before.remove(&entry.flow) {
                Some(incoming) if incoming.goes_on_as(&entry) => incoming,
                changed => {
                    before.extend(changed.map(|changed| (entry.flow, changed)));
                    Incoming::new(entry)
                }
            };
            self.incoming.insert(incoming.entry.flow, incoming);
        }
        before.into_values().for_each(|gone| self.retire(gone));
        self.inbox.on_table(self.incoming.iter().map(|(id, incoming)| (*id, incoming.share())).collect());
    }

    /// Whether the peer wants publication `at` of ours.
    fn match_publication(&mut self, now: MonoTime, at: usize) {
        let Some(wants) = &self.peer_wants else { return };
        let publication = &self.publications[at - 1];
        let endpoint = Endpoint::Publication(FlowId(at as u16));
        let (mut matched, mut wants_kept, mut told) = (false, false, Vec::new());
        for entry in wants.iter().filter(|e| e.topic == publication.topic) {
            match disagreement(&entry.qos, &entry.type_name, &publication.qos, &publication.type_name) {
                None => {
                    matched = true;
                    wants_kept |= entry.qos.durability == Durability::TransientLocal;
                }
                Some(why) => told.push(why.event(endpoint, &entry.type_name)),
            }
        }
        self.tell_new(endpoint, told);
        self.set_wanted(now, at, matched, wants_kept);
    }

    /// A disagreement is told when it begins, not with every table. A peer can disagree in more ways than anybody wants
    /// to hear of.
    fn tell_new(&mut self, endpoint: Endpoint, mut disagreements: Vec<Event>) {
        disagreements.truncate(MAX_DISAGREEMENTS);
        let before = self.told.insert(endpoint, disagreements.clone()).unwrap_or_default();
        self.events.extend(disagreements.into_iter().filter(|event| !before.contains(event)));
    }

    fn set_wanted(&mut self, now: MonoTime, at: usize, wanted: bool, wants_kept: bool) {
        // Before the table an urgent flow is sent as if wanted (LNK-18): that is no match.
        let was_sent = self.flows[at].set_wanted(wanted);
        let was_matched = std::mem::replace(&mut self.matched[at], wanted);
        let endpoint = Endpoint::Publication(FlowId(at as u16));
        match (was_matched, wanted) {
            (false, true) => self.events.push_back(Event::Matched { endpoint }),
            (true, false) => self.events.push_back(Event::Unmatched { endpoint }),
            _ => {}
        }
        if wanted && !was_matched {
            self.flows[at].owe_floor();
        }
        if wanted && !was_sent && wants_kept {
            for (capture, payload) in self.kept_within_budget(now, at) {
                self.enqueue(now, at, capture, payload);
            }
        }
    }

    /// Which publications of the peer reader `at` reads: all that agree with it.
    fn match_reader(&mut self, now: MonoTime, at: usize) {
        if self.peer_wants.is_none() {
            return;
        }
        let (endpoint, wanted) = (self.reader_endpoint(at), &self.readers[at].subscription);
        let (mut found, mut told) = (Vec::new(), Vec::new());
        for (id, incoming) in
            self.incoming.iter().filter(|(_, incoming)| incoming.entry.topic == wanted.topic)
        {
            let entry = &incoming.entry;
            match disagreement(&wanted.qos, &wanted.type_name, &entry.qos, &entry.type_name) {
                None => found.push((*id, incoming.is_read_by(at))),
                Some(why) => told.push(why.event(endpoint, &entry.type_name)),
            }
        }
        let was_matched = std::mem::replace(&mut self.readers[at].is_matched, !found.is_empty());
        self.tell_new(endpoint, told);
        match (was_matched, !found.is_empty()) {
            (false, true) => self.events.push_back(Event::Matched { endpoint }),
            (true, false) => self.events.push_back(Event::Unmatched { endpoint }),
            _ => {}
        }
        let new = found.into_iter().filter(|(_, is_read)| !is_read);
        new.for_each(|(id, _)| self.begin_reading(now, at, id));
    }

    /// Tells what became of our samples.
    pub(super) fn report_ended(&mut self) {
        for flow in &mut self.flows[1..] {
            let id = flow.id;
            for (sequence, outcome) in flow.take_ended() {
                let id = tokkyu_contract::TraceId { flow: id, sequence };
                self.events.push_back(Event::Settled { id, outcome });
            }
        }
        self.flows[0].take_ended();
    }

    /// Deadlines of both sides (LNK-16): once for each period missed.
    pub(super) fn check_deadlines(&mut self, now: MonoTime) {
        for (flow, from) in self.flows.iter().zip(&mut self.deadline_from).skip(1) {
            if missed(now, flow.qos.deadline, from) {
                self.events.push_back(Event::OfferedDeadlineMissed { flow: flow.id });
            }
        }
        for reader in self.readers.iter_mut().filter(|reader| reader.is_matched) {
            reader.deadline_from.get_or_insert(now);
            if missed(now, reader.subscription.qos.deadline, &mut reader.deadline_from) {
                self.events.push_back(Event::RequestedDeadlineMissed { flow: reader.id });
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
        let since = self.started.map_or(MonoTime::MAX, |started| started.max(self.received.last_packet()));
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
        if !self.knows_rate(now) {
            return;
        }
        let paced: Vec<usize> = (1..self.flows.len())
            .filter(|at| self.flows[*at].class != Class::Control && self.flows[*at].wanted)
            .collect();
        let demands: Vec<f64> = paced.iter().map(|at| self.demand[*at].bps).collect();
        let room =
            self.config.max_datagram as f64 / (self.config.max_datagram + self.config.overhead_bytes) as f64;
        // Parity and repairs take about the loss, its chance included, once more.
        let payload_bps = self.rate.known_bps() * room * (1.0 - 2.0 * self.loss.share()).max(0.2);
        for (at, bps) in paced.into_iter().zip(share(payload_bps, &demands)) {
            if is_news(self.grants[at], bps) {
                self.grants[at] = bps;
                self.events.push_back(Event::Grant { flow: FlowId(at as u16), bps: bps as u64 });
            }
        }
    }

    /// The capacity was seen; or small flows did not show it, then what they may use grows with what they do.
    fn knows_rate(&self, now: MonoTime) -> bool {
        let since = self.started.map_or(Duration::ZERO, |started| now.since(started));
        !self.rate.is_starting() || (self.rtt.is_measured() && since >= LONGEST_START)
    }

    /// When deadlines, liveliness and grants want to be looked at.
    pub(super) fn next_housekeeping(&self) -> MonoTime {
        let due = |deadline: Option<Duration>, from: &Option<MonoTime>| {
            from.zip(deadline).map_or(MonoTime::MAX, |(from, deadline)| from + deadline)
        };
        let offered =
            self.flows.iter().zip(&self.deadline_from).map(|(flow, from)| due(flow.qos.deadline, from));
        let matched = self.readers.iter().filter(|reader| reader.is_matched);
        let requested = matched.map(|reader| due(reader.subscription.qos.deadline, &reader.deadline_from));
        let partials = if self.inbox.has_partials() { self.next_partial_check } else { MonoTime::MAX };
        let first = offered.chain(requested).min().unwrap_or(MonoTime::MAX);
        first.min(self.silent_at()).min(self.next_grant).min(partials)
    }
}

enum Disagreement {
    Type,
    Qos(tokkyu_contract::qos::Mismatches),
}

fn disagreement(
    requested: &Qos,
    requested_type: &str,
    offered: &Qos,
    offered_type: &str,
) -> Option<Disagreement> {
    let mismatches = requested.mismatches(offered);
    if !requested_type.is_empty() && !offered_type.is_empty() && requested_type != offered_type {
        Some(Disagreement::Type)
    } else if !mismatches.is_empty() {
        Some(Disagreement::Qos(mismatches))
    } else {
        None
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
