//! Packets in: from the socket to the connection they belong to, and what strangers send out of the way.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::{
    AcceptError, ConnectionEvent, ConnectionHandle, DatagramEvent, EcnCodepoint, EndpointEvent, Incoming,
    ServerConfig, Transmit,
};
use tokkyu_contract::MonoTime;

use super::admission::{Glance, Verdict, glance};
use super::association::{Association, Phase};
use super::config::SHORT_UDP_PAYLOAD;
use super::{QuicTransport, Received, Role};
use crate::carrier::TransportState;
use crate::carrier::socket::Arrival;

/// Packets after which a burst ends, so that a flood does not keep the loop from its timers and from sending: a quarter
/// of a millisecond of work. The last system call may bring more than that, at most 2048 packets.
const BURST_PACKETS: u64 = 256;

/// What is known of a packet besides its bytes.
#[derive(Clone, Copy)]
struct Origin {
    from: SocketAddr,
    to: Option<std::net::IpAddr>,
    ecn: Option<EcnCodepoint>,
    at: MonoTime,
    glance: Glance,
}

impl QuicTransport {
    pub(super) fn read_burst(&mut self, now: MonoTime, sink: &mut dyn FnMut(Received<'_>)) {
        let Some(mut inbox) = self.inbox.take() else { return };
        let enough = self.counters.packets_received + BURST_PACKETS;
        while self.counters.packets_received < enough {
            let filled = self.socket.receive(&mut inbox);
            for arrival in inbox.arrivals(filled) {
                self.on_arrival(now, &arrival, sink);
            }
            if !inbox.is_full(filled) {
                break;
            }
        }
        self.inbox = Some(inbox);
    }

    /// Takes apart what the kernel joined (GRO).
    fn on_arrival(&mut self, now: MonoTime, arrival: &Arrival<'_>, sink: &mut dyn FnMut(Received<'_>)) {
        let ecn = arrival.ecn.and_then(|ecn| EcnCodepoint::from_bits(ecn as u8));
        let mut rest = arrival.bytes;
        loop {
            let (packet, behind) = rest.split_at(arrival.stride.min(rest.len()));
            rest = behind;
            self.counters.packets_received += 1;
            self.counters.packet_bytes_received += packet.len() as u64;
            let glance = glance(packet);
            if self.may_enter(now, glance) {
                let origin = Origin { from: arrival.from, to: arrival.to, ecn, at: arrival.at, glance };
                // Decryption works in place, on a copy in memory that is used again once its packets are done with.
                self.arena.extend_from_slice(packet);
                let packet = self.arena.split();
                self.on_packet(now, &origin, packet, sink);
            }
            // After the first packet, not before: an empty one counts too, or a flood of them would have no end.
            if rest.is_empty() {
                break;
            }
        }
    }

    /// Whether a packet may cost more than the glance.
    fn may_enter(&mut self, now: MonoTime, glance: Glance) -> bool {
        let rejected = &mut self.counters.rejected;
        let counter = match (glance, &mut self.role) {
            (Glance::Malformed, _) => &mut rejected.malformed,
            (Glance::Initial, Role::Operator { admission, .. }) => match admission.may_open(now) {
                true => return true,
                false => &mut rejected.over_limit,
            },
            _ => return true,
        };
        *counter += 1;
        false
    }

    fn on_packet(
        &mut self,
        now: MonoTime,
        origin: &Origin,
        packet: BytesMut,
        sink: &mut dyn FnMut(Received<'_>),
    ) {
        let (instant, bytes) = (self.clock.instant(now), packet.len());
        let mut reply = self.outbox.buffer();
        let Origin { from, to, ecn, .. } = *origin;
        match self.endpoint.handle(instant, from, to, ecn, packet, &mut reply) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                self.outbox.give_back(reply);
                self.on_connection_packet(now, origin, handle, event, sink);
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.on_incoming(now, incoming, bytes, reply),
            Some(DatagramEvent::Response(transmit)) => self.on_stray(origin.glance, Some(&transmit), reply),
            None => self.on_stray(origin.glance, None, reply),
        }
    }

    fn on_connection_packet(
        &mut self,
        now: MonoTime,
        origin: &Origin,
        handle: ConnectionHandle,
        event: ConnectionEvent,
        sink: &mut dyn FnMut(Received<'_>),
    ) {
        let Some(index) = self.index_of(handle) else { return };
        let association = &mut self.associations[index];
        let accepted = association.feed(event);
        if accepted && association.phase == Phase::Handshake && association.is_answered() {
            self.on_answered_attempt(now);
        }
        match self.associations[index].phase {
            // It may be the session from here on, with datagrams behind the handshake in the same packet.
            Phase::Handshake => self.settle(now),
            // Handshake packets that come once more, late, are no attack.
            Phase::Session if !accepted && origin.glance == Glance::Session => {
                self.counters.rejected.unauthentic += 1;
            }
            Phase::Session => {
                if accepted {
                    self.note_life(now);
                }
                self.note_address();
            }
            Phase::Leaving => {}
        }
        self.deliver(origin, sink);
    }

    /// Gives the session's datagrams to the core, before the next packet: each belongs to the packet just read.
    fn deliver(&mut self, origin: &Origin, sink: &mut dyn FnMut(Received<'_>)) {
        let ce = origin.ecn == Some(EcnCodepoint::Ce);
        let Some(index) = self.session.as_ref().and_then(|session| self.index_of(session.handle)) else {
            return;
        };
        let TransportState::Up { session } = *self.lifecycle.state() else { return };
        while let Some(bytes) = self.associations[index].connection.datagrams().recv() {
            self.counters.datagrams_received += 1;
            self.counters.datagram_bytes_received += bytes.len() as u64;
            sink(Received { session, bytes: &bytes, ce, at: origin.at });
        }
    }

    /// A packet for no connection. QUIC may want to answer it; only one answer ever leaves: the stateless reset of a
    /// session from before the operator's restart. It is smaller than the packet and rate-limited.
    fn on_stray(&mut self, glance: Glance, response: Option<&Transmit>, reply: Vec<u8>) {
        match glance {
            Glance::Initial => self.counters.rejected.malformed += 1,
            _ => self.counters.rejected.unknown_connection += 1,
        }
        match (response, &self.role) {
            (Some(reset), Role::Operator { .. }) if glance == Glance::Session => self.answer(reset, reply),
            _ => self.outbox.give_back(reply),
        }
    }

    fn on_incoming(&mut self, now: MonoTime, incoming: Incoming, bytes: usize, mut reply: Vec<u8>) {
        let strangers: Vec<_> = self.strangers().collect();
        let Role::Operator { admission, short } = &mut self.role else {
            // Without a server's configuration the endpoint makes no incoming connections.
            return self.endpoint.ignore(incoming);
        };
        let short = short.clone().filter(|_| bytes <= usize::from(SHORT_UDP_PAYLOAD));
        let from = incoming.remote_address().ip();
        match admission.judge(now, from, &strangers, !incoming.may_retry()) {
            Verdict::Accept { instead_of } => self.accept(now, incoming, short, reply, instead_of),
            Verdict::Retry => match self.endpoint.retry(incoming, &mut reply) {
                Ok(retry) => {
                    self.counters.retries += 1;
                    self.answer(&retry, reply);
                }
                Err(refused) => self.endpoint.ignore(refused.into_incoming()),
            },
            Verdict::Drop => {
                self.counters.rejected.over_limit += 1;
                self.endpoint.ignore(incoming);
            }
        }
    }

    /// A handshake gives its place to another. It is told nothing: a close would be one more packet to whoever floods.
    fn crowd_out(&mut self, connection: usize) {
        let association = self.associations.swap_remove(connection);
        self.endpoint.handle_event(association.handle, EndpointEvent::drained());
        self.counters.failed_handshakes.timed_out += 1;
    }

    fn accept(
        &mut self,
        now: MonoTime,
        incoming: Incoming,
        short: Option<Arc<ServerConfig>>,
        mut reply: Vec<u8>,
        instead_of: Option<usize>,
    ) {
        let (remote, is_short) = (incoming.remote_address(), short.is_some());
        match self.endpoint.accept(incoming, self.clock.instant(now), &mut reply, short) {
            Ok((handle, connection)) => {
                self.outbox.give_back(reply);
                self.associations.push(Association::new(handle, connection, now, is_short));
                // Only now: a forged packet must not cost anybody a place.
                instead_of.into_iter().for_each(|connection| self.crowd_out(connection));
            }
            Err(AcceptError { response: None, .. }) => {
                self.counters.rejected.malformed += 1;
                if let Role::Operator { admission, .. } = &mut self.role {
                    admission.was_forged();
                }
                self.outbox.give_back(reply);
            }
            Err(AcceptError { cause, response: Some(response) }) => {
                let reason = self.reason_of(&cause, remote, false);
                self.count_failure(&reason);
                self.answer(&response, reply);
            }
        }
    }
}
