//! The link's thread: one loop that drives the carrier and the session.
//!
//! It sleeps in `ppoll` until a packet, a request or a deadline; each turn does a bounded amount of work, at most one
//! batch of packets out, so control never waits behind more than that (LNK-50).

use super::channel::{Leaving, Outgoing, Request, Shared};
use super::endpoints::Endpoints;
use super::joint::Step;
use super::paths::Paths;
use super::{Closing, LinkConfig, LinkEvent, LinkState, LinkStats};
use crate::carrier::clock::{self, Suspends};
use crate::carrier::{Packets, Received, Transport};
use crate::core::{Endpoint, Event, PathConfig, PathId, Session, SessionConfig, Stats, Way};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Packets handed to the carrier in one turn.
const BATCH: usize = 40;
/// Figures are taken this often while the thread is at work.
const STATS_INTERVAL: Duration = Duration::from_millis(50);
/// It wakes for nothing but them this long after the last ones.
const STATS_IDLE: Duration = Duration::from_millis(250);
/// Requests taken in one turn.
const REQUESTS_A_TURN: usize = 64;
/// Datagrams kept for a session that begins while they are read: what one read brings.
const EARLY: usize = 256;
/// Shorter waits for more packets save nothing: a timer costs as much as a packet.
const SHORTEST_LULL: Duration = Duration::from_micros(50);

/// A datagram that came before its connection was part of a session here.
struct Early {
    path: PathId,
    connection: u64,
    at: MonoTime,
    ce: bool,
    bytes: Vec<u8>,
}

impl Early {
    fn of(path: PathId, received: &Received<'_>) -> Self {
        let Received { session: connection, at, ce, bytes } = *received;
        Early { path, connection, at, ce, bytes: bytes.to_vec() }
    }
}

/// State of the thread.
pub(super) struct LinkThread {
    config: LinkConfig,
    paths: Paths,
    shared: Arc<Shared>,
    requests: Receiver<Request>,
    session: Option<(u64, Session)>,
    early: Vec<Early>,
    last_stats: Stats,
    endpoints: Endpoints,
    state: LinkState,
    stats_at: MonoTime,
    suspends: Suspends,
    packet: Vec<u8>,
    closing: bool,
}

impl LinkThread {
    pub(super) fn new(
        config: LinkConfig,
        paths: Paths,
        shared: Arc<Shared>,
        requests: Receiver<Request>,
    ) -> Self {
        LinkThread {
            config,
            paths,
            shared,
            requests,
            session: None,
            early: Vec::new(),
            last_stats: Stats::default(),
            endpoints: Endpoints::default(),
            state: LinkState::Connecting,
            stats_at: MonoTime::ZERO,
            suspends: Suspends::new(),
            packet: Vec::with_capacity(9000),
            closing: false,
        }
    }

    /// Runs until the application closes the link.
    pub(super) fn run(mut self) -> Closing {
        while !self.closing {
            self.config.fault.on_turn();
            let now = clock::now();
            self.look_for_suspend(now);
            self.receive(now);
            let asked = self.take_requests(now);
            self.follow_paths(now);
            let more = self.turn_session(now) | self.withdraw_drained() | asked;
            self.paths.flush(clock::now());
            let more = more | self.look_for_refused_size();
            self.report_stats(now);
            if !more {
                self.sleep();
            }
        }
        self.end_session();
        self.paths.close(clock::now(), "closed by the application");
        self.endpoints.close()
    }

    fn sleep(&mut self) {
        // Where the socket is full a packet that is due cannot go: the carrier wakes us when it is writable.
        let ready = self.paths.ready();
        let session = match &self.session {
            Some((_, session)) if !ready.is_empty() => session.deadline_of(|path| ready.contains(&path)),
            _ => MonoTime::MAX,
        };
        let until = session.min(self.paths.deadline()).min(self.stats_at + STATS_IDLE);
        let now = clock::now();
        let lull = self.session.as_ref().map_or(Duration::ZERO, |(_, session)| session.lull(now));
        let (until, packets) = match lull >= SHORTEST_LULL {
            true => (until.min(now + lull), Packets::Gather),
            false => (until, Packets::Wake),
        };
        let woken = self.paths.wait(until, packets, self.shared.wake_fd());
        if woken.writable {
            self.paths.flush(clock::now());
        }
        if woken.woken {
            self.shared.awake();
        }
    }

    /// Before packets that waited meanwhile are read.
    fn look_for_suspend(&mut self, now: MonoTime) {
        let Some(span) = self.suspends.look() else { return };
        self.session.iter_mut().for_each(|(_, session)| session.on_suspended(now, span));
        let words = format!("this machine was suspended for {:.1} s", span.as_secs_f64());
        self.shared.events.put(LinkEvent::Trouble(words));
    }

    /// Packets that are too long for our own device: true when there were any, and shorter ones may go at once.
    fn look_for_refused_size(&mut self) -> bool {
        let mut is_any = false;
        for path in self.paths.of_session() {
            let Some(bytes) = self.paths.carrier(path).take_refused_size() else { continue };
            is_any = true;
            self.session
                .iter_mut()
                .for_each(|(_, session)| session.on_refused_size(clock::now(), path, bytes));
        }
        is_any
    }

    fn receive(&mut self, now: MonoTime) {
        let (session, early) = (&mut self.session, &mut self.early);
        let mut latest = now;
        self.paths.receive(now, &mut |path, is_of_session, received| match session {
            Some((_, session)) if is_of_session => {
                // Stamped while we were reading, or by a calendar clock that jumped.
                if received.at > latest {
                    latest = clock::now();
                }
                session.on_datagram(received.at.min(latest), path, received.ce, received.bytes);
            }
            // Its connection began in this very read; it is part of a session only after it.
            _ if early.len() < EARLY => early.push(Early::of(path, &received)),
            _ => {}
        });
    }

    /// Takes what was asked, or some of it. True when more may wait.
    fn take_requests(&mut self, now: MonoTime) -> bool {
        let (requests, ended) = some_of(&self.requests);
        requests.into_iter().for_each(|request| self.on_request(now, request));
        self.closing |= ended == Some(TryRecvError::Disconnected);
        ended.is_none()
    }

    fn on_request(&mut self, now: MonoTime, request: Request) {
        match request {
            Request::Advertise(flow, publication) => {
                self.endpoints.advertise(
                    self.session.as_mut().map(|(_, session)| session),
                    flow,
                    publication,
                );
            }
            Request::Subscribe(id, subscription, feed) => {
                let session = self.session.as_mut().map(|(_, session)| session);
                self.endpoints.subscribe(session, id, (subscription, feed));
            }
            Request::Withdraw(endpoint, leaving) => self.on_withdraw(endpoint, leaving),
            Request::Send(samples) => samples.into_iter().for_each(|sample| self.send(now, sample)),
            Request::Rebind(bind) => {
                if let Err(error) = self.paths.carrier(PathId::FIRST).rebind(bind, now) {
                    self.shared.events.put(LinkEvent::Trouble(error.to_string()));
                }
            }
            Request::Close => self.closing = true,
        }
    }

    fn send(&mut self, now: MonoTime, sample: Outgoing) {
        let session = self.session.as_mut().map(|(_, session)| session);
        let refused = self.endpoints.send(session, now, sample, self.config.memory_bytes / 4);
        refused.into_iter().for_each(|event| self.shared.events.put(event));
    }

    fn on_withdraw(&mut self, endpoint: Endpoint, leaving: Leaving) {
        match (endpoint, leaving) {
            (Endpoint::Publication(flow), Leaving::Drained) => self.endpoints.drain(flow),
            _ => self.withdraw(endpoint),
        }
    }

    /// Withdraws publications that were dropped and have nothing under way. True when there were any: the table is due.
    fn withdraw_drained(&mut self) -> bool {
        let drained = self.endpoints.drained(self.session.as_ref().map(|(_, session)| session));
        drained.iter().for_each(|flow| self.withdraw(Endpoint::Publication(*flow)));
        !drained.is_empty()
    }

    fn withdraw(&mut self, endpoint: Endpoint) {
        let mut session = self.session.take();
        let gone = self.endpoints.withdraw(session.as_mut().map(|(_, session)| session), endpoint);
        // What became of its samples is told before that it went.
        if let Some((number, session)) = &mut session {
            self.dispatch(*number, session);
        }
        self.session = session;
        if !gone.is_empty() {
            gone.into_iter().for_each(|event| self.shared.events.put(event));
            self.shared.give_back(endpoint);
        }
    }

    /// Brings the session in line with the connections: another peer process is another session.
    fn follow_paths(&mut self, now: MonoTime) {
        for step in self.paths.follow(now) {
            match step {
                Step::Begin { session, path } => self.begin_session(now, session, path),
                Step::Open(path) => self.open_path(now, path),
                Step::Close(path) => {
                    self.session.iter_mut().for_each(|(_, session)| session.close_path(now, path))
                }
                Step::End => self.end_session(),
                Step::Drop(..) => {}
                Step::Astray(path) => {
                    let words =
                        format!("path {} leads to another end than the others: it is not used", path.0 + 1);
                    self.shared.events.put(LinkEvent::Trouble(words));
                }
            }
        }
        self.take_early();
        let state = self.paths.state();
        if state != self.state {
            self.state = state.clone();
            self.shared.events.put(LinkEvent::State(state));
            self.paths.of_session().into_iter().for_each(|path| self.tell_short_packets(path));
        }
    }

    /// The path took no packets as long as declared when its connection began (LNK-89).
    fn tell_short_packets(&mut self, path: PathId) {
        let carrier = self.paths.carrier(path);
        if carrier.state().is_up() && carrier.is_short() {
            let ip_bytes = Some(carrier.ip_bytes());
            self.shared.events.put(LinkEvent::Session(Event::PacketsCut { way: Way::Out, ip_bytes }));
        }
    }

    fn begin_session(&mut self, now: MonoTime, number: u64, path: PathId) {
        let PathConfig { max_datagram, ip_bytes, overhead_bytes, max_bps, handshake_rtt } =
            self.paths.config(path);
        let mut session = Session::new(SessionConfig {
            first_path: path,
            max_datagram,
            ip_bytes,
            overhead_bytes,
            memory_bytes: self.config.memory_bytes,
            max_bps,
            lease: self.config.lease,
            handshake_rtt,
        });
        self.endpoints.join(now, &mut session);
        self.session = Some((number, session));
    }

    fn open_path(&mut self, now: MonoTime, path: PathId) {
        let config = self.paths.config(path);
        self.session.iter_mut().for_each(|(_, session)| session.open_path(now, path, &config));
        if self.state.is_up() {
            self.tell_short_packets(path);
        }
    }

    /// What came on a connection before it was part of the session.
    fn take_early(&mut self) {
        for Early { path, connection, at, ce, bytes } in std::mem::take(&mut self.early) {
            if let Some((_, session)) = self.session.as_mut().filter(|_| self.paths.has(path, connection)) {
                session.on_datagram(at.min(clock::now()), path, ce, &bytes);
            }
        }
    }

    fn end_session(&mut self) {
        let Some((number, mut session)) = self.session.take() else { return };
        session.close();
        self.last_stats = session.stats();
        self.dispatch(number, &mut session);
        self.endpoints.leave(&session);
    }

    /// Lets the session do what is due and sends at most one batch. True when more is ready to go.
    fn turn_session(&mut self, now: MonoTime) -> bool {
        let Some((number, mut session)) = self.session.take() else { return false };
        if session.deadline() <= now {
            session.on_timer(now);
        }
        let mut more = false;
        for path in self.paths.of_session() {
            more |= self.send_batch(&mut session, path);
        }
        self.dispatch(number, &mut session);
        self.session = Some((number, session));
        more
    }

    /// Sends at most one batch on a path. True when it was a whole one.
    fn send_batch(&mut self, session: &mut Session, path: PathId) -> bool {
        let mut sent = 0;
        while sent < BATCH && self.paths.carrier(path).ready() {
            let now = clock::now();
            let Some(class) = session.poll_transmit(now, path, &mut self.packet) else { break };
            self.paths.send(now, path, class, &self.packet);
            sent += 1;
        }
        sent == BATCH
    }

    fn dispatch(&mut self, number: u64, session: &mut Session) {
        while let Some(event) = session.poll_event() {
            match event {
                Event::Delivered(delivered) => self.endpoints.deliver(number, delivered),
                other => self.shared.events.put(LinkEvent::Session(other)),
            }
        }
    }

    fn report_stats(&mut self, now: MonoTime) {
        if now < self.stats_at + STATS_INTERVAL {
            return;
        }
        self.stats_at = now;
        self.endpoints.refusals(now).into_iter().for_each(|event| self.shared.events.put(event));
        if let Some((_, session)) = &self.session {
            self.last_stats = session.stats();
        }
        let paths = self.session.as_ref().map_or_else(Vec::new, |(_, session)| session.path_stats());
        self.shared.set_stats(LinkStats {
            state: self.state.clone(),
            session: self.last_stats,
            paths,
            carrier: self.paths.counters(),
            at: now,
            thread_cpu: clock::thread_cpu(),
        });
    }
}

/// Some of what waits, and why there is no more: an application that never stops asking must not keep us from the network.
fn some_of<T>(waiting: &Receiver<T>) -> (Vec<T>, Option<TryRecvError>) {
    let mut taken = Vec::new();
    while taken.len() < REQUESTS_A_TURN {
        match waiting.try_recv() {
            Ok(one) => taken.push(one),
            Err(ended) => return (taken, Some(ended)),
        }
    }
    (taken, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_requests_without_end_some_are_taken_at_a_time() {
        let (sender, receiver) = std::sync::mpsc::sync_channel(REQUESTS_A_TURN + 1);
        (0..=REQUESTS_A_TURN).for_each(|request| sender.send(request).expect("there is room"));
        assert_eq!(some_of(&receiver), ((0..REQUESTS_A_TURN).collect(), None));
        assert_eq!(some_of(&receiver), (vec![REQUESTS_A_TURN], Some(TryRecvError::Empty)));
        drop(sender);
        assert_eq!(some_of(&receiver), (vec![], Some(TryRecvError::Disconnected)));
    }
}
