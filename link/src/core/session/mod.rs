//! One session: the object that wires the nouns of the core together (SPEC §1).
//!
//! Sans-I/O: time and datagrams come in, datagrams and events go out. The owner calls [`Session::poll_transmit`] until
//! it gives nothing, sleeps until [`Session::deadline`] or a datagram, and calls [`Session::on_timer`].

mod arrive;
mod budget;
mod burst;
mod config;
mod demand;
mod endpoint;
mod endpoints;
mod give_way;
mod hole;
mod hole_state;
mod housekeeping;
mod incoming;
mod leave;
mod reading;
mod shorten;
mod stats;
mod transmit;
mod withdraw;

use burst::Burst;
pub use config::SessionConfig;
use endpoint::{InEndpoint, OutEndpoint, table_flow};
pub use endpoint::{Publication, Subscription};
use hole_state::Hole;
use leave::Leave;
use reading::Incoming;
pub use stats::Stats;

use super::clock::PeerClock;
use super::event::{Endpoint, Event};
use super::fec::Codec;
use super::inbox::Inbox;
use super::limits::Numbers;
use super::loss::LossMeter;
use super::memory::LEAST_BOUND;
use super::outbox::{OutFlow, PublishError};
use super::pacer::Pacer;
use super::packet_size::PacketSize;
use super::path::{PathMonitor, PathState};
use super::rate::RateEstimator;
use super::received::Received;
use super::rtt::RoundTrip;
use super::sample::OutSample;
use super::sent::{SentLog, Settled};
use crate::wire::{Entry, Frame, HEADER_LEN};
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokkyu_contract::{Durability, FlowId, Ledger, MonoTime, TraceId};

/// Packets are left in the socket for a 32nd of the round trip, within these bounds: control that comes among pictures
/// waits with them.
const LEAST_LULL: Duration = Duration::from_micros(400);
const MOST_LULL: Duration = Duration::from_millis(1);
/// A round trip of the handshake below which parity is not to be expected, and its tables are built when it is wanted after
/// all: a LAN's, with two signatures made and checked.
const SHORT_HANDSHAKE: Duration = Duration::from_millis(3);

/// One session with one peer.
pub struct Session {
    config: SessionConfig,
    packets: PacketSize,
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
    log: SentLog,
    settled: Settled,
    received: Received,
    inbox: Inbox,
    codec: Codec,
    clock: PeerClock,
    rtt: RoundTrip,
    /// The shortest since the session began or a clock jumped: a queue may stand for longer than any window.
    shortest_rtt: Duration,
    loss: LossMeter,
    rate: RateEstimator,
    pacer: Pacer,
    path: PathMonitor,
    hole: Hole,
    burst: Burst,
    events: VecDeque<Event>,
    stats: Stats,
    next_grant: MonoTime,
    /// A sample that cannot arrive whole is begun then.
    next_try: MonoTime,
    next_partial_check: MonoTime,
    peer_is_silent: bool,
    started: Option<MonoTime>,
    table_dirty: bool,
    /// Sequence number of the peer's table in force.
    table_sequence: Option<u32>,
    /// Disagreements told already, so that a new table does not tell them again.
    told: BTreeMap<Endpoint, Vec<Event>>,
    last_watched: MonoTime,
    /// The time of the last call that told one: endpoints are announced without.
    last_seen: MonoTime,
}

impl Session {
    /// A session over a carrier that is up.
    pub fn new(config: SessionConfig) -> Self {
        let config = SessionConfig { memory_bytes: config.memory_bytes.max(LEAST_BOUND), ..config };
        let mut codec = Codec::default();
        // Where a repair takes less time than coding nothing is coded (LNK-42).
        if config.handshake_rtt.is_none_or(|rtt| rtt >= SHORT_HANDSHAKE) {
            codec.warm_up();
        }
        let mut rtt = RoundTrip::default();
        if let Some(handshake) = config.handshake_rtt {
            rtt.assume(handshake);
        }
        Session {
            packets: PacketSize::new(config.max_datagram, config.ip_bytes),
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
            log: SentLog::default(),
            settled: Settled::default(),
            received: Received::default(),
            inbox: Inbox::new(config.memory_bytes),
            codec,
            clock: PeerClock::default(),
            rtt,
            shortest_rtt: config.handshake_rtt.unwrap_or(Duration::MAX),
            loss: LossMeter::default(),
            rate: RateEstimator::new(config.max_bps, config.overhead_bytes),
            pacer: Pacer::default(),
            path: PathMonitor::default(),
            hole: Hole::default(),
            burst: Burst::default(),
            events: VecDeque::new(),
            stats: Stats::default(),
            next_grant: MonoTime::ZERO,
            next_try: MonoTime::ZERO,
            next_partial_check: MonoTime::ZERO,
            peer_is_silent: false,
            started: None,
            table_dirty: true,
            table_sequence: None,
            told: BTreeMap::new(),
            last_watched: MonoTime::ZERO,
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
        let (cut, out) = (self.cut(), &mut self.flows[at]);
        let id = TraceId { flow: out.id, sequence: out.next_sequence() };
        let expires = out.qos.lifespan.map_or(MonoTime::MAX, |span| capture + span);
        let sample = OutSample::new(id, capture, expires, payload, cut);
        let around = self.config.overhead_bytes + HEADER_LEN + Frame::FRAGMENT_OVERHEAD;
        out.load.on_publish(now, sample.wire_bytes(around), out.qos.lifespan, out.declared_period());
        out.push(now, sample);
        let class = out.class;
        if !self.rate.is_starting() {
            self.give_way(now, class);
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
        Stats {
            rtt: self.rtt.smoothed(),
            min_rtt: self.rtt.min(),
            loss: self.loss.share(),
            dispersion: self.loss.dispersion(),
            rate_bps: self.rate.rate_bps(),
            own_queue: self.rate.own_queue(),
            foreign_queue: self.rate.foreign_queue(),
            clock_offset: self.clock.told_offset(self.last_seen),
            silences: self.path.silences(),
            is_silent: self.path.state() == PathState::Silent,
            is_starting: self.rate.is_starting(),
            violations: self.stats.violations + self.inbox.violations(),
            memory_in: self.inbox.sample_bytes(),
            memory_out: self.memory_out(),
            ..self.stats
        }
    }

    /// Time passed: settles what is over. To be called at [`Session::deadline`] or later.
    pub fn on_timer(&mut self, now: MonoTime) {
        self.start(now);
        let timeout = self.probe_timeout();
        let mut settled = std::mem::take(&mut self.settled);
        self.log.on_timer(now, timeout, &mut settled);
        if settled.resolved.iter().any(|resolved| !resolved.sent.was_missed()) {
            self.burst.on_timeout(now);
        }
        self.apply(now, &mut settled, false);
        self.settled = settled;
        self.plan(now);
        self.expire_incoming(now);
        self.path.on_tick(now, self.rtt.smoothed());
        self.check_deadlines(now);
        self.check_liveliness(now);
        self.tell_grants(now);
    }

    /// The first call tells what time it is.
    fn start(&mut self, now: MonoTime) {
        self.last_seen = now;
        if self.started.replace(self.started.unwrap_or(now)).is_none() {
            self.last_watched = now;
        }
    }

    /// When the session wants to be called again.
    pub fn deadline(&self) -> MonoTime {
        let expiry = self.flows.iter().map(OutFlow::next_expiry).min().unwrap_or(MonoTime::MAX);
        let pacer = if self.burst.is_held_back() { self.pacer.wake_at() } else { MonoTime::MAX };
        self.received
            .deadline()
            .min(self.log.deadline(self.probe_timeout()))
            .min(self.path.deadline(self.rtt.smoothed()))
            .min(self.next_housekeeping())
            .min(self.hole.deadline(self.path.state()))
            .min(self.feeler_at())
            .min(expiry)
            .min(self.burst.probe_at())
            .min(if self.burst.is_held_back() { MonoTime::MAX } else { self.keepalive_at() })
            .min(pacer)
    }

    /// How long packets may be left in the socket, because none of them can complete a sample: a thread that reads many at
    /// once works half as much as one that is woken by each (LNK-69). Zero when there is no reason to wait: when nothing
    /// streams, a wait that no packet ends would only be repeated.
    pub fn lull(&self, now: MonoTime) -> Duration {
        if !self.received.is_streaming(now) {
            return Duration::ZERO;
        }
        let missing = self.inbox.fewest_missing().unwrap_or(0);
        // Not all of it: the rate may grow.
        let soonest = self.received.spacing() * (missing * 3 / 4) as u32;
        let longest = (self.rtt.min() / 32).clamp(LEAST_LULL, MOST_LULL);
        soonest.min(longest)
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
