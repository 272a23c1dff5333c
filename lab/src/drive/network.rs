//! The network of a real run: the wire between two namespaces, or the UDP relay where there are none.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::{Child, Command};

use nix::sys::signal::Signal;

use tokkyu_link::sim::path::Profile;

use crate::orphan::ends_with_its_starter;
use crate::wire::{End, UdpWire, Wire, WireError, WireReport, WireSettings};

use super::error::DriveError;

/// `SCHED_FIFO` priority of the relay: above the programs' link threads ([`PROGRAM_PRIORITY`]). Below them a program
/// that computes would hold up its own network, and on two cores both ends may compute at once; the relay needs
/// microseconds at a time, so it holds up nobody in return.
pub const RELAY_PRIORITY: u8 = 45;
/// `SCHED_FIFO` priority of the link threads of both programs: that of class `control`.
pub const PROGRAM_PRIORITY: u8 = 40;
/// Port of the operator's program on the wire.
const PORT: u16 = 7447;

/// Where the two programs find each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addresses {
    /// Where the operator listens.
    pub(super) listen: SocketAddr,
    /// Where the vehicle sends to: the operator, or the relay that stands for it.
    pub(super) operator: SocketAddr,
}

/// A network that is up.
pub(super) enum Network {
    Wire(Wire),
    Udp {
        wire: UdpWire,
        addresses: Addresses,
        /// Why it is not the real wire.
        because: String,
    },
}

impl Network {
    /// Puts the network up: the real wire, or where that is not permitted the relay between UDP sockets.
    pub(super) fn up(profile: &Profile, seed: u64) -> Result<Network, DriveError> {
        let settings = WireSettings { relay_priority: Some(RELAY_PRIORITY) };
        match Wire::with_settings(profile, seed, settings) {
            Ok(wire) => Ok(Network::Wire(wire)),
            Err(because @ WireError::NotPermitted { .. }) => {
                let listen = free_port().map_err(DriveError::Port)?;
                let wire = UdpWire::new(profile, seed, listen, settings)?;
                let addresses = Addresses { listen, operator: wire.vehicle_port() };
                Ok(Network::Udp { wire, addresses, because: because.to_string() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Puts the real wire up, for programs that no relay could serve.
    pub(super) fn wire_alone(profile: &Profile, seed: u64) -> Result<Network, DriveError> {
        let settings = WireSettings { relay_priority: Some(RELAY_PRIORITY) };
        let wire = Wire::with_settings(profile, seed, settings);
        wire.map(Network::Wire).map_err(|because| DriveError::NoPeers { because })
    }

    pub(super) fn addresses(&self) -> Addresses {
        match self {
            Network::Wire(_) => {
                let operator = SocketAddr::from((End::Operator.address(), PORT));
                Addresses { listen: operator, operator }
            }
            Network::Udp { addresses, .. } => *addresses,
        }
    }

    /// Starts a program at one end. It dies with this thread, whatever ends that.
    pub(super) fn spawn(&self, end: End, mut command: Command) -> Result<Child, DriveError> {
        match self {
            Network::Wire(wire) => Ok(wire.spawn(end, command)?),
            Network::Udp { .. } => {
                ends_with_its_starter(&mut command, Signal::SIGKILL);
                let program = command.get_program().into();
                command.spawn().map_err(|source| DriveError::Start { program, source })
            }
        }
    }

    /// The wire, which alone carries TCP.
    pub(super) fn for_tcp(&self) -> Result<&Wire, DriveError> {
        match self {
            Network::Wire(wire) => Ok(wire),
            Network::Udp { because, .. } => Err(DriveError::NoTcp { because: because.clone() }),
        }
    }

    /// What must be said about this network beside every figure.
    pub(super) fn caveat(&self) -> Option<String> {
        match self {
            Network::Wire(_) => None,
            Network::Udp { because, .. } => Some(format!(
                "UDP relay on loopback instead of the wire, a test of function and no measurement: {because}"
            )),
        }
    }

    /// Which setting of the experiment this is, in a word for the result.
    pub(super) const fn variant(&self) -> &'static str {
        match self {
            Network::Wire(_) => "default",
            Network::Udp { .. } => "udp-relay",
        }
    }

    /// Takes the network down.
    pub(super) fn down(self) -> Result<WireReport, WireError> {
        match self {
            Network::Wire(wire) => wire.stop(),
            Network::Udp { wire, .. } => wire.stop(),
        }
    }
}

/// A port nobody has at the moment. Somebody may take it before the operator does; then the run says so.
fn free_port() -> io::Result<SocketAddr> {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
