//! The vehicle's calls: a handshake, and others of another packet size in its place, until one holds (LNK-89).

use std::net::SocketAddr;
use std::sync::Arc;

use quinn_proto::ClientConfig;
use quinn_proto::crypto::rustls::QuicClientConfig;
use tokkyu_contract::MonoTime;

use super::admission::MAX_INCOMPLETE;
use super::association::{Association, Phase};
use super::call::{Call, Purpose};
use super::config::{self, HANDSHAKE_TIMEOUT, SHORT_UDP_PAYLOAD};
use super::dialing::{Dialing, Packets};
use super::lifecycle::Event;
use super::{QuicTransport, Role};
use crate::carrier::close::code;
use crate::carrier::{CarrierError, CloseReason, TransportState};

/// What the vehicle calls with.
pub(super) struct Caller {
    pub(super) peer: SocketAddr,
    /// What the next attempt is for.
    pub(super) purpose: Purpose,
    whole: ClientConfig,
    /// Where packets as long as declared are no longer than short ones there is nothing to choose.
    short: Option<ClientConfig>,
    dialing: Dialing,
    /// When the call counts as not answered.
    ends: MonoTime,
}

impl Caller {
    pub(super) fn new(peer: SocketAddr, call: Call, tls: QuicClientConfig, udp_payload: u16) -> Caller {
        let tls = Arc::new(tls);
        let of = |payload| config::client(tls.clone(), &Arc::new(config::transport(payload)));
        Caller {
            peer,
            purpose: Purpose { call, joins: false },
            whole: of(udp_payload),
            short: (udp_payload > SHORT_UDP_PAYLOAD).then(|| of(SHORT_UDP_PAYLOAD)),
            dialing: Dialing::without_choice(),
            ends: MonoTime::MAX,
        }
    }

    fn begin(&mut self, now: MonoTime) {
        self.dialing = if self.short.is_some() { Dialing::new(now) } else { Dialing::without_choice() };
        self.ends = now + HANDSHAKE_TIMEOUT;
    }

    /// The configuration of the attempt that is due, and whether its packets are shorter than declared.
    fn attempt(&self) -> (ClientConfig, bool) {
        match (self.dialing.packets(), &self.short) {
            (Packets::Short, Some(short)) => (short.clone(), true),
            _ => (self.whole.clone(), false),
        }
    }
}

impl QuicTransport {
    /// Begins a call.
    pub(super) fn dial(&mut self, now: MonoTime) -> Result<(), CarrierError> {
        let Role::Vehicle(caller) = &mut self.role else { return Err(CarrierError::NotTheVehicle) };
        caller.begin(now);
        // What an earlier session was refused says nothing of this one.
        self.socket.take_refused_bytes();
        self.attempt(now)?;
        self.lifecycle.on(Event::Dial);
        self.transmit(now);
        self.look_for_refused_attempt(now);
        Ok(())
    }

    fn attempt(&mut self, now: MonoTime) -> Result<(), CarrierError> {
        let Role::Vehicle(caller) = &self.role else { return Err(CarrierError::NotTheVehicle) };
        let refuse = |reason: String| CarrierError::Peer { peer: caller.peer, reason };
        if self.associations.len() >= MAX_INCOMPLETE {
            return Err(refuse("earlier attempts are still being closed; try again in a second".into()));
        }
        let (config, is_short) = caller.attempt();
        let instant = self.clock.instant(now);
        let begun = self.endpoint.connect(instant, config, caller.peer, &caller.purpose.name());
        let (handle, connection) = begun.map_err(|error| refuse(error.to_string()))?;
        self.associations.push(Association::new(handle, connection, now, is_short));
        Ok(())
    }

    fn caller(&mut self) -> Option<&mut Caller> {
        match &mut self.role {
            Role::Vehicle(caller) if *self.lifecycle.state() == TransportState::Connecting => Some(caller),
            _ => None,
        }
    }

    /// When a call does not go on as it is.
    pub(super) fn call_deadline(&self) -> Option<MonoTime> {
        match &self.role {
            Role::Vehicle(caller) if *self.lifecycle.state() == TransportState::Connecting => {
                Some(caller.dialing.deadline().min(caller.ends))
            }
            _ => None,
        }
    }

    /// The operator answered the present attempt. Before anything else comes of it: it may be given up for another.
    pub(super) fn on_answered_attempt(&mut self, now: MonoTime) {
        let Some(caller) = self.caller() else { return };
        if caller.dialing.on_answer(now) {
            caller.ends = now + HANDSHAKE_TIMEOUT;
            self.attempt_anew(now);
        }
    }

    /// The device may refuse what a handshake begins with.
    pub(super) fn look_for_refused_attempt(&mut self, now: MonoTime) {
        if self.caller().is_none() || self.socket.take_refused_bytes().is_none() {
            return;
        }
        if self.caller().is_some_and(|caller| caller.dialing.on_refused()) {
            self.attempt_anew(now);
        }
    }

    /// Gives an attempt that has waited long enough up for one of another size, and the call at its end.
    pub(super) fn on_call_timer(&mut self, now: MonoTime) {
        let Some(caller) = self.caller() else { return };
        let (is_over, peer) = (now >= caller.ends, caller.peer);
        if !is_over && caller.dialing.on_timer(now) {
            self.attempt_anew(now);
        } else if is_over {
            self.leave_attempt(now, code::TOO_SLOW, "the handshake took too long");
            self.counters.failed_handshakes.timed_out += 1;
            self.lifecycle.on(Event::Lost(CloseReason::NoAnswer { peer }));
        }
    }

    fn attempt_anew(&mut self, now: MonoTime) {
        self.leave_attempt(now, code::DONE, "dialled anew with packets of another size");
        match self.attempt(now) {
            Ok(()) => self.transmit(now),
            Err(error) => self.lifecycle.on(Event::Lost(CloseReason::Failed { text: error.to_string() })),
        }
    }

    /// Ends the attempts that are under way.
    pub(super) fn leave_attempt(&mut self, now: MonoTime, code: u32, text: &str) {
        let instant = self.clock.instant(now);
        let attempts = self.associations.iter_mut().filter(|one| one.phase == Phase::Handshake);
        attempts.for_each(|attempt| attempt.leave(instant, code, text));
    }
}
