//! A relay between two sockets that can lose, hold, mark and record packets: the network of these tests.

use std::io::IoSliceMut;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, setsockopt, sockopt};

/// Which way a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    ToOperator,
    ToVehicle,
}

/// A packet the relay saw.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) way: Way,
    pub(super) bytes: Vec<u8>,
    /// TOS byte it came with.
    pub(super) tos: u8,
}

impl Seen {
    /// Whether it is under a session's keys: a short header (RFC 9000 §17.3).
    pub(super) fn is_session(&self) -> bool {
        self.bytes[0] & 0x80 == 0
    }
}

/// See the file's header. The vehicle connects to [`Relay::address`].
pub(super) struct Relay {
    front: UdpSocket,
    back: UdpSocket,
    operator: SocketAddr,
    vehicle: Option<SocketAddr>,
    /// Whether a packet passes.
    pub(super) passes: Box<dyn FnMut(&Seen) -> bool>,
    /// All packets seen, passed or not.
    pub(super) seen: Vec<Seen>,
}

impl Relay {
    pub(super) fn to(operator: SocketAddr) -> Relay {
        let socket = || {
            let socket = UdpSocket::bind(super::local()).unwrap();
            socket.set_nonblocking(true).unwrap();
            setsockopt(&socket, sockopt::IpRecvTos, &true).unwrap();
            socket
        };
        let (front, back) = (socket(), socket());
        Relay { front, back, operator, vehicle: None, passes: Box::new(|_| true), seen: Vec::new() }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.front.local_addr().unwrap()
    }

    pub(super) fn sockets(&self) -> [BorrowedFd<'_>; 2] {
        [self.front.as_fd(), self.back.as_fd()]
    }

    pub(super) fn forward(&mut self) {
        while let Some((bytes, tos, from)) = read(&self.front) {
            self.vehicle = Some(from);
            self.pass(Seen { way: Way::ToOperator, bytes, tos });
        }
        while let Some((bytes, tos, _)) = read(&self.back) {
            self.pass(Seen { way: Way::ToVehicle, bytes, tos });
        }
    }

    fn pass(&mut self, seen: Seen) {
        if (self.passes)(&seen) {
            self.inject(seen.way, &seen.bytes);
        }
        self.seen.push(seen);
    }

    /// Sends `bytes` as if they had come through.
    pub(super) fn inject(&self, way: Way, bytes: &[u8]) {
        let sent = match (way, self.vehicle) {
            (Way::ToOperator, _) => self.back.send_to(bytes, self.operator),
            (Way::ToVehicle, Some(vehicle)) => self.front.send_to(bytes, vehicle),
            (Way::ToVehicle, None) => return,
        };
        sent.unwrap();
    }

    /// Marks all packets to the operator "congestion experienced" from here on.
    pub(super) fn mark_congestion(&self) {
        setsockopt(&self.back, sockopt::Ipv4Tos, &0b11).unwrap();
    }

    /// The packets of the session seen on the way to the operator.
    pub(super) fn session_packets(&self) -> Vec<Vec<u8>> {
        let session = self.seen.iter().filter(|seen| seen.way == Way::ToOperator && seen.is_session());
        session.map(|seen| seen.bytes.clone()).collect()
    }
}

fn read(socket: &UdpSocket) -> Option<(Vec<u8>, u8, SocketAddr)> {
    let mut buffer = vec![0; 2_048];
    let mut control = cmsg_space!(u8);
    let mut slices = [IoSliceMut::new(&mut buffer)];
    let flags = MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<SockaddrIn>(socket.as_raw_fd(), &mut slices, Some(&mut control), flags).ok()?;
    let tos = message.cmsgs().unwrap().find_map(|part| match part {
        ControlMessageOwned::Ipv4Tos(tos) => Some(tos),
        _ => None,
    });
    let (length, from) = (message.bytes, message.address.unwrap());
    buffer.truncate(length);
    Some((buffer, tos.unwrap_or(0), SocketAddr::from((from.ip(), from.port()))))
}
