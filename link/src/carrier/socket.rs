//! The UDP socket: batches out with the class's marks, bursts in with their stamps.
//!
//! Runs on the link thread; non-blocking, one system call a batch. Receiving is `quinn-udp`'s (recvmmsg, GRO, ECN,
//! destination address, kernel stamp). Sending is our own: `quinn-udp` puts an `IP_TOS` message with the ECN bits
//! alone on every packet, which overrides the socket's DSCP and lets the kernel derive `skb->priority` from it. We set
//! both as socket options instead, only when the mark changes, which works on every kernel (`SO_PRIORITY` as a
//! per-packet message needs Linux 6.14).
//!
//! No packet is ever fragmented: `IP_PMTUDISC_PROBE` sets DF and ignores the kernel's path MTU guess, so a packet too
//! large for the interface fails with `EMSGSIZE` and is counted. The socket stays unconnected: the kernel then picks
//! route and source address for each batch, and a vehicle whose default route moves to another modem goes on sending.

use std::ffi::OsString;
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg, setsockopt, sockopt};
use quinn_udp::{RecvMeta, UdpSocketState};
use tokkyu_contract::{Class, MonoTime};

use super::clock::{self, StampReader};
use super::error::CarrierError;

/// What a gigabit brings in some 60 ms in which the link thread does not run (the kernel charges a packet about twice
/// its size).
const RECEIVE_BUFFER_BYTES: usize = 16 << 20;
/// Small on purpose: what lies in the kernel can no longer give way to something more urgent.
const SEND_BUFFER_BYTES: usize = 400 << 10;
/// Received buffers of one system call. Each holds up to 64 packets when GRO joined them.
const INBOX: usize = 32;
/// Largest thing GRO hands over: a UDP datagram of maximum length.
const INBOX_BYTES: usize = 65_536;

/// What the socket counts; `counters.rs` says what each means.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SocketCounters {
    pub(super) packets_sent: u64,
    pub(super) packet_bytes_sent: u64,
    pub(super) send_calls: u64,
    pub(super) gso_calls: u64,
    pub(super) would_block: u64,
    pub(super) too_big: u64,
    pub(super) unsendable: u64,
    pub(super) unmarked: u64,
}

/// Packets of one size to one address, with one mark.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) to: SocketAddr,
    /// Source address to use where the machine has several; `None` leaves it to the kernel.
    pub(super) from: Option<IpAddr>,
    /// ECN field, 0 to 3 (RFC 3168).
    pub(super) ecn: u8,
    pub(super) class: Class,
    pub(super) bytes: Vec<u8>,
    /// Size of each packet in `bytes`; the last may be shorter. `None`: one packet.
    pub(super) segment: Option<usize>,
}

/// What became of a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Posted {
    /// The kernel has it, or refused it for good; either way it is done with.
    Done,
    /// The send buffer is full: post it again when the socket is writable.
    Blocked,
}

/// What the kernel puts on packets at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    tos: u8,
    priority: u8,
}

/// A bound, non-blocking UDP socket.
pub(super) struct Socket {
    io: UdpSocket,
    setup: UdpSocketState,
    local: SocketAddr,
    mark: Option<Mark>,
    gso: bool,
    counters: SocketCounters,
    refused_bytes: Option<usize>,
}

impl Socket {
    /// On `device` alone, where one is given: a modem that is not the default route is reached in no other way.
    pub(super) fn bind(address: SocketAddr, device: Option<&str>) -> Result<Socket, CarrierError> {
        let io = UdpSocket::bind(address).map_err(|source| CarrierError::of_bind(address, source))?;
        let failed = |source| CarrierError::Socket { address, source };
        if let Some(device) = device {
            bind_to(&io, device)?;
        }
        let setup = UdpSocketState::new((&io).into()).map_err(failed)?;
        let local = io.local_addr().map_err(failed)?;
        size_buffers(&io).map_err(|errno| failed(errno.into()))?;
        let gso = setup.max_gso_segments() > 1;
        Ok(Socket {
            io,
            setup,
            local,
            mark: None,
            gso,
            counters: SocketCounters::default(),
            refused_bytes: None,
        })
    }

    pub(super) fn local(&self) -> SocketAddr {
        self.local
    }

    pub(super) fn counters(&self) -> SocketCounters {
        self.counters
    }

    /// Takes over what another socket counted, when this one replaces it.
    pub(super) fn inherit(&mut self, counters: SocketCounters) {
        self.counters = counters;
    }

    /// Bytes the kernel granted to the receive buffer. Less than wanted without privilege: `net.core.rmem_max`.
    pub(super) fn receive_buffer(&self) -> Option<usize> {
        // The kernel reports twice what was asked for: it counts its own bookkeeping.
        nix::sys::socket::getsockopt(&self.io, sockopt::RcvBuf).ok().map(|bytes| bytes / 2)
    }

    /// Hands `parcel` to the kernel.
    pub(super) fn post(&mut self, parcel: &Parcel) -> Posted {
        self.put_mark(parcel.class, parcel.ecn);
        match parcel.segment.filter(|&size| size < parcel.bytes.len()) {
            Some(size) if self.gso => self.post_batch(parcel, size),
            Some(size) => self.post_singly(parcel, size),
            None => self.post_one(parcel, &parcel.bytes),
        }
    }

    /// All packets of `parcel` with one call; the kernel or the NIC cuts them (UDP GSO).
    fn post_batch(&mut self, parcel: &Parcel, size: usize) -> Posted {
        match self.call(parcel, &parcel.bytes, Some(size)) {
            Ok(()) => {
                self.counters.gso_calls += 1;
                self.count_sent(parcel.bytes.len().div_ceil(size), parcel.bytes.len());
                Posted::Done
            }
            Err(Errno::EAGAIN) => self.blocked(),
            // EIO: this interface cannot. EINVAL or EMSGSIZE, depending on the kernel: a packet is larger than the
            // interface's MTU; sent one by one, each says so itself.
            Err(errno) => {
                self.gso = errno != Errno::EIO;
                self.post_singly(parcel, size)
            }
        }
    }

    fn post_singly(&mut self, parcel: &Parcel, size: usize) -> Posted {
        for (index, packet) in parcel.bytes.chunks(size).enumerate() {
            if self.post_one(parcel, packet) == Posted::Blocked {
                if index == 0 {
                    return Posted::Blocked;
                }
                // The first packets are gone and must not be sent again, where the peer would take them for
                // replays. The rest is lost here as it might be on the way; the link repairs it.
                self.counters.unsendable += (parcel.bytes.len().div_ceil(size) - index) as u64;
                return Posted::Done;
            }
        }
        Posted::Done
    }

    fn post_one(&mut self, parcel: &Parcel, packet: &[u8]) -> Posted {
        match self.call(parcel, packet, None) {
            Ok(()) => self.count_sent(1, packet.len()),
            Err(Errno::EAGAIN) => return self.blocked(),
            Err(Errno::EMSGSIZE) => self.on_refused_size(packet.len()),
            Err(_) => self.counters.unsendable += 1,
        }
        Posted::Done
    }

    fn on_refused_size(&mut self, bytes: usize) {
        self.counters.too_big += 1;
        self.refused_bytes = Some(self.refused_bytes.map_or(bytes, |least| least.min(bytes)));
    }

    /// The shortest UDP payload refused for its length since this was asked last.
    pub(super) fn take_refused_bytes(&mut self) -> Option<usize> {
        self.refused_bytes.take()
    }

    fn call(&mut self, parcel: &Parcel, bytes: &[u8], segment: Option<usize>) -> Result<(), Errno> {
        let segment = segment.map(|size| size as u16);
        let (mut v4, mut v6) = (None, None);
        match parcel.from {
            Some(IpAddr::V4(from)) => {
                v4 = Some(libc::in_pktinfo {
                    ipi_ifindex: 0,
                    ipi_spec_dst: libc::in_addr { s_addr: u32::from_ne_bytes(from.octets()) },
                    ipi_addr: libc::in_addr { s_addr: 0 },
                });
            }
            Some(IpAddr::V6(from)) => {
                let ipi6_addr = libc::in6_addr { s6_addr: from.octets() };
                v6 = Some(libc::in6_pktinfo { ipi6_addr, ipi6_ifindex: 0 });
            }
            None => {}
        }
        let messages = [
            segment.as_ref().map(ControlMessage::UdpGsoSegments),
            v4.as_ref().map(ControlMessage::Ipv4PacketInfo),
            v6.as_ref().map(ControlMessage::Ipv6PacketInfo),
        ];
        let messages: Vec<ControlMessage<'_>> = messages.into_iter().flatten().collect();
        let to = SockaddrStorage::from(parcel.to);
        loop {
            self.counters.send_calls += 1;
            let sent = sendmsg(
                self.io.as_raw_fd(),
                &[IoSlice::new(bytes)],
                &messages,
                MsgFlags::MSG_NOSIGNAL,
                Some(&to),
            );
            match sent {
                Err(Errno::EINTR) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    fn blocked(&mut self) -> Posted {
        self.counters.would_block += 1;
        Posted::Blocked
    }

    fn count_sent(&mut self, packets: usize, bytes: usize) {
        self.counters.packets_sent += packets as u64;
        self.counters.packet_bytes_sent += bytes as u64;
    }

    /// Makes the kernel put the class's DSCP and priority on what follows. A refusal costs the mark, not the packet.
    fn put_mark(&mut self, class: Class, ecn: u8) {
        let row = class.priorities();
        let mark = Mark { tos: row.dscp << 2 | ecn & 0b11, priority: row.skb_priority };
        if self.mark == Some(mark) {
            return;
        }
        if self.set_mark(mark).is_err() {
            self.counters.unmarked += 1;
        }
        self.mark = Some(mark);
    }

    /// The order matters: setting `IP_TOS` also sets the priority to one derived from it.
    fn set_mark(&self, mark: Mark) -> Result<(), Errno> {
        if self.local.is_ipv6() {
            setsockopt(&self.io, sockopt::Ipv6TClass, &i32::from(mark.tos))?;
        }
        // On an IPv6 socket too: it may serve IPv4 peers under mapped addresses.
        setsockopt(&self.io, sockopt::Ipv4Tos, &i32::from(mark.tos))?;
        setsockopt(&self.io, sockopt::Priority, &i32::from(mark.priority))
    }

    /// Reads what one system call gives into `inbox`; returns how many buffers it filled, 0 if nothing waits.
    pub(super) fn receive(&self, inbox: &mut Inbox) -> usize {
        let mut slots = inbox.buffers.iter_mut();
        let mut slices: [IoSliceMut<'_>; INBOX] =
            std::array::from_fn(|_| IoSliceMut::new(slots.next().map_or(&mut [], |buffer| &mut buffer[..])));
        let began = clock::now();
        // Errors other than "nothing there" are answers to something sent earlier (ICMP); the next read goes on.
        let read = self.setup.recv((&self.io).into(), &mut slices, &mut inbox.meta);
        let is_drained = match &read {
            Ok(filled) => *filled < INBOX,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        };
        inbox.stamps.on_read(began, is_drained);
        read.unwrap_or(0)
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.io.as_fd()
    }
}

fn bind_to(io: &UdpSocket, device: &str) -> Result<(), CarrierError> {
    let bound = setsockopt(io, sockopt::BindToDevice, &OsString::from(device));
    bound.map_err(|errno| CarrierError::Device { device: device.to_owned(), source: errno.into() })
}

fn size_buffers(io: &UdpSocket) -> Result<(), Errno> {
    // The FORCE options need CAP_NET_ADMIN; the others give as much as the administrator allows everyone.
    if setsockopt(io, sockopt::RcvBufForce, &RECEIVE_BUFFER_BYTES).is_err() {
        setsockopt(io, sockopt::RcvBuf, &RECEIVE_BUFFER_BYTES)?;
    }
    if setsockopt(io, sockopt::SndBufForce, &SEND_BUFFER_BYTES).is_err() {
        setsockopt(io, sockopt::SndBuf, &SEND_BUFFER_BYTES)?;
    }
    Ok(())
}

/// Buffers for what one system call reads. Made once: receiving does not allocate here.
pub(super) struct Inbox {
    buffers: Vec<Vec<u8>>,
    meta: [RecvMeta; INBOX],
    stamps: StampReader,
}

/// Packets of one size from one address, as the kernel joined them.
pub(super) struct Arrival<'a> {
    pub(super) from: SocketAddr,
    /// Our address they were sent to.
    pub(super) to: Option<IpAddr>,
    pub(super) ecn: Option<quinn_udp::EcnCodepoint>,
    pub(super) at: MonoTime,
    pub(super) bytes: &'a [u8],
    /// Size of each packet in `bytes`; the last may be shorter.
    pub(super) stride: usize,
}

impl Inbox {
    pub(super) fn new() -> Inbox {
        Inbox {
            buffers: vec![vec![0; INBOX_BYTES]; INBOX],
            meta: [RecvMeta::default(); INBOX],
            stamps: StampReader::new(),
        }
    }

    /// Whether a call that filled as many may have left some behind.
    pub(super) fn is_full(&self, filled: usize) -> bool {
        filled == self.buffers.len()
    }

    /// The first `filled` buffers, as [`Socket::receive`] left them.
    pub(super) fn arrivals(&mut self, filled: usize) -> impl Iterator<Item = Arrival<'_>> {
        let Inbox { buffers, meta, stamps } = self;
        meta.iter().zip(buffers.iter()).take(filled).map(|(meta, buffer)| Arrival {
            from: meta.addr,
            to: meta.dst_ip,
            ecn: meta.ecn,
            at: stamps.arrival(meta.timestamp),
            bytes: &buffer[..meta.len.min(buffer.len())],
            stride: meta.stride.max(1),
        })
    }
}
