//! Which connection is the session, and what becomes of the others.
//!
//! One session at a time. A second peer with another trusted key is told "busy". The same key again is the same machine
//! after a restart, or after an outage it noticed before we did: the newer connection takes over. If the session was heard
//! within [`ALIVE`] it is another machine, or another process, with a copy of the key, and is told so: two of them would
//! take the session from each other without end.

use core::time::Duration;
use std::net::SocketAddr;

use quinn_proto::{ConnectionError, ConnectionHandle};
use tokkyu_contract::MonoTime;

use super::admission::Place;
use super::association::{Association, Phase, Turn};
use super::call::{Call, Purpose};
use super::config::{HANDSHAKE_TIMEOUT, IDLE_TIMEOUT};
use super::lifecycle::Event;
use super::{QuicTransport, Role};
use crate::carrier::close::{Circumstances, code};
use crate::carrier::{CloseReason, PublicKey};

/// A session that was heard within this lives: one with nothing to say keeps itself alive each half second.
const ALIVE: Duration = Duration::from_secs(1);

/// What is known of a session.
pub(super) struct Session {
    pub(super) handle: ConnectionHandle,
    pub(super) key: PublicKey,
    /// What the vehicle says that it is for.
    pub(super) purpose: Option<Purpose>,
    /// When a packet of it came last that it accepted.
    pub(super) heard: MonoTime,
    /// Where the peer was last.
    pub(super) remote: SocketAddr,
    /// Kept, and not asked for again: after the peer's address changed QUIC forgets that the peer takes less than we.
    pub(super) max_datagram: usize,
    /// UDP payload it travels in.
    pub(super) udp_payload: usize,
    /// Shorter than it could be, as the path took no longer packets at the start (LNK-89).
    pub(super) is_short: bool,
    pub(super) handshake_rtt: Duration,
}

/// The operator's side: what is known of the session that other paths carry, and of the last one that ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere {
    /// The peer's key, what it calls the session, and when a packet of it came last on any path.
    pub held: Option<(PublicKey, Option<Call>, MonoTime)>,
    /// What the peer called the session before.
    pub ended: Option<Call>,
}

impl Elsewhere {
    /// Why a new connection is not let in, if so: a code and a text for the peer.
    fn refusal(
        &self,
        now: MonoTime,
        key: PublicKey,
        purpose: Option<Purpose>,
    ) -> Option<(u32, &'static str)> {
        let call = purpose.map(|purpose| purpose.call);
        let is_part = self.held.is_some_and(|(_, held, _)| held.is_some() && held == call);
        match (self.held, purpose) {
            (Some((held, ..)), _) if held != key => Some((code::BUSY, "another peer holds the session")),
            _ if is_part => None,
            (_, Some(purpose)) if purpose.joins || self.ended == call => {
                Some((code::NO_SESSION, "there is no such session"))
            }
            (Some((.., heard)), _) if now.since(heard) < ALIVE => {
                Some((code::TWICE, "this key holds the session"))
            }
            _ => None,
        }
    }
}

impl QuicTransport {
    pub(super) fn index_of(&self, handle: ConnectionHandle) -> Option<usize> {
        self.associations.iter().position(|association| association.handle == handle)
    }

    pub(super) fn session_association(&mut self) -> Option<&mut Association> {
        let index = self.index_of(self.session.as_ref()?.handle)?;
        self.associations.get_mut(index)
    }

    pub(super) fn session_black_holes(&self) -> u64 {
        let session = self.associations.iter().find(|association| association.phase == Phase::Session);
        session.map_or(0, Association::black_holes)
    }

    /// All connections that are not the session: they share the places of strangers.
    pub(super) fn strangers(&self) -> impl Iterator<Item = Place> {
        let all = self.associations.iter().enumerate();
        let others = all.filter(|(_, association)| association.phase != Phase::Session);
        others.map(|(connection, association)| Place {
            connection,
            network: association.connection.remote_address().ip().into(),
            since: association.since,
        })
    }

    /// Acts on everything the connections have to say.
    pub(super) fn settle(&mut self, now: MonoTime) {
        let mut index = 0;
        while let Some(association) = self.associations.get_mut(index) {
            match association.turn(&mut self.endpoint) {
                Turn::Quiet => index += 1,
                Turn::Established => self.on_established(now, index),
                Turn::Lost(error) => self.on_lost(index, &error),
                Turn::Gone => drop(self.associations.swap_remove(index)),
            }
        }
    }

    fn on_established(&mut self, now: MonoTime, index: usize) {
        let instant = self.clock.instant(now);
        let association = &mut self.associations[index];
        if association.phase != Phase::Handshake {
            // Given up in the same breath: an attempt in its place is under way.
            return;
        }
        let (key, max_datagram) = (association.peer_key(), association.connection.datagrams().max_size());
        let (Some(key), Some(max_datagram)) = (key, max_datagram) else {
            // Trusted, but no peer of ours: it has no key or takes no datagrams.
            self.counters.failed_handshakes.other += 1;
            return association.leave(instant, code::DONE, "this is a tokkyu link: datagrams only");
        };
        let purpose = self.purpose_of(index);
        let is_operator = matches!(self.role, Role::Operator { .. });
        let refusal = is_operator.then(|| self.elsewhere.refusal(now, key, purpose)).flatten();
        if let Some((code, text)) = refusal {
            self.count_refusal(code);
            return self.associations[index].leave(instant, code, text);
        }
        let association = &mut self.associations[index];
        match &self.session {
            Some(session) if session.key != key => {
                self.counters.failed_handshakes.busy += 1;
                return association.leave(instant, code::BUSY, "another peer holds the session");
            }
            Some(session) if now.since(session.heard) < ALIVE => {
                self.counters.failed_handshakes.twice += 1;
                return association.leave(instant, code::TWICE, "this key holds the session");
            }
            Some(_) => self.end_session(now, code::REPLACED, "a newer connection came with the same key"),
            None => {}
        }
        let association = &mut self.associations[index];
        association.phase = Phase::Session;
        if let Role::Operator { admission, .. } = &mut self.role {
            admission.on_session(association.connection.remote_address().ip());
        }
        self.session = Some(Session {
            handle: association.handle,
            key,
            purpose,
            heard: now,
            remote: association.connection.remote_address(),
            max_datagram,
            udp_payload: usize::from(association.connection.current_mtu()),
            is_short: association.is_short,
            handshake_rtt: association.connection.rtt(),
        });
        self.lifecycle.on(Event::Established);
    }

    /// What a connection is for: the vehicle knows, the operator is told.
    fn purpose_of(&self, index: usize) -> Option<Purpose> {
        match &self.role {
            Role::Vehicle(caller) => Some(caller.purpose),
            Role::Operator { .. } => Purpose::of(&self.associations[index].connection),
        }
    }

    fn on_lost(&mut self, index: usize, error: &ConnectionError) {
        let association = &self.associations[index];
        let (phase, remote) = (association.phase, association.connection.remote_address());
        let reason = self.reason_of(error, remote, phase == Phase::Session);
        match (phase, &self.role) {
            (Phase::Session, _) => {
                self.forget_session();
                self.lifecycle.on(Event::Lost(reason));
            }
            (Phase::Handshake, Role::Vehicle(_)) => {
                self.count_failure(&reason);
                self.lifecycle.on(Event::Lost(reason));
            }
            // A stranger's failure says nothing about the session.
            (Phase::Handshake, Role::Operator { .. }) => self.count_failure(&reason),
            (Phase::Leaving, _) => {}
        }
        self.associations[index].phase = Phase::Leaving;
    }

    /// A packet came that the session accepted.
    pub(super) fn note_life(&mut self, now: MonoTime) {
        if let Some(session) = &mut self.session {
            session.heard = now;
        }
    }

    /// Follows the peer's address. Only the operator's QUIC lets it change.
    pub(super) fn note_address(&mut self) {
        let Some(session) = &self.session else { return };
        let Some(index) = self.index_of(session.handle) else { return };
        let remote = self.associations[index].connection.remote_address();
        if let Some(session) = &mut self.session
            && session.remote != remote
        {
            session.remote = remote;
            self.counters.migrations += 1;
        }
    }

    /// The operator's side: strangers do not hold a place for longer.
    pub(super) fn give_up_slow_handshakes(&mut self, now: MonoTime) {
        let instant = self.clock.instant(now);
        for index in 0..self.associations.len() {
            let association = &mut self.associations[index];
            if association.phase != Phase::Handshake || association.since + HANDSHAKE_TIMEOUT > now {
                continue;
            }
            association.leave(instant, code::TOO_SLOW, "the handshake took too long");
            self.counters.failed_handshakes.timed_out += 1;
        }
    }

    /// Ends the session, and the vehicle's attempt to get one, for good.
    pub(super) fn leave_all(&mut self, now: MonoTime, reason: &str) {
        self.end_session(now, code::DONE, reason);
        if let Role::Vehicle(_) = self.role {
            self.leave_attempt(now, code::DONE, reason);
        }
        self.lifecycle.on(Event::Lost(CloseReason::ByUs { text: reason.to_owned() }));
    }

    fn end_session(&mut self, now: MonoTime, code: u32, text: &str) {
        let instant = self.clock.instant(now);
        self.forget_session();
        let session = self.associations.iter_mut().filter(|one| one.phase == Phase::Session);
        session.for_each(|session| session.leave(instant, code, text));
    }

    fn forget_session(&mut self) {
        self.counters.black_holes += self.session_black_holes();
        // It may have moved since it began.
        if let (Some(session), Role::Operator { admission, .. }) = (self.session.take(), &mut self.role) {
            admission.on_session(session.remote.ip());
        }
        self.outbox.forget_batch();
    }

    /// QUIC's error in our words.
    pub(super) fn reason_of(
        &self,
        error: &ConnectionError,
        peer: SocketAddr,
        established: bool,
    ) -> CloseReason {
        let around = Circumstances {
            ours: self.own.key,
            refused: self.refused.take(),
            protocol: String::from_utf8_lossy(self.own.protocol).into_owned(),
            peer,
            established,
            idle: IDLE_TIMEOUT,
        };
        CloseReason::of(error, &around)
    }

    fn count_refusal(&mut self, code: u32) {
        let failed = &mut self.counters.failed_handshakes;
        *match code {
            code::BUSY => &mut failed.busy,
            code::TWICE => &mut failed.twice,
            _ => &mut failed.no_session,
        } += 1;
    }

    pub(super) fn count_failure(&mut self, reason: &CloseReason) {
        let failed = &mut self.counters.failed_handshakes;
        *match reason {
            CloseReason::PeerKeyUntrusted { .. } => &mut failed.untrusted_key,
            CloseReason::OtherProtocol { .. } => &mut failed.other_protocol,
            CloseReason::Busy => &mut failed.busy,
            CloseReason::Twice => &mut failed.twice,
            CloseReason::NoSession => &mut failed.no_session,
            CloseReason::NoAnswer { .. } => &mut failed.timed_out,
            _ => &mut failed.other,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carrier::SecretKey;

    /// LNK-96.
    #[test]
    fn a_new_connection_is_let_in_or_refused_by_what_other_paths_carry() {
        let [peer, other] = [(); 2].map(|()| SecretKey::generate().unwrap().public());
        let (mine, past, next) = (Call::first(), Call::first(), Call::first());
        let (heard, soon, late) =
            (MonoTime::from_millis(5_000), MonoTime::from_millis(5_999), MonoTime::from_millis(6_000));
        let held = Elsewhere { held: Some((peer, Some(mine), heard)), ended: Some(past) };
        let alone = Elsewhere { held: None, ended: Some(past) };
        let unnamed = Elsewhere { held: Some((peer, None, heard)), ended: None };
        let begins = |call| Some(Purpose { call, joins: false });
        let joins = |call| Some(Purpose { call, joins: true });
        let (busy, none, twice) = (Some(code::BUSY), Some(code::NO_SESSION), Some(code::TWICE));
        let table = [
            // what is known, when, whose, what for: refused with
            (held, soon, peer, begins(mine), None),
            (held, soon, peer, joins(mine), None),
            (held, soon, other, joins(mine), busy),
            (held, late, other, begins(next), busy),
            (held, soon, peer, joins(next), none),
            (held, soon, peer, begins(past), none),
            (held, soon, peer, begins(next), twice),
            (held, soon, peer, None, twice),
            (held, late, peer, begins(next), None),
            (held, late, peer, None, None),
            (alone, soon, peer, begins(next), None),
            (alone, soon, peer, begins(past), none),
            (alone, soon, peer, joins(mine), none),
            (alone, soon, peer, None, None),
            (unnamed, soon, peer, None, twice),
            (unnamed, soon, peer, begins(mine), twice),
            (Elsewhere::default(), soon, peer, None, None),
        ];
        for (row, (elsewhere, now, key, purpose, expected)) in table.into_iter().enumerate() {
            let refused = elsewhere.refusal(now, key, purpose).map(|(code, _)| code);
            assert_eq!(refused, expected, "row {row}");
        }
    }
}
