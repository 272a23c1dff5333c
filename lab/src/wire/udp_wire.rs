//! [`UdpWire`]: the same models between UDP sockets on the loopback device, for machines that permit no namespaces.
//!
//! ```text
//!  vehicle program ──► relay's vehicle port │ models │ relay's operator port ──► operator program
//!                  ◄──                      │        │                       ◄──
//! ```
//!
//! The vehicle sends to [`UdpWire::vehicle_port`] as if it were the operator; answers come back from there. Only
//! UDP passes, and a datagram counts as a frame of its payload plus 42 bytes of headers. The programs' own sockets
//! and the loopback device add their queues, so it is a test of function, not the measuring network.
use core::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use tokkyu_contract::time::MonoTime;
use tokkyu_link::sim::path::{HEADER_BYTES, Profile};

use super::error::WireError;
use super::port::{Port, none_if_would_block};
use super::relay::{self, RelayHandle};
use super::report::WireReport;
use super::tap_wire::WireSettings;

/// A network between two UDP sockets of this machine.
pub struct UdpWire {
    profile: String,
    seed: u64,
    relay: RelayHandle,
    vehicle_port: SocketAddr,
}

impl UdpWire {
    /// Puts the network up. `operator` is where the operator's program listens.
    ///
    /// # Errors
    /// A profile out of range; no UDP socket on the loopback device.
    pub fn new(
        profile: &Profile,
        seed: u64,
        operator: SocketAddr,
        settings: WireSettings,
    ) -> Result<UdpWire, WireError> {
        profile.check()?;
        let vehicle = UdpPort::new(Peer::LastSender(None))?;
        let vehicle_port =
            vehicle.socket.local_addr().map_err(|error| WireError::system("UDP port", error))?;
        let operator = UdpPort::new(Peer::Fixed(operator))?;
        let relay = relay::start([vehicle, operator], profile, seed, settings.relay_priority)?;
        Ok(UdpWire { profile: profile.to_string(), seed, relay, vehicle_port })
    }

    /// Where the vehicle's program sends to.
    pub fn vehicle_port(&self) -> SocketAddr {
        self.vehicle_port
    }

    /// When the network began, the zero of all schedules.
    pub fn start(&self) -> MonoTime {
        self.relay.start()
    }

    /// What the wire has done so far.
    ///
    /// # Errors
    /// The relay has died.
    pub fn counters(&self) -> Result<WireReport, WireError> {
        self.relay.report()
    }

    /// Takes the network down and says what it has done.
    ///
    /// # Errors
    /// The relay has died.
    pub fn stop(self) -> Result<WireReport, WireError> {
        self.relay.stop()
    }
}

impl fmt::Display for UdpWire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, profile, .. } = self;
        write!(
            f,
            "UDP relay on loopback (no namespaces: a test of function, not a measurement), seed {seed}, {profile}"
        )
    }
}

/// Whom a port of the relay talks to.
enum Peer {
    Fixed(SocketAddr),
    /// Whoever sent last: the vehicle's program has any port, and a restarted one another.
    LastSender(Option<SocketAddr>),
}

struct UdpPort {
    socket: UdpSocket,
    peer: Peer,
}

impl UdpPort {
    fn new(peer: Peer) -> Result<Self, WireError> {
        let open = || {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        };
        let socket =
            open().map_err(|source: io::Error| WireError::system("UDP socket on loopback", source))?;
        Ok(UdpPort { socket, peer })
    }
}

impl Port for UdpPort {
    const ABSENT_HEADER_BYTES: usize = HEADER_BYTES as usize;

    fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            let (length, sender) = match self.socket.recv_from(buffer) {
                Ok(received) => received,
                Err(error) => return none_if_would_block(Err(error)),
            };
            match &mut self.peer {
                Peer::LastSender(last) => *last = Some(sender),
                // A stranger's datagram is no traffic of this wire.
                Peer::Fixed(peer) if *peer != sender => continue,
                Peer::Fixed(_) => {}
            }
            return Ok(Some(length));
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        match self.peer {
            Peer::Fixed(peer) | Peer::LastSender(Some(peer)) => self.socket.send_to(frame, peer).map(|_| ()),
            // Nobody has sent yet: as on a real network, there is nobody to receive.
            Peer::LastSender(None) => Ok(()),
        }
    }

    fn counts(_frame: &[u8]) -> bool {
        true
    }
}
