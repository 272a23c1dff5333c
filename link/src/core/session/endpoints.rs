//! Endpoints of both ends: the table, and who matches whom (SPEC §2, §4).

use super::Session;
use super::demand::Demand;
use super::endpoint::{InEndpoint, OutEndpoint, Publication, Subscription};
use super::reading::Incoming;
use crate::core::event::{Endpoint, Event};
use crate::core::inbox::Complete;
use crate::core::limits::{EndpointError, check_names};
use crate::core::outbox::OutFlow;
use crate::wire::{EndpointKind, Entry, Table};
use tokkyu_contract::{Class, Durability, FlowId, Ledger, MonoTime, Qos};

/// Disagreements told of one endpoint at most.
const MAX_DISAGREEMENTS: usize = 16;

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
        let id = self.writer_numbers.take()?;
        self.begin_writing(id, publication);
        Ok(id)
    }

    /// Announces a flow under a number that the caller chose, 1 to 65535: one that outlives sessions. Numbers are to be
    /// given in turn, and not again before all others were (LNK-31).
    ///
    /// # Errors
    /// As [`Session::advertise`], or the number is taken or 0.
    pub fn advertise_as(&mut self, id: FlowId, publication: Publication) -> Result<(), EndpointError> {
        check_names(&publication.topic, &publication.type_name)?;
        self.writer_numbers.claim(id)?;
        self.begin_writing(id, publication);
        Ok(())
    }

    fn begin_writing(&mut self, id: FlowId, publication: Publication) {
        let mut flow = OutFlow::new(id, publication.class, publication.qos, publication.period);
        // Before the table comes, urgent flows are sent as if wanted (LNK-18).
        flow.wanted = self.peer_wants.is_none() && publication.class <= Class::Realtime;
        let at = self.flows.partition_point(|other| other.id < id);
        self.flows.insert(at, flow);
        let writer = OutEndpoint {
            publication,
            is_matched: false,
            deadline_from: None,
            demand: Demand::default(),
            granted_bps: 0.0,
        };
        self.writers.insert(id, writer);
        self.table_dirty = true;
        self.match_publication(self.last_seen, id);
    }

    /// Asks for a topic. Gives the number by which it is named in events.
    ///
    /// # Errors
    /// There are as many subscriptions as one end may have, or a name is too long for the table (LNK-6, LNK-30).
    pub fn subscribe(&mut self, subscription: Subscription) -> Result<FlowId, EndpointError> {
        check_names(&subscription.topic, &subscription.type_name)?;
        let id = self.reader_numbers.take()?;
        self.add_reader(id, subscription);
        Ok(id)
    }

    /// Asks for a topic under a number that the caller chose; see [`Session::advertise_as`].
    ///
    /// # Errors
    /// As [`Session::subscribe`], or the number is taken or 0.
    pub fn subscribe_as(&mut self, id: FlowId, subscription: Subscription) -> Result<(), EndpointError> {
        check_names(&subscription.topic, &subscription.type_name)?;
        self.reader_numbers.claim(id)?;
        self.add_reader(id, subscription);
        Ok(())
    }

    fn add_reader(&mut self, id: FlowId, subscription: Subscription) {
        let past = Ledger::default();
        let reader = InEndpoint { subscription, is_matched: false, deadline_from: None, past };
        self.readers.insert(id, reader);
        self.table_dirty = true;
        self.match_reader(self.last_seen, id);
    }

    fn own_table(&self) -> Table {
        let publications = self.writers.iter().map(|(id, writer)| {
            let publication = &writer.publication;
            Entry {
                kind: EndpointKind::Publication,
                flow: *id,
                class: publication.class,
                qos: publication.qos,
                rate_mhz: publication.period.map_or(0, |p| (1000.0 / p.as_secs_f64().max(1e-6)) as u32),
                size_bytes: publication.size_bytes,
                topic: publication.topic.clone(),
                type_name: publication.type_name.clone(),
            }
        });
        let subscriptions = self.readers.iter().map(|(id, reader)| Entry {
            kind: EndpointKind::Subscription,
            flow: *id,
            class: Class::Control,
            qos: reader.subscription.qos,
            rate_mhz: 0,
            size_bytes: 0,
            topic: reader.subscription.topic.clone(),
            type_name: reader.subscription.type_name.clone(),
        });
        let memory_bytes = self.config.memory_bytes as u64;
        let next = self.writer_numbers.next();
        Table { memory_bytes, next, entries: publications.chain(subscriptions).collect() }
    }

    /// Sends the table when it changed, and none waits to be seen (LNK-35).
    pub(super) fn publish_table(&mut self, now: MonoTime) {
        if !self.table_dirty || self.leave.is_to_be_seen() {
            return;
        }
        self.table_dirty = false;
        self.let_go_unread();
        let bytes = self.own_table().to_bytes();
        self.enqueue(now, 0, now, bytes.into());
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
        let writers: Vec<FlowId> = self.writers.keys().copied().collect();
        writers.into_iter().for_each(|id| self.match_publication(now, id));
        self.take_offers(offers, table.next);
        self.match_readers(now);
        self.deliver_parked(now);
        self.tell_ended(now);
        self.report_ended();
    }

    /// Brings the flows of the peer in line with its table.
    fn take_offers(&mut self, offers: Vec<Entry>, next: FlowId) {
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
        let listed = self.incoming.iter().map(|(id, incoming)| (*id, incoming.share())).collect();
        self.inbox.on_table(listed, next);
    }

    /// Whether the peer wants a publication of ours.
    fn match_publication(&mut self, now: MonoTime, id: FlowId) {
        let (Some(wants), Some(writer)) = (&self.peer_wants, self.writers.get(&id)) else { return };
        let publication = &writer.publication;
        let endpoint = Endpoint::Publication(id);
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
        self.set_wanted(now, id, matched, wants_kept);
    }

    /// A disagreement is told when it begins, not with every table. A peer can disagree in more ways than anybody wants
    /// to hear of.
    fn tell_new(&mut self, endpoint: Endpoint, mut disagreements: Vec<Event>) {
        disagreements.truncate(MAX_DISAGREEMENTS);
        let before = self.told.insert(endpoint, disagreements.clone()).unwrap_or_default();
        self.events.extend(disagreements.into_iter().filter(|event| !before.contains(event)));
    }

    fn set_wanted(&mut self, now: MonoTime, id: FlowId, wanted: bool, wants_kept: bool) {
        let (Some(at), Some(writer)) = (self.place(id), self.writers.get_mut(&id)) else { return };
        // Before the table an urgent flow is sent as if wanted (LNK-18): that is no match.
        let was_sent = self.flows[at].set_wanted(wanted);
        let was_matched = std::mem::replace(&mut writer.is_matched, wanted);
        let endpoint = Endpoint::Publication(id);
        match (was_matched, wanted) {
            (false, true) => self.events.push_back(Event::Matched { endpoint }),
            (true, false) => self.events.push_back(Event::Unmatched { endpoint }),
            _ => {}
        }
        if wanted && !was_matched {
            self.flows[at].owe_floor();
        }
        if !wanted {
            self.flows[at].drop_all(); // LNK-34
        }
        if wanted && !was_sent && wants_kept {
            for (capture, payload) in self.kept_within_budget(now, at) {
                self.enqueue(now, at, capture, payload);
            }
        }
    }

    pub(super) fn match_readers(&mut self, now: MonoTime) {
        let readers: Vec<FlowId> = self.readers.keys().copied().collect();
        readers.into_iter().for_each(|id| self.match_reader(now, id));
    }

    /// Which publications of the peer a reader reads: all that agree with it.
    fn match_reader(&mut self, now: MonoTime, reader: FlowId) {
        if self.peer_wants.is_none() {
            return;
        }
        let Some(InEndpoint { subscription: wanted, .. }) = self.readers.get(&reader) else { return };
        let endpoint = Endpoint::Subscription(reader);
        let (mut found, mut told) = (Vec::new(), Vec::new());
        // The peer must see first that the last reader of a flow went (LNK-35).
        let is_open = |id: &FlowId| !self.leave.is_to_be_seen_unread(*id);
        for (id, incoming) in self.incoming.iter().filter(|(id, _)| is_open(id)) {
            if incoming.entry.topic != wanted.topic {
                continue;
            }
            let entry = &incoming.entry;
            match disagreement(&wanted.qos, &wanted.type_name, &entry.qos, &entry.type_name) {
                None => found.push((*id, incoming.is_read_by(reader))),
                Some(why) => told.push(why.event(endpoint, &entry.type_name)),
            }
        }
        self.tell_new(endpoint, told);
        self.set_matched(reader, !found.is_empty());
        let new = found.into_iter().filter(|(_, is_read)| !is_read);
        new.for_each(|(id, _)| self.begin_reading(now, reader, id));
    }

    fn set_matched(&mut self, id: FlowId, is_matched: bool) {
        let Some(reader) = self.readers.get_mut(&id) else { return };
        let endpoint = Endpoint::Subscription(id);
        match (std::mem::replace(&mut reader.is_matched, is_matched), is_matched) {
            (false, true) => self.events.push_back(Event::Matched { endpoint }),
            (true, false) => {
                // The next one that comes has a deadline of its own.
                reader.deadline_from = None;
                self.events.push_back(Event::Unmatched { endpoint });
            }
            _ => {}
        }
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
        for (sequence, outcome) in self.flows[0].take_ended() {
            self.on_table_ended(sequence, outcome);
        }
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
