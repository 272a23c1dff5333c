//! What goes over the emulated wire, as one of its ends sees it: a packet socket in the end's namespace.

use std::fmt;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::sockopt::ReceiveTimeout;
use nix::sys::socket::{
    AddressFamily, LinkAddr, SockFlag, SockProtocol, SockType, recvfrom, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike};
use tokkyu_lab::wire::{End, Wire};

/// The wire's device in both namespaces.
pub const DEVICE: &str = "wire0";

/// A running capture.
pub struct Capture {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Frame>>,
}

/// The headers of an Ethernet frame.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame(Vec<u8>);

impl Capture {
    pub fn start(wire: &Wire, end: End) -> Capture {
        let is_over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&is_over);
        let thread = wire.start_in(end, move || capture(&until)).expect("a thread");
        Capture { is_over, thread }
    }

    /// Everything since the start.
    pub fn end(self) -> Vec<Frame> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("the capture ends well")
    }
}

fn capture(is_over: &AtomicBool) -> Vec<Frame> {
    let all = SockProtocol::EthAll;
    let socket =
        socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC, all).expect("a packet socket");
    setsockopt(&socket, ReceiveTimeout, &TimeVal::milliseconds(50)).expect("a time-out");
    let device = if_nametoindex(DEVICE).expect("the wire's device") as usize;
    let mut frames = Vec::new();
    let mut bytes = [0; 128];
    while !is_over.load(Ordering::Relaxed) {
        match recvfrom::<LinkAddr>(socket.as_raw_fd(), &mut bytes) {
            // Loopback of the namespace is where DDS belongs.
            Ok((size, from)) if from.is_some_and(|from| from.ifindex() == device) => {
                frames.push(Frame(bytes[..size.min(bytes.len())].to_vec()));
            }
            Ok(_) | Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(error) => panic!("packet socket: {error}"),
        }
    }
    frames
}

impl Frame {
    /// UDP over IPv4 with this port at either side, to one host.
    pub fn is_of_port(&self, port: u16) -> bool {
        let Frame(bytes) = self;
        let is_multicast = bytes.first().is_none_or(|first| first & 1 == 1);
        let is_udp = bytes.get(12..14) == Some(&[8, 0][..]) && bytes.get(23) == Some(&17);
        let ports = bytes.get(34..38).unwrap_or_default();
        let has_port = ports.chunks(2).any(|half| half == port.to_be_bytes());
        !is_multicast && is_udp && has_port
    }

    /// IPv4 from this address.
    pub fn is_from(&self, address: [u8; 4]) -> bool {
        self.0.get(12..14) == Some(&[8, 0][..]) && self.0.get(26..30) == Some(&address[..])
    }

    /// IGMP: which multicast groups a host has joined.
    pub fn is_membership_report(&self) -> bool {
        self.0.get(12..14) == Some(&[8, 0][..]) && self.0.get(23) == Some(&2)
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(44).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
