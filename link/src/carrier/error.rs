//! Why a carrier could not be made.

use std::io;
use std::net::SocketAddr;

use super::keys::KeyError;

/// Why a carrier could not be made or moved to another socket.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// Another program has the port.
    #[error(
        "UDP port {} at {address} is in use: stop the program that has it (ss -ulpn 'sport = :{}' names it) or choose another port",
        address.port(), address.port()
    )]
    PortInUse {
        /// The address asked for.
        address: SocketAddr,
    },
    /// No interface has the address.
    #[error("no network interface has the address {}: `ip address` lists those there are", address.ip())]
    NoSuchAddress {
        /// The address asked for.
        address: SocketAddr,
    },
    /// The socket could not be bound or prepared.
    #[error("UDP socket at {address}: {source}")]
    Socket {
        /// The address asked for.
        address: SocketAddr,
        /// What the kernel says.
        source: io::Error,
    },
    /// The socket could not be bound to a device.
    #[error("link: device: {device}: {source}; `ip link` lists the devices there are")]
    Device {
        /// The device asked for.
        device: String,
        /// What the kernel says.
        source: io::Error,
    },
    /// `ip_mtu` is outside what is supported.
    #[error(
        "link: mtu: {value} bytes, must be {min} to {max} (1500 Ethernet, 1492 PPPoE, 1280 any IPv6 path)"
    )]
    IpMtu {
        /// The value given.
        value: u16,
        /// Smallest allowed.
        min: u16,
        /// Largest allowed.
        max: u16,
    },
    /// Own address and peer's are not of the same family.
    #[error(
        "cannot reach {peer} from {local}: one is IPv4, the other IPv6; bind to an address of the same family"
    )]
    Family {
        /// Our address.
        local: SocketAddr,
        /// The peer's address.
        peer: SocketAddr,
    },
    /// The peer's address cannot be connected to.
    #[error("cannot connect to {peer}: {reason}")]
    Peer {
        /// The peer's address.
        peer: SocketAddr,
        /// Why not.
        reason: String,
    },
    /// The operation belongs to the vehicle's side.
    #[error("only the side that connects (the vehicle) can do this; this side listens")]
    NotTheVehicle,
    /// Own key unusable.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// TLS refused its configuration.
    #[error("TLS: {0}")]
    Tls(String),
}

impl CarrierError {
    /// The error for a socket that could not be bound to `address`.
    pub(super) fn of_bind(address: SocketAddr, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::AddrInUse => CarrierError::PortInUse { address },
            io::ErrorKind::AddrNotAvailable => CarrierError::NoSuchAddress { address },
            _ => CarrierError::Socket { address, source },
        }
    }
}
