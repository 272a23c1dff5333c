//! The link's connections, one for each path, as one carrier: dialled, watched and put together (LNK-90, LNK-96).

use super::joint::{Arrived, Joint, Step, reason_of_all};
use super::{FurtherPath, LinkConfig, LinkError, LinkState, Role};
use crate::carrier::clock;
use crate::carrier::{
    Call, CarrierCounters, CloseReason, Elsewhere, Packets, QuicTransport, Received, Transport,
    TransportState, WaitResult, wait_for,
};
use crate::core::{PathConfig, PathId};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};

/// A vehicle that lost its operator, or a path to it, dials again after this.
const REDIAL: Duration = Duration::from_millis(500);
/// An attempt to join a session that had no answer for so long is begun anew: time for the handshakes of LNK-89 on a path of
/// whatever round trip.
const LONGEST_RING: Duration = Duration::from_secs(6);
/// QUIC, UDP, IPv4 and Ethernet bytes around a datagram.
const OVERHEAD_BYTES: usize = 97;

struct Line {
    quic: QuicTransport,
    max_bps: f64,
    /// As it was when it was looked at last.
    seen: TransportState,
    redial_at: MonoTime,
    /// What it was dialled for last, and when.
    dialled: Call,
    dialled_at: MonoTime,
    /// It led to somebody else the last time, which is told once.
    is_astray: bool,
    /// Its socket's address, where it is bound to a device: one that went and came is another device to the kernel.
    of_device: Option<SocketAddr>,
}

impl Line {
    fn dial(&mut self, now: MonoTime, call: Call, joins: bool) {
        (self.redial_at, self.dialled, self.dialled_at) = (now + REDIAL, call, now);
        self.quic.set_call(call, joins);
        // What fails shows again in the carrier's state, and the next attempt is due anyway. Where there is no new socket (the
        // port is the old one's, the device is away) the old one may do.
        let _ = self.of_device.map(|bind| self.quic.rebind(bind, now));
        let _ = self.quic.reconnect(now);
    }
}

/// All connections of a link.
pub(super) struct Paths {
    lines: Vec<Line>,
    is_vehicle: bool,
    joint: Joint,
    /// What the vehicle calls its session.
    call: Call,
}

impl Paths {
    /// Binds the sockets, and dials on the vehicle's side.
    pub(super) fn open(config: &LinkConfig) -> Result<Paths, LinkError> {
        let (now, call) = (clock::now(), Call::first());
        let first = FurtherPath {
            bind: config.bind,
            operator: match config.role {
                Role::Vehicle { operator } => Some(operator),
                Role::Operator => None,
            },
            device: config.device.clone(),
            max_bps: config.max_bps,
        };
        let mut lines = Vec::new();
        for path in [&first].into_iter().chain(&config.paths).take(usize::from(PathId::COUNT)) {
            let mut carrier = config.carrier(path);
            carrier.call = call;
            let quic = match path.operator {
                Some(operator) => QuicTransport::connect(&carrier, operator, now)?,
                None => QuicTransport::listen(&carrier, now)?,
            };
            lines.push(Line {
                quic,
                max_bps: path.max_bps,
                seen: TransportState::Connecting,
                redial_at: MonoTime::ZERO,
                dialled: call,
                dialled_at: now,
                is_astray: false,
                of_device: path.device.as_ref().map(|_| path.bind),
            });
        }
        let is_vehicle = matches!(config.role, Role::Vehicle { .. });
        Ok(Paths { joint: Joint::new(lines.len()), lines, is_vehicle, call })
    }

    /// Addresses of the paths' sockets.
    pub(super) fn local_addresses(&self) -> Vec<SocketAddr> {
        self.lines.iter().map(|line| line.quic.local_address()).collect()
    }

    /// The paths of the session that is up.
    pub(super) fn of_session(&self) -> Vec<PathId> {
        self.joint.open().collect()
    }

    fn line(&mut self, path: PathId) -> &mut Line {
        &mut self.lines[usize::from(path.0)]
    }

    /// Its connection.
    pub(super) fn carrier(&mut self, path: PathId) -> &mut QuicTransport {
        &mut self.line(path).quic
    }

    /// What the session is told of a path whose connection is up.
    pub(super) fn config(&self, path: PathId) -> PathConfig {
        let Line { quic, max_bps, .. } = &self.lines[usize::from(path.0)];
        PathConfig {
            max_datagram: quic.max_datagram(),
            ip_bytes: quic.ip_bytes(),
            overhead_bytes: OVERHEAD_BYTES,
            max_bps: *max_bps,
            handshake_rtt: quic.handshake_rtt(),
        }
    }

    /// Reads what waits on each path. `sink` is told whether a datagram is the session's; what is not may be of one that
    /// begins in this very read.
    pub(super) fn receive(&mut self, now: MonoTime, sink: &mut dyn FnMut(PathId, bool, Received<'_>)) {
        for at in 0..self.lines.len() {
            // Before each: what was let in just now counts for the next one.
            self.tell_of_the_others(at);
            let (path, line, joint) = (PathId(at as u8), &mut self.lines[at], &self.joint);
            line.quic.receive(now, &mut |received| sink(path, joint.has(path, received.session), received));
            if line.quic.deadline().is_some_and(|deadline| deadline <= now) {
                line.quic.on_timer(now);
            }
        }
    }

    /// Each of the operator's sockets lets in what belongs to the session of the others.
    fn tell_of_the_others(&mut self, at: usize) {
        if self.is_vehicle || self.lines.len() == 1 {
            return;
        }
        let held = self.lines.iter().filter_map(|line| {
            let quic = &line.quic;
            Some((quic.peer()?.0, quic.call(), quic.heard()?))
        });
        let held = held.max_by_key(|(.., heard)| *heard);
        let ended = self.joint.ended();
        self.lines[at].quic.set_elsewhere(Elsewhere { held, ended });
    }

    /// What came of the connections since this was asked last.
    pub(super) fn follow(&mut self, now: MonoTime) -> Vec<Step> {
        let mut steps = Vec::new();
        for at in 0..self.lines.len() {
            let line = &mut self.lines[at];
            if line.seen == *line.quic.state() {
                continue;
            }
            line.seen = line.quic.state().clone();
            line.redial_at = now + REDIAL;
            let was_astray = self.lines[at].is_astray;
            let mut changed = self.on_change(PathId(at as u8));
            let is_astray = |step: &Step| matches!(step, Step::Astray(_));
            self.lines[at].is_astray =
                changed.iter().any(is_astray) || was_astray && !self.lines[at].quic.state().is_up();
            changed.retain(|step| !(was_astray && is_astray(step)));
            changed.iter().for_each(|step| self.carry_out(now, step));
            steps.extend(changed);
        }
        self.redial(now);
        steps
    }

    fn on_change(&mut self, path: PathId) -> Vec<Step> {
        let Line { quic, seen, dialled, .. } = &self.lines[usize::from(path.0)];
        match (seen, quic.peer()) {
            (TransportState::Up { session }, Some((key, _))) => {
                let (connection, call, joins) = (*session, quic.call(), quic.joins());
                self.joint.on_up(Arrived { path, connection, key, call, joins })
            }
            // Only if it was dialled for the session that is up.
            (TransportState::Closed(CloseReason::NoSession), _) if *dialled == self.call => {
                self.joint.on_unknown(path)
            }
            _ => self.joint.on_down(path),
        }
    }

    fn carry_out(&mut self, now: MonoTime, step: &Step) {
        match step {
            // Its place may have been taken in the very same read.
            Step::Drop(path, connection) => {
                let quic = self.carrier(*path);
                if *quic.state() == (TransportState::Up { session: *connection }) {
                    quic.close(now, "it is no part of the session");
                }
            }
            Step::End => self.on_end(now),
            Step::Begin { .. } | Step::Open(_) | Step::Close(_) | Step::Astray(_) => {}
        }
    }

    /// What is dialled next is another session; an attempt for the one that ended would be let into none.
    fn on_end(&mut self, now: MonoTime) {
        self.call = self.call.next();
        let is_dialled = |line: &&mut Line| line.seen == TransportState::Connecting;
        for line in self.lines.iter_mut().filter(|_| self.is_vehicle).filter(is_dialled) {
            line.quic.close(now, "the session it was for is over");
        }
    }

    /// Dials what is not up, once its time has come. While a session is up an attempt that rings for long is given up for
    /// one that joins it: QUIC waits longer each time, and a path may be back meanwhile.
    fn redial(&mut self, now: MonoTime) {
        let (joins, call) = (self.joint.session().is_some(), self.call);
        for line in self.lines.iter_mut().filter(|_| self.is_vehicle) {
            match line.seen {
                TransportState::Closed(_) if now >= line.redial_at => line.dial(now, call, joins),
                TransportState::Connecting if joins && now >= line.dialled_at + LONGEST_RING => {
                    line.quic.close(now, "dialled anew");
                    line.dialled_at = now;
                }
                _ => {}
            }
        }
    }

    /// Where the link stands.
    pub(super) fn state(&self) -> LinkState {
        if let Some(session) = self.joint.session() {
            return LinkState::Up { session };
        }
        let closed = self.lines.iter().filter_map(|line| match &line.seen {
            TransportState::Closed(reason) => Some(reason),
            _ => None,
        });
        // A vehicle still has hope while one is dialled; an operator's sockets listen whatever became of the last session.
        let is_over = closed.clone().count() == self.lines.len() || !self.is_vehicle;
        match reason_of_all(closed).filter(|_| is_over) {
            Some(reason) => LinkState::Down(reason),
            None => LinkState::Connecting,
        }
    }

    /// When a connection wants to be looked at, or dialled.
    pub(super) fn deadline(&mut self) -> MonoTime {
        let is_vehicle = self.is_vehicle;
        let due = self.lines.iter_mut().map(|line| {
            let is_closed = is_vehicle && matches!(line.seen, TransportState::Closed(_));
            let redial = if is_closed { line.redial_at } else { MonoTime::MAX };
            line.quic.deadline().unwrap_or(MonoTime::MAX).min(redial)
        });
        due.min().unwrap_or(MonoTime::MAX)
    }

    /// Sends what is queued.
    pub(super) fn flush(&mut self, now: MonoTime) {
        self.lines.iter_mut().for_each(|line| line.quic.flush(now));
    }

    /// Hands one datagram of the session over. Refusals are counted there; the session learns of the loss as of any other.
    pub(super) fn send(&mut self, now: MonoTime, path: PathId, class: Class, datagram: &[u8]) {
        let _ = self.carrier(path).send(now, class, datagram);
    }

    /// The paths of the session that take packets now.
    pub(super) fn ready(&self) -> Vec<PathId> {
        self.joint.open().filter(|path| self.lines[usize::from(path.0)].quic.ready()).collect()
    }

    /// Whether `connection` of `path` is part of the session.
    pub(super) fn has(&self, path: PathId, connection: u64) -> bool {
        self.joint.has(path, connection)
    }

    /// Sleeps as [`Transport::wait`] does, for all sockets.
    pub(super) fn wait(&mut self, until: MonoTime, packets: Packets, wake: BorrowedFd<'_>) -> WaitResult {
        let sockets: Vec<&QuicTransport> = self.lines.iter().map(|line| &line.quic).collect();
        wait_for(&sockets, until, packets, Some(wake))
    }

    /// What all counted together.
    pub(super) fn counters(&self) -> CarrierCounters {
        self.lines.iter().map(|line| line.quic.counters()).sum()
    }

    /// Ends all connections for good.
    pub(super) fn close(&mut self, now: MonoTime, reason: &str) {
        self.lines.iter_mut().for_each(|line| line.quic.close(now, reason));
        self.flush(now);
    }
}
