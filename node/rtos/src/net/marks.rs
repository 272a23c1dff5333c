//! Code points of packets by their connection's class (NRT-27): smoltcp sets none, so that they are set on each frame's way out.

use alloc::vec::Vec;

use smoltcp::iface::SocketHandle;
use smoltcp::phy::{Device, DeviceCapabilities, TxToken};
use smoltcp::socket::tcp::Socket;
use smoltcp::time::Instant;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, IpAddress, IpEndpoint, IpProtocol, Ipv4Packet, TcpPacket,
};
use tokkyu_contract::Class;

/// A connection: our end and the other.
type Ends = (IpEndpoint, IpEndpoint);

struct Mark {
    of: SocketHandle,
    ends: Ends,
    dscp: u8,
}

/// The connections whose packets have a code point other than 0: as many as there are sockets at most.
pub(super) struct Marks(Vec<Mark>);

impl Marks {
    pub(super) fn new(sockets: usize) -> Marks {
        Marks(Vec::with_capacity(sockets))
    }

    /// What a connection sends from now on is of this class. Nothing happens to one that is not made yet, or over.
    pub(super) fn set(&mut self, of: SocketHandle, socket: &Socket<'_>, class: Class) {
        self.forget(of);
        let dscp = class.priorities().dscp;
        if let (Some(own), Some(other)) = (socket.local_endpoint(), socket.remote_endpoint())
            && dscp != 0
        {
            self.0.push(Mark { of, ends: (own, other), dscp });
        }
    }

    /// The socket is another connection's from now on.
    pub(super) fn forget(&mut self, of: SocketHandle) {
        self.0.retain(|mark| mark.of != of);
    }

    /// Sets the code point of a frame that is on its way out.
    fn apply(&self, frame: &mut [u8]) {
        let Some(ends) = ends_of(frame) else { return };
        let Some(mark) = self.0.iter().find(|mark| mark.ends == ends) else { return };
        let mut ethernet = EthernetFrame::new_unchecked(frame);
        let mut packet = Ipv4Packet::new_unchecked(ethernet.payload_mut());
        packet.set_dscp(mark.dscp);
        packet.fill_checksum();
    }
}

/// Whose a frame is; nothing: it is no TCP over version 4 of IP.
fn ends_of(frame: &[u8]) -> Option<Ends> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    if frame.ethertype() != EthernetProtocol::Ipv4 {
        return None;
    }
    let packet = Ipv4Packet::new_checked(frame.payload()).ok()?;
    if packet.next_header() != IpProtocol::Tcp {
        return None;
    }
    let segment = TcpPacket::new_checked(packet.payload()).ok()?;
    let end = |address, port| IpEndpoint { addr: IpAddress::Ipv4(address), port };
    Some((end(packet.src_addr(), segment.src_port()), end(packet.dst_addr(), segment.dst_port())))
}

/// A device that marks what goes out through another one.
pub(super) struct Marking<D> {
    pub(super) device: D,
    pub(super) marks: Marks,
}

pub(super) struct Sending<'m, T> {
    token: T,
    marks: &'m Marks,
}

impl<T: TxToken> TxToken for Sending<'_, T> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, fill: F) -> R {
        let Sending { token, marks } = self;
        token.consume(bytes, |frame| {
            let answer = fill(frame);
            marks.apply(frame);
            answer
        })
    }
}

impl<D: Device> Device for Marking<D> {
    type RxToken<'m>
        = D::RxToken<'m>
    where
        D: 'm;
    type TxToken<'m>
        = Sending<'m, D::TxToken<'m>>
    where
        D: 'm;

    fn receive(&mut self, now: Instant) -> Option<(Self::RxToken<'_>, Self::TxToken<'_>)> {
        let (received, token) = self.device.receive(now)?;
        Some((received, Sending { token, marks: &self.marks }))
    }

    fn transmit(&mut self, now: Instant) -> Option<Self::TxToken<'_>> {
        let token = self.device.transmit(now)?;
        Some(Sending { token, marks: &self.marks })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        self.device.capabilities()
    }
}

#[cfg(test)]
mod tests {
    use smoltcp::iface::SocketSet;
    use smoltcp::phy::ChecksumCapabilities;
    use smoltcp::socket::tcp::SocketBuffer;
    use smoltcp::wire::{Ipv4Address, Ipv4Repr};

    use super::*;

    const OWN: IpEndpoint = IpEndpoint { addr: IpAddress::Ipv4(Ipv4Address::new(10, 0, 0, 1)), port: 11411 };
    const OTHER: IpEndpoint =
        IpEndpoint { addr: IpAddress::Ipv4(Ipv4Address::new(10, 0, 0, 2)), port: 50000 };

    /// A segment without words, of ours.
    fn frame() -> Vec<u8> {
        let mut frame = alloc::vec![0; 14 + 20 + 20];
        let mut ethernet = EthernetFrame::new_unchecked(&mut frame);
        ethernet.set_ethertype(EthernetProtocol::Ipv4);
        let (IpAddress::Ipv4(src_addr), IpAddress::Ipv4(dst_addr)) = (OWN.addr, OTHER.addr);
        let header =
            Ipv4Repr { src_addr, dst_addr, next_header: IpProtocol::Tcp, payload_len: 20, hop_limit: 64 };
        let mut packet = Ipv4Packet::new_unchecked(ethernet.payload_mut());
        header.emit(&mut packet, &ChecksumCapabilities::default());
        let mut segment = TcpPacket::new_unchecked(packet.payload_mut());
        segment.set_src_port(OWN.port);
        segment.set_dst_port(OTHER.port);
        segment.set_header_len(20);
        frame
    }

    fn sent(marks: &Marks, mut frame: Vec<u8>) -> u8 {
        marks.apply(&mut frame);
        let packet = Ipv4Packet::new_checked(&frame[14..]).expect("a packet");
        assert!(packet.verify_checksum());
        packet.dscp()
    }

    #[test]
    fn a_mark_goes_with_its_connection() {
        let mut sockets = SocketSet::new(Vec::new());
        let buffer = || SocketBuffer::new(alloc::vec![0; 64]);
        let of = sockets.add(Socket::new(buffer(), buffer()));
        let mut marks = Marks::new(1);
        marks.set(of, sockets.get(of), Class::Control);
        assert!(marks.0.is_empty(), "it has no ends yet");
        marks.0.push(Mark { of, ends: (OWN, OTHER), dscp: 34 });
        assert_eq!(sent(&marks, frame()), 34);
        // Another connection's, and what is no TCP at all.
        let mut others = frame();
        others[14 + 20 + 1] += 1;
        assert_eq!(sent(&marks, others), 0);
        let mut arp = frame();
        arp[12..14].copy_from_slice(&[8, 6]);
        let before = arp.clone();
        marks.apply(&mut arp);
        assert_eq!(arp, before);
        marks.forget(of);
        assert_eq!(sent(&marks, frame()), 0);
    }

    #[test]
    fn a_frame_that_is_cut_off_stays_what_it_is() {
        let mut sockets = SocketSet::new(Vec::new());
        let buffer = || SocketBuffer::new(alloc::vec![0; 64]);
        let of = sockets.add(Socket::new(buffer(), buffer()));
        let marks = Marks(alloc::vec![Mark { of, ends: (OWN, OTHER), dscp: 34 }]);
        for bytes in 0..frame().len() {
            let mut part = frame();
            part.truncate(bytes);
            marks.apply(&mut part);
            assert_eq!(part, frame()[..bytes]);
        }
    }
}
