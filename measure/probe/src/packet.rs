//! The same datagrams through a packet socket: past the network stack, and past the queueing discipline if asked for (PRB-21).

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

use crate::error::{ProbeError, failed};

const ETHERNET: usize = 14;
const IP: usize = 20;
const UDP: usize = 8;
/// Before the payload.
pub const HEADERS: usize = ETHERNET + IP + UDP;
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];

/// A packet socket that is connected, as far as one can be: its frames carry the same headers.
pub struct PacketSocket {
    socket: OwnedFd,
    pub headers: [u8; HEADERS],
}

impl PacketSocket {
    /// `udp` is connected to the other end, and has sent it something: so the neighbour is known, and who we are to it.
    pub fn like(udp: &UdpSocket, payload: usize, bypass: bool) -> Result<PacketSocket, ProbeError> {
        let (local, peer) = (udp.local_addr(), udp.peer_addr());
        let (Ok(SocketAddr::V4(local)), Ok(SocketAddr::V4(peer))) = (local, peer) else {
            return Err(ProbeError::NotPossible(
                "packet sockets send IPv4 alone; name the other end by an IPv4 address".into(),
            ));
        };
        let device = device_of(*local.ip())?;
        let mut headers = [0; HEADERS];
        headers[..6].copy_from_slice(&neighbour(*peer.ip(), &device)?);
        headers[6..12].copy_from_slice(&address_of(&device)?);
        headers[12..14].copy_from_slice(&ETHERTYPE_IPV4);
        headers[14..34].copy_from_slice(&ip_header(*local.ip(), *peer.ip(), payload));
        headers[34..36].copy_from_slice(&local.port().to_be_bytes());
        headers[36..38].copy_from_slice(&peer.port().to_be_bytes());
        headers[38..40].copy_from_slice(&((UDP + payload) as u16).to_be_bytes());
        // The checksum of UDP stays 0, which over IPv4 is "none" (RFC 768).
        Ok(PacketSocket { socket: open(&device, bypass)?, headers })
    }

    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// The frame has [`HEADERS`] in front of its payload.
    pub fn send(&self, frame: &[u8]) -> Result<usize, Errno> {
        nix::unistd::write(&self.socket, frame)
    }
}

fn open(device: &str, bypass: bool) -> Result<OwnedFd, ProbeError> {
    let socket = socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC, None::<SockProtocol>)
        .map_err(|error| {
        ProbeError::NotPossible(format!("packet socket: {error}; it needs CAP_NET_RAW: run it as root"))
    })?;
    let index = if_nametoindex(device).map_err(failed(device))?;
    // SAFETY: all zeroes are valid values of this structure.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    // Protocol 0: it sends, and receives nothing.
    address.sll_ifindex = index as i32;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: address and length belong together and outlive the call.
    Errno::result(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })
        .map_err(failed(device))?;
    let one = i32::from(bypass);
    // SAFETY: value and length belong together and outlive the call.
    Errno::result(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_QDISC_BYPASS,
            (&raw const one).cast(),
            4,
        )
    })
    .map_err(failed("PACKET_QDISC_BYPASS"))?;
    Ok(socket)
}

fn device_of(local: Ipv4Addr) -> Result<String, ProbeError> {
    let mut all = getifaddrs().map_err(failed("devices"))?;
    let found = all.find(|one| {
        one.address
            .as_ref()
            .and_then(|address| address.as_sockaddr_in())
            .is_some_and(|address| address.ip() == local)
    });
    found
        .map(|one| one.interface_name)
        .ok_or_else(|| ProbeError::NotPossible(format!("no device has the address {local}")))
}

fn address_of(device: &str) -> Result<[u8; 6], ProbeError> {
    let path = format!("/sys/class/net/{device}/address");
    let text = fs::read_to_string(&path).map_err(failed(path.as_str()))?;
    hardware_address(text.trim())
        .ok_or_else(|| ProbeError::NotPossible(format!("{device} is no Ethernet device")))
}

fn neighbour(peer: Ipv4Addr, device: &str) -> Result<[u8; 6], ProbeError> {
    let table = fs::read_to_string("/proc/net/arp").map_err(failed("/proc/net/arp"))?;
    in_table(&table, peer, device).ok_or_else(|| {
        ProbeError::NotPossible(format!(
            "{peer} is no neighbour on {device}; a packet socket reaches the same link alone"
        ))
    })
}

fn in_table(table: &str, peer: Ipv4Addr, device: &str) -> Option<[u8; 6]> {
    let peer = peer.to_string();
    let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let found = lines.find(|words| words.first() == Some(&peer.as_str()) && words.last() == Some(&device))?;
    hardware_address(found.get(3)?).filter(|address| *address != [0; 6])
}

fn hardware_address(text: &str) -> Option<[u8; 6]> {
    let bytes: Vec<u8> =
        text.split(':').map(|part| u8::from_str_radix(part, 16).ok()).collect::<Option<_>>()?;
    bytes.try_into().ok()
}

fn ip_header(from: Ipv4Addr, to: Ipv4Addr, payload: usize) -> [u8; IP] {
    let mut header = [0; IP];
    header[0] = 0x45;
    header[2..4].copy_from_slice(&((IP + UDP + payload) as u16).to_be_bytes());
    header[8] = 64;
    header[9] = libc::IPPROTO_UDP as u8;
    header[12..16].copy_from_slice(&from.octets());
    header[16..20].copy_from_slice(&to.octets());
    let checksum = checksum(&header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
    header
}

/// RFC 1071.
fn checksum(header: &[u8; IP]) -> u16 {
    let words = header.as_chunks::<2>().0.iter().map(|word| u32::from(u16::from_be_bytes(*word)));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_sums_up_to_nothing() {
        let header = ip_header(Ipv4Addr::new(192, 168, 0, 1), Ipv4Addr::new(192, 168, 0, 199), 80);
        assert_eq!(checksum(&header), 0);
        assert_eq!(header[2..4], [0, 108]);
    }

    #[test]
    fn a_neighbour_is_one_of_the_device() {
        let table = "IP address  HW type  Flags  HW address  Mask  Device\n10.0.0.2 0x1 0x2 02:76:6d:61:63:01 * eth1\n10.0.0.2 0x1 0x2 02:76:6d:61:63:02 * eth0\n10.0.0.3 0x1 0x0 00:00:00:00:00:00 * eth0\n";
        let peer = |last| Ipv4Addr::new(10, 0, 0, last);
        assert_eq!(in_table(table, peer(2), "eth0"), Some([2, 0x76, 0x6d, 0x61, 0x63, 2]));
        assert_eq!(in_table(table, peer(3), "eth0"), None, "nobody has answered");
        assert_eq!(in_table(table, peer(4), "eth0"), None);
    }
}
