//! Brings network devices up in the calling thread's namespace, by the classic ioctls (netdevice(7), arp(7)) and, for
//! the queue length, rtnetlink.
//!
//! Direct calls rather than `ip`: no other program needed, and errors with their step's name. Runs on a
//! namespace's thread, before traffic.
use std::io;
use std::mem::zeroed;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::error::WireError;
use super::queue_length::set_queue_length;

/// A hardware address.
pub(super) type Mac = [u8; 6];

/// A completed permanent neighbour entry (linux/if_arp.h).
const ATF_COMPLETED: i32 = 0x02;
const ATF_PERMANENT: i32 = 0x04;

/// Largest IP packet of the wire's devices, bytes.
pub(super) const MTU_BYTES: i32 = 1_500;

/// Packets a device holds for the relay: 200 ms at 1 Gbit/s, so that a late relay delays and does not drop.
const DEVICE_QUEUE_PACKETS: u32 = 16_384;

/// Who is who on one end of the wire.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) own: Ipv4Addr,
    pub(super) own_mac: Mac,
    pub(super) peer: Ipv4Addr,
    pub(super) peer_mac: Mac,
}

/// Brings the loopback device up.
pub(super) fn loopback_up() -> Result<(), WireError> {
    Interface::named("lo")?.up(0)
}

/// Gives the device its addresses, makes the peer known (WIRE-4) and brings it up.
pub(super) fn bring_up(name: &str, address: Address) -> Result<(), WireError> {
    disable_ipv6(name);
    let interface = Interface::named(name)?;
    interface.set("hardware address", libc::SIOCSIFHWADDR, |request| {
        request.ifr_ifru.ifru_hwaddr = hardware_address(address.own_mac);
    })?;
    interface.set("MTU", libc::SIOCSIFMTU, |request| request.ifr_ifru.ifru_mtu = MTU_BYTES)?;
    set_queue_length(name, DEVICE_QUEUE_PACKETS)
        .map_err(|source| WireError::system(format!("queue length of {name}"), source))?;
    interface.set("address", libc::SIOCSIFADDR, |request| {
        request.ifr_ifru.ifru_addr = internet_address(address.own);
    })?;
    interface.set("netmask", libc::SIOCSIFNETMASK, |request| {
        request.ifr_ifru.ifru_netmask = internet_address(Ipv4Addr::new(255, 255, 255, 0));
    })?;
    // Without multicast the kernel has nothing to say by itself.
    interface.up(libc::IFF_MULTICAST)?;
    interface.add_neighbour(address.peer, address.peer_mac)
}

/// Keeps router solicitations and duplicate-address probes off the wire. Where the setting is missing (no IPv6) or
/// read-only (some containers) nothing is lost: the relay does not carry IPv6 anyway (WIRE-6).
fn disable_ipv6(name: &str) {
    let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1");
}

/// One device, through a socket of the calling thread's namespace.
struct Interface<'a> {
    name: &'a str,
    socket: OwnedFd,
}

impl<'a> Interface<'a> {
    fn named(name: &'a str) -> Result<Self, WireError> {
        // SAFETY: no pointers are passed.
        let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(WireError::system("socket for device settings", io::Error::last_os_error()));
        }
        // SAFETY: the descriptor was just made and is owned by nobody else.
        Ok(Interface { name, socket: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    fn up(&self, without: i32) -> Result<(), WireError> {
        let flags = (libc::IFF_UP | libc::IFF_RUNNING) & !without;
        self.set("flags", libc::SIOCSIFFLAGS, |request| request.ifr_ifru.ifru_flags = flags as i16)
    }

    fn set(
        &self,
        what: &str,
        code: libc::c_ulong,
        fill: impl FnOnce(&mut libc::ifreq),
    ) -> Result<(), WireError> {
        let mut request = request_for(self.name);
        fill(&mut request);
        // SAFETY: all these codes read one ifreq, which lives through the call.
        let result = unsafe { libc::ioctl(self.socket.as_raw_fd(), code as _, &request) };
        self.check(what, result)
    }

    fn add_neighbour(&self, peer: Ipv4Addr, mac: Mac) -> Result<(), WireError> {
        // SAFETY: arpreq is plain data; all zeros is a valid value of it.
        let mut entry: libc::arpreq = unsafe { zeroed() };
        entry.arp_pa = internet_address(peer);
        entry.arp_ha = hardware_address(mac);
        entry.arp_flags = ATF_COMPLETED | ATF_PERMANENT;
        copy_name(self.name, &mut entry.arp_dev);
        // SAFETY: SIOCSARP reads one arpreq, which lives through the call.
        let result = unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::SIOCSARP as _, &entry) };
        self.check("neighbour", result)
    }

    fn check(&self, what: &str, result: i32) -> Result<(), WireError> {
        match result {
            0 => Ok(()),
            _ => Err(WireError::system(format!("{what} of {}", self.name), io::Error::last_os_error())),
        }
    }
}

/// An empty request for a device.
pub(super) fn request_for(name: &str) -> libc::ifreq {
    // SAFETY: ifreq is plain data; all zeros is a valid value of it.
    let mut request: libc::ifreq = unsafe { zeroed() };
    copy_name(name, &mut request.ifr_name);
    request
}

/// The name, cut so that a terminating zero remains.
fn copy_name(name: &str, field: &mut [libc::c_char; libc::IFNAMSIZ]) {
    for (place, byte) in field.iter_mut().zip(name.bytes().take(libc::IFNAMSIZ - 1)) {
        *place = byte as libc::c_char;
    }
}

fn internet_address(address: Ipv4Addr) -> libc::sockaddr {
    // sockaddr_in inside sockaddr: two bytes of port, then the address in network order.
    let mut data: [libc::c_char; 14] = [0; 14];
    for (place, byte) in data[2..6].iter_mut().zip(address.octets()) {
        *place = byte as libc::c_char;
    }
    libc::sockaddr { sa_family: libc::AF_INET as libc::sa_family_t, sa_data: data }
}

fn hardware_address(mac: Mac) -> libc::sockaddr {
    let mut data: [libc::c_char; 14] = [0; 14];
    for (place, byte) in data.iter_mut().zip(mac) {
        *place = byte as libc::c_char;
    }
    libc::sockaddr { sa_family: libc::ARPHRD_ETHER, sa_data: data }
}
