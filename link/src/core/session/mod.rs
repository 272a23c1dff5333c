//! One session: the object that wires the nouns of the core together (SPEC §1).
//!
//! Sans-I/O: time and datagrams come in, datagrams and events go out. The owner calls [`Session::poll_transmit`] until
//! it gives nothing, sleeps until [`Session::deadline`] or a datagram, and calls [`Session::on_timer`].

mod arrive;
mod budget;
mod config;
mod demand;
mod endpoint;
mod endpoints;
mod give_way;
mod hole;
mod homes;
mod housekeeping;
mod incoming;
mod leave;
mod reading;
mod shorten;
mod stats;
mod transmit;
mod trials;
mod withdraw;

pub use config::SessionConfig;
use endpoint::{InEndpoint, OutEndpoint, table_flow};
pub use endpoint::{Publication, Subscription};
use leave::Leave;
use reading::Incoming;
pub use stats::{PathStats, Stats};

use super::clock::PeerClock;
use super::event::{Endpoint, Event};
use super::fec::Codec;
use super::inbox::Inbox;
use super::limits::Numbers;
use super::memory::LEAST_BOUND;
use super::outbox::{OutFlow, PublishError};
use super::path::{Path, PathId};
use super::sample::OutSample;
use super::sent::Settled;
use crate::wire::{Entry, Frame, HEADER_LEN};
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokkyu_contract::{Durability, FlowId, Ledger, MonoTime, TraceId};

/// One session with one peer.
pub struct Session {
    config: SessionConfig,
    /// The ways to the peer, in order of their numbers.
    paths: Vec<Path>,
    /// The table's flow, then the publications by their numbers.
    flows: Vec<OutFlow>,
    writers: BTreeMap<FlowId, OutEndpoint>,
    readers: BTreeMap<FlowId, InEndpoint>,
    writer_numbers: Numbers,
    reader_numbers: Numbers,
    leave: Leave,
    /// Subscriptions of the peer; None until its table came.
    peer_wants: Option<Vec<Entry>>,
    /// The peer's memory bound, as its table tells it.
    peer_memory: Option<usize>,
    /// Flows of the peer.
    incoming: BTreeMap<FlowId, Incoming>,
    /// Bytes taken for samples kept for readers that join later.
    kept_bytes: usize,
    /// Memory that is used again.
    settled: Settled,
    inbox: Inbox,
    codec: Codec,
    clock: PeerClock,
    events: VecDeque<Event>,
    stats: Stats,
    next_grant: MonoTime,
    next_partial_check: MonoTime,
    peer_is_silent: bool,
    started: Option<MonoTime>,
    table_dirty: bool,
    /// Sequence number of the peer's table in force.
    table_sequence: Option<u32>,
    /// Disagreements told already, so that a new table does not tell them again.
    told: BTreeMap<Endpoint, Vec<Event>>,
    /// The time of the last call that told one: endpoints are announced without.
    last_seen: MonoTime,
}

impl Session {
    /// A session over a carrier that is up.
    pub fn new(config: SessionConfig) -> Self {
        let config = SessionConfig { memory_bytes: config.memory_bytes.max(LEAST_BOUND), ..config };
        let path = config.path();
        let mut codec = Codec::default();
        if path.wants_parity() {
            codec.warm_up();
        }
        Session {
            paths: vec![Path::new(config.first_path, &path)],
            flows: vec![table_flow()],
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            writer_numbers: Numbers::of("publication"),
            reader_numbers: Numbers::of("subscription"),
            leave: Leave::default(),
            peer_wants: None,
            peer_memory: None,
            incoming: BTreeMap::new(),
            kept_bytes: 0,
            settled: Settled::default(),
            inbox: Inbox::new(config.memory_bytes),
            codec,
            clock: PeerClock::default(),
            events: VecDeque::new(),
            stats: Stats::default(),
            next_grant: MonoTime::ZERO,
            next_partial_check: MonoTime::ZERO,
            peer_is_silent: false,
            started: None,
            table_dirty: true,
            table_sequence: None,
            told: BTreeMap::new(),
            last_seen: MonoTime::ZERO,
            config,
        }
    }

    /// Publishes a copy of `payload`; see [`Session::publish_shared`].
    ///
    /// # Errors
    /// As there.
    pub fn publish(
        &mut self,
        now: MonoTime,
        flow: FlowId,
        capture: MonoTime,
        payload: &[u8],
    ) -> Result<u32, PublishError> {
        self.publish_shared(now, flow, capture, Bytes::copy_from_slice(payload))
    }

    /// Publishes a sample; it is sent by the next calls of [`Session::poll_transmit`]. Gives its sequence number.
    ///
    /// # Errors
    /// The sample is too large, the flow unknown, or the memory bound reached by a flow that keeps all.
    pub fn publish_shared(
        &mut self,
        now: MonoTime,
        flow: FlowId,
        capture: MonoTime,
        payload: Bytes,
    ) -> Result<u32, PublishError> {
        let at = self.place(flow).ok_or(PublishError::UnknownFlow)?;
        self.check_size(at, payload.len())?;
        self.check_room(at, payload.len())?;
        self.last_seen = now;
        if let Some(writer) = self.writers.get_mut(&flow) {
            writer.demand.on_publish(now, payload.len());
            writer.deadline_from = Some(now);
        }
        let out = &mut self.flows[at];
        if out.qos.durability == Durability::TransientLocal {
            out.keep(now, capture, payload.clone(), self.config.memory_bytes / 4);
        }
        let sequence = out.next_sequence();
        if out.wanted {
            self.enqueue(now, at, capture, payload);
        } else {
            out.push_unwanted(now);
        }
        self.report_ended();
        Ok(sequence)
    }

    /// Takes over what a `transient_local` publication kept from before this session; the newest `unsettled` of it were
    /// part of none. They are sent when the flow is, or else kept for a reader to come (LNK-14).
    pub fn restore(&mut self, now: MonoTime, flow: FlowId, kept: Vec<(MonoTime, Bytes)>, unsettled: usize) {
        let Some(at) = self.place(flow) else { return };
        for (capture, payload) in kept {
            self.flows[at].keep(now, capture, payload, self.config.memory_bytes / 4);
        }
        let due = match self.flows[at].wanted {
            true => self.kept_within_budget(now, at),
            false => Vec::new(),
        };
        (due.len()..unsettled).for_each(|_| self.flows[at].push_unwanted(now));
        due.into_iter().for_each(|(capture, payload)| self.enqueue(now, at, capture, payload));
        self.report_ended();
    }

    /// Puts a sample of flow `at` in its queue; older ones give way to it where the link cannot carry all (LNK-12).
    fn enqueue(&mut self, now: MonoTime, at: usize, capture: MonoTime, payload: Bytes) {
        let (cut, out) = (self.cut(at), &self.flows[at]);
        let id = TraceId { flow: out.id, sequence: out.next_sequence() };
        let expires = out.qos.lifespan.map_or(MonoTime::MAX, |span| capture + span);
        let sample = OutSample::new(id, capture, expires, payload, cut);
        let path = self.path(out.home.path());
        let around = path.size.wire_bytes(HEADER_LEN + Frame::FRAGMENT_OVERHEAD);
        let (is_starting, on) = (path.rate.is_starting(), path.id);
        let out = &mut self.flows[at];
        out.load.on_publish(now, sample.wire_bytes(around), out.qos.lifespan, out.declared_period());
        out.push(now, sample);
        let class = out.class;
        if !is_starting {
            self.give_way(now, class, on);
        }
    }

    fn memory_out(&self) -> usize {
        let open = self.flows.iter().flat_map(OutFlow::samples).map(OutSample::memory_bytes).sum::<usize>();
        open + self.flows.iter().map(OutFlow::kept_bytes).sum::<usize>()
    }

    /// What happened, oldest first.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Outcomes of a publication that is there, sender's side.
    pub fn sent_ledger(&self, flow: FlowId) -> Ledger {
        self.place(flow).map_or_else(Ledger::default, |at| self.flows[at].ledger())
    }

    /// Where a publication stands among the flows.
    fn place(&self, flow: FlowId) -> Option<usize> {
        place_of(&self.flows, flow).filter(|at| *at > 0)
    }

    /// Figures.
    pub fn stats(&self) -> Stats {
        let path = self.best_path();
        Stats {
            rtt: path.rtt.smoothed(),
            min_rtt: path.rtt.min(),
            loss: path.loss.share(),
            dispersion: path.loss.dispersion(),
            rate_bps: path.rate.rate_bps(),
            own_queue: path.rate.own_queue(),
            foreign_queue: path.rate.foreign_queue(),
            clock_offset: self.clock.told_offset(self.last_seen),
            silences: self.paths.iter().map(|path| path.monitor.silences()).sum(),
            is_silent: self.paths.iter().all(Path::is_silent),
            is_starting: path.rate.is_starting(),
            violations: self.stats.violations + self.inbox.violations(),
            memory_in: self.inbox.sample_bytes(),
            memory_out: self.memory_out(),
            ..self.stats
        }
    }

    /// Time passed: settles what is over. To be called at [`Session::deadline`] or later.
    pub fn on_timer(&mut self, now: MonoTime) {
        self.start(now);
        (0..self.paths.len()).for_each(|at| self.time_out(now, at));
        self.plan(now);
        self.expire_incoming(now);
        self.watch_paths(now);
        self.check_deadlines(now);
        self.check_liveliness(now);
        self.tell_grants(now);
    }

    /// What went unanswered for too long on the path at `at` is lost.
    fn time_out(&mut self, now: MonoTime, at: usize) {
        let (path, mut settled) = (&mut self.paths[at], std::mem::take(&mut self.settled));
        path.log.on_timer(now, path.probe_timeout(), &mut settled);
        if settled.resolved.iter().any(|resolved| !resolved.sent.was_missed()) {
            path.burst.on_timeout(now);
        }
        self.apply(now, at, &mut settled, false);
        self.settled = settled;
    }

    /// Where a path stands among the paths.
    fn path_at(&self, id: PathId) -> Option<usize> {
        self.paths.iter().position(|path| path.id == id)
    }

    fn longest_rtt(&self) -> Duration {
        self.paths.iter().map(|path| path.rtt.smoothed()).max().unwrap_or_default()
    }

    /// The first call tells what time it is.
    fn start(&mut self, now: MonoTime) {
        self.last_seen = now;
        if self.started.replace(self.started.unwrap_or(now)).is_none() {
            self.paths.iter_mut().for_each(|path| path.monitor.begin(now));
        }
    }

    /// When the session wants to be called again.
    pub fn deadline(&self) -> MonoTime {
        self.deadline_of(|_| true)
    }

    /// The same, where only the paths named by `takes` take packets.
    pub fn deadline_of(&self, takes: impl Fn(PathId) -> bool) -> MonoTime {
        let expiry = self.flows.iter().map(OutFlow::next_expiry).min().unwrap_or(MonoTime::MAX);
        let taking = self.paths.iter().filter(|path| takes(path.id));
        let paths = taking.map(|path| path.deadline(self.config.lease)).min();
        expiry.min(self.next_housekeeping()).min(paths.unwrap_or(MonoTime::MAX))
    }

    /// How long packets may be left in the socket, because none of them can complete a sample: a thread that reads many at
    /// once works half as much as one that is woken by each (LNK-69). Zero when there is no reason to wait: when nothing
    /// streams, a wait that no packet ends would only be repeated.
    pub fn lull(&self, now: MonoTime) -> Duration {
        if !self.paths.iter().any(|path| path.received.is_streaming(now)) {
            return Duration::ZERO;
        }
        let missing = self.inbox.fewest_missing().unwrap_or(0);
        self.paths.iter().filter_map(|path| path.lull(now, missing)).min().unwrap_or_default()
    }

    /// Ends the session: what is not settled is lost, and the ledgers close (LNK-5).
    pub fn close(&mut self) {
        self.flows.iter_mut().for_each(OutFlow::close);
        self.inbox.close();
        self.close_incoming();
        self.report_ended();
    }
}

/// Where a flow stands among flows in order of their numbers.
fn place_of(flows: &[OutFlow], id: FlowId) -> Option<usize> {
    flows.binary_search_by_key(&id, |flow| flow.id).ok()
}
