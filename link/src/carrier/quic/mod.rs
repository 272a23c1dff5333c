//! The carrier in use: QUIC DATAGRAM (RFC 9000, RFC 9221) by `quinn-proto`, driven from the link's own thread.
//!
//! The vehicle connects, the operator listens and takes one peer at a time; both prove a pinned key. No task, no
//! runtime, no lock: everything happens inside the calls of [`Transport`], on the thread that makes them.
//!
//! Bounds: one batch of at most 40 datagrams or 64 KB is queued, one more waits if the socket is full; a call of
//! `receive` reads at most some hundred packets; connections of strangers are few (`admission.rs`). QUIC remembers each
//! unacknowledged packet, some 100 bytes each, until the peer answers or the idle time is over: the core must slow
//! down when its own feedback stops.
//!
//! | file | one idea |
//! |---|---|
//! | `config.rs` | every value given to QUIC, and why |
//! | `congestion.rs` | the controller that never says no |
//! | `admission.rs` | what strangers may cost |
//! | `association.rs` | one QUIC connection |
//! | `dialing.rs` | how long the packets are that the vehicle dials with |
//! | `call.rs` | which session a connection belongs to |
//! | `calling.rs` | the vehicle's handshakes |
//! | `lifecycle.rs` | the state that is shown, and how it moves |
//! | `inbound.rs` | packets in |
//! | `outbound.rs` | packets out |
//! | `session.rs` | which connection is the session |

mod admission;
mod association;
mod call;
mod calling;
pub mod config;
mod congestion;
mod dialing;
mod inbound;
mod lifecycle;
mod outbound;
mod session;

#[cfg(test)]
mod tests;

use core::time::Duration;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use bytes::BytesMut;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use quinn_proto::{Endpoint, ServerConfig};
use tokkyu_contract::{Class, MonoTime};

use super::clock::{self, InstantMap};
use super::socket::{Inbox, Socket};
use super::tls::{self, Identity, RefusedKey};
use super::{
    CarrierCounters, CarrierError, Packets, PublicKey, Received, SecretKey, SendRefused, Transport,
    TransportState, TrustStore, WaitResult,
};
use admission::Admission;
use association::{Association, Phase};
pub use call::Call;
use call::Purpose;
use calling::Caller;
use lifecycle::Lifecycle;
use outbound::Outbox;
pub use session::Elsewhere;
use session::Session;

/// Packets of one read fit.
const ARENA_BYTES: usize = 64 << 10;

/// What both sides need to know about themselves.
#[derive(Clone, Debug)]
pub struct QuicConfig {
    /// Own address and port; port 0 lets the system choose.
    pub bind: SocketAddr,
    /// Size of all full packets in bytes, IP header included, [`config::IP_MTU_MIN`] to [`config::IP_MTU_MAX`]. It must
    /// be one the whole path carries; both sides should have the same value (the smaller holds).
    pub ip_mtu: u16,
    /// Own key.
    pub secret: SecretKey,
    /// Keys of the peers that are let in.
    pub trusted: TrustStore,
    /// The device that packets leave and come by; whatever the routes say if None.
    pub device: Option<String>,
    /// The vehicle's side: what it calls its session.
    pub call: Call,
    protocol: &'static [u8],
}

impl QuicConfig {
    /// A configuration for the protocol of this version.
    pub fn new(bind: SocketAddr, ip_mtu: u16, secret: SecretKey, trusted: TrustStore) -> QuicConfig {
        let (device, call) = (None, Call::first());
        QuicConfig { bind, ip_mtu, secret, trusted, device, call, protocol: tls::PROTOCOL }
    }

    fn identity(&self) -> Identity<'_> {
        Identity { secret: &self.secret, trusted: &self.trusted, protocol: self.protocol }
    }
}

/// Which side this is.
enum Role {
    /// Connects, and may move to another socket.
    Vehicle(Box<Caller>),
    /// Listens. `short`: for who dials with short packets, where ours are longer (LNK-89).
    Operator { admission: Admission, short: Option<Arc<ServerConfig>> },
}

/// What messages name us by.
struct Own {
    key: PublicKey,
    protocol: &'static [u8],
    /// IP's and UDP's headers of each packet.
    header_bytes: u16,
}

/// QUIC DATAGRAM to one peer. See the module.
pub struct QuicTransport {
    role: Role,
    own: Own,
    clock: InstantMap,
    device: Option<String>,
    socket: Socket,
    /// Taken out while its packets are handled.
    inbox: Option<Inbox>,
    /// Where packets are decrypted.
    arena: BytesMut,
    outbox: Outbox,
    endpoint: Endpoint,
    associations: Vec<Association>,
    session: Option<Session>,
    elsewhere: Elsewhere,
    lifecycle: Lifecycle,
    refused: RefusedKey,
    /// Without the socket's part, and without the present session's black holes.
    counters: CarrierCounters,
}

impl QuicTransport {
    /// The vehicle's side: begins the handshake with the operator at `peer`.
    ///
    /// # Errors
    /// [`CarrierError`]: the socket, the MTU, the key, or an address that cannot be connected to.
    pub fn connect(config: &QuicConfig, peer: SocketAddr, now: MonoTime) -> Result<Self, CarrierError> {
        if config.bind.is_ipv4() != peer.is_ipv4() {
            return Err(CarrierError::Family { local: config.bind, peer });
        }
        let payload = config::udp_payload(config.ip_mtu, peer.is_ipv6())?;
        let refused = RefusedKey::default();
        let tls = tls::client(&config.identity(), refused.clone())?;
        let endpoint = Endpoint::new(Arc::new(config::endpoint(payload, None)?), None, false, None);
        let role = Role::Vehicle(Box::new(Caller::new(peer, config.call, tls, payload)));
        let socket = Socket::bind(config.bind, config.device.as_deref())?;
        let mut transport = Self::assemble(config, role, socket, endpoint, refused, payload);
        transport.dial(now)?;
        Ok(transport)
    }

    /// The operator's side: listens for vehicles with trusted keys.
    ///
    /// # Errors
    /// [`CarrierError`]: the socket (port in use), the MTU or the key.
    pub fn listen(config: &QuicConfig, now: MonoTime) -> Result<Self, CarrierError> {
        let payload = config::udp_payload(config.ip_mtu, config.bind.is_ipv6())?;
        let refused = RefusedKey::default();
        let tls = tls::server(&config.identity(), refused.clone())?;
        let tls = Arc::new(tls);
        let of = |payload| Arc::new(config::server(tls.clone(), &Arc::new(config::transport(payload))));
        let short = (payload > config::SHORT_UDP_PAYLOAD).then(|| of(config::SHORT_UDP_PAYLOAD));
        let socket = Socket::bind(config.bind, config.device.as_deref())?;
        let seed = config::RestartSeed::new(&config.secret, socket.local());
        let endpoint = config::endpoint(payload, Some(&seed))?;
        let endpoint = Endpoint::new(Arc::new(endpoint), Some(of(payload)), false, None);
        let role = Role::Operator { admission: Admission::new(now), short };
        Ok(Self::assemble(config, role, socket, endpoint, refused, payload))
    }

    fn assemble(
        config: &QuicConfig,
        role: Role,
        socket: Socket,
        endpoint: Endpoint,
        refused: RefusedKey,
        payload: u16,
    ) -> Self {
        QuicTransport {
            role,
            own: Own {
                key: config.secret.public(),
                protocol: config.protocol,
                header_bytes: config.ip_mtu - payload,
            },
            clock: InstantMap::new(),
            device: config.device.clone(),
            socket,
            inbox: Some(Inbox::new()),
            arena: BytesMut::with_capacity(ARENA_BYTES),
            outbox: Outbox::new(payload),
            endpoint,
            associations: Vec::new(),
            session: None,
            elsewhere: Elsewhere::default(),
            lifecycle: Lifecycle::new(),
            refused,
            counters: CarrierCounters::default(),
        }
    }

    /// The vehicle's side: begins a new handshake after the last session or attempt ended; does nothing else.
    ///
    /// # Errors
    /// [`CarrierError::NotTheVehicle`], or [`CarrierError::Peer`] if earlier attempts have not died out yet.
    pub fn reconnect(&mut self, now: MonoTime) -> Result<(), CarrierError> {
        match self.lifecycle.state() {
            TransportState::Closed(_) => self.dial(now),
            _ => Ok(()),
        }
    }

    /// The vehicle's side: goes on with the session from another own address, say another modem's. The operator
    /// follows within a round trip; what is under way meanwhile may be lost.
    ///
    /// # Errors
    /// [`CarrierError`] if the new socket cannot be bound; the old one is then still in use.
    pub fn rebind(&mut self, bind: SocketAddr, now: MonoTime) -> Result<(), CarrierError> {
        let Role::Vehicle(caller) = &self.role else { return Err(CarrierError::NotTheVehicle) };
        if bind.is_ipv4() != caller.peer.is_ipv4() {
            return Err(CarrierError::Family { local: bind, peer: caller.peer });
        }
        let mut socket = Socket::bind(bind, self.device.as_deref())?;
        socket.inherit(self.socket.counters());
        self.socket = socket;
        if let Some(association) = self.session_association() {
            association.connection.local_address_changed();
            self.counters.migrations += 1;
        }
        self.transmit(now);
        Ok(())
    }

    /// The vehicle's side: what the next call is for: session `call`, or another path of it.
    pub fn set_call(&mut self, call: Call, joins: bool) {
        if let Role::Vehicle(caller) = &mut self.role {
            caller.purpose = Purpose { call, joins };
        }
    }

    /// The operator's side: what is known of the session that other paths carry.
    pub fn set_elsewhere(&mut self, elsewhere: Elsewhere) {
        self.elsewhere = elsewhere;
    }

    /// The session of the present connection, as the vehicle calls it. None where it does not say.
    pub fn call(&self) -> Option<Call> {
        self.session.as_ref()?.purpose.map(|purpose| purpose.call)
    }

    /// Whether the present connection joins a session, and begins none.
    pub fn joins(&self) -> bool {
        self.session.as_ref().and_then(|session| session.purpose).is_some_and(|purpose| purpose.joins)
    }

    /// When a packet of the present connection came last that it accepted.
    pub fn heard(&self) -> Option<MonoTime> {
        self.session.as_ref().map(|session| session.heard)
    }

    /// Own address and port.
    pub fn local_address(&self) -> SocketAddr {
        self.socket.local()
    }

    /// The peer of the present session: its key and where it is now.
    pub fn peer(&self) -> Option<(PublicKey, SocketAddr)> {
        self.session.as_ref().map(|session| (session.key, session.remote))
    }

    /// Bytes of receive buffer the system granted (16 MiB are asked for; without privilege `net.core.rmem_max` is the
    /// limit). `None` if it does not say.
    pub fn receive_buffer_bytes(&self) -> Option<usize> {
        self.socket.receive_buffer()
    }
}

impl Transport for QuicTransport {
    fn state(&self) -> &TransportState {
        self.lifecycle.state()
    }

    fn max_datagram(&self) -> usize {
        self.session.as_ref().map_or(0, |session| session.max_datagram)
    }

    fn ip_bytes(&self) -> usize {
        self.session.as_ref().map_or(0, |session| session.udp_payload + usize::from(self.own.header_bytes))
    }

    fn is_short(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.is_short)
    }

    fn take_refused_size(&mut self) -> Option<usize> {
        let session = self.session.as_ref()?;
        let refused = self.socket.take_refused_bytes()?;
        Some(refused.saturating_sub(session.udp_payload - session.max_datagram))
    }

    fn handshake_rtt(&self) -> Option<Duration> {
        self.session.as_ref().map(|session| session.handshake_rtt)
    }

    fn ready(&self) -> bool {
        self.session.is_some() && !self.outbox.is_blocked()
    }

    fn send(&mut self, now: MonoTime, class: Class, datagram: &[u8]) -> Result<(), SendRefused> {
        let taken = self.queue(now, class, datagram);
        match taken {
            Ok(()) => {
                self.counters.datagrams_sent += 1;
                self.counters.datagram_bytes_sent += datagram.len() as u64;
            }
            Err(_) => self.counters.sends_refused += 1,
        }
        taken
    }

    fn flush(&mut self, now: MonoTime) {
        self.transmit(now);
    }

    fn receive(&mut self, now: MonoTime, sink: &mut dyn FnMut(Received<'_>)) {
        self.read_burst(now, sink);
        self.settle(now);
        self.transmit(now);
    }

    fn deadline(&mut self) -> Option<MonoTime> {
        let (clock, call) = (self.clock, self.call_deadline());
        let is_operator = matches!(self.role, Role::Operator { .. });
        let timers = self.associations.iter_mut().flat_map(|association| {
            let timer = association.connection.poll_timeout().map(|at| clock.mono(at));
            let patience = association.since + config::HANDSHAKE_TIMEOUT;
            let is_stranger = is_operator && association.phase == Phase::Handshake;
            [timer, is_stranger.then_some(patience)]
        });
        timers.flatten().chain(call).min()
    }

    fn on_timer(&mut self, now: MonoTime) {
        let instant = self.clock.instant(now);
        for association in &mut self.associations {
            if association.connection.poll_timeout().is_some_and(|at| at <= instant) {
                association.connection.handle_timeout(instant);
            }
        }
        match self.role {
            Role::Operator { .. } => self.give_up_slow_handshakes(now),
            Role::Vehicle(_) => self.on_call_timer(now),
        }
        self.settle(now);
        self.transmit(now);
        self.look_for_refused_attempt(now);
    }

    fn counters(&self) -> CarrierCounters {
        let socket = self.socket.counters();
        CarrierCounters {
            packets_sent: socket.packets_sent,
            packet_bytes_sent: socket.packet_bytes_sent,
            send_calls: socket.send_calls,
            gso_calls: socket.gso_calls,
            would_block: socket.would_block,
            too_big: socket.too_big,
            unsendable: socket.unsendable,
            unmarked: socket.unmarked,
            black_holes: self.counters.black_holes + self.session_black_holes(),
            ..self.counters
        }
    }

    fn close(&mut self, now: MonoTime, reason: &str) {
        self.leave_all(now, reason);
        self.transmit(now);
    }

    fn wait(&mut self, until: MonoTime, packets: Packets, wake: Option<BorrowedFd<'_>>) -> WaitResult {
        wait_for(&[self], until, packets, wake)
    }
}

/// Sleeps as [`Transport::wait`] does, for several carriers at once.
pub fn wait_for(
    carriers: &[&QuicTransport],
    until: MonoTime,
    packets: Packets,
    wake: Option<BorrowedFd<'_>>,
) -> WaitResult {
    let sockets = carriers.iter().map(|carrier| {
        let mut interest = PollFlags::empty();
        interest.set(PollFlags::POLLIN, packets == Packets::Wake);
        interest.set(PollFlags::POLLOUT, carrier.outbox.is_blocked());
        PollFd::new(carrier.socket.as_fd(), interest)
    });
    let wake = wake.map(|wake| PollFd::new(wake, PollFlags::POLLIN));
    let mut watched: Vec<PollFd<'_>> = sockets.chain(wake).collect();
    let span = (until != MonoTime::MAX).then(|| TimeSpec::from(until.since(clock::now())));
    if ppoll(&mut watched, span, None).is_err() {
        // A signal: the caller looks at its deadlines and comes back.
        return WaitResult::default();
    }
    let seen = |one: &PollFd<'_>| one.revents().unwrap_or(PollFlags::empty());
    let (sockets, wake) = watched.split_at(carriers.len());
    WaitResult {
        readable: sockets.iter().any(|one| seen(one).intersects(PollFlags::POLLIN | PollFlags::POLLERR)),
        writable: sockets.iter().any(|one| seen(one).contains(PollFlags::POLLOUT)),
        woken: wake.iter().any(|one| !seen(one).is_empty()),
    }
}

impl AsFd for QuicTransport {
    /// The socket, for callers with a loop of their own. Changes with [`QuicTransport::rebind`].
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
