//! When the kernel or the port had a frame: `SO_TIMESTAMPING` (Documentation/networking/timestamping.rst).

use std::io::IoSliceMut;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, TimestampingFlag, recvmsg, setsockopt, sockopt,
};
use serde::{Deserialize, Serialize};

use crate::clock::{Ns, Wall, ns_of};
use crate::error::{ProbeError, failed};

/// Room for stamps and what comes with one that is sent.
const CONTROL_BYTES: usize = 512;

/// How often one is sent to ourselves until the kernel stamps, and the pause between two: a second in all.
const TRIES: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(1);

/// Who stamped a frame, the closest to the wire first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The port, by its own clock.
    Hardware,
    /// The kernel, when the driver handed a frame up.
    Kernel,
    /// The program.
    User,
}

/// A datagram as it came.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub bytes: usize,
    pub from: SockaddrStorage,
    /// By the source of the run; hardware's by its own clock.
    pub stamp_ns: Ns,
    /// When the kernel had it, by our clock; when the program had it, if the kernel does not say.
    pub kernel_ns: Ns,
    pub user_ns: Ns,
}

/// A socket whose datagrams come with stamps.
pub struct Receiver {
    socket: UdpSocket,
    control: Vec<u8>,
    wall: Wall,
    source: Source,
}

impl Receiver {
    /// Asks for stamps of a source; the port's must have been switched on before.
    pub fn new(socket: UdpSocket, source: Source) -> Result<Receiver, ProbeError> {
        let software =
            TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE;
        let hardware =
            TimestampingFlag::SOF_TIMESTAMPING_RX_HARDWARE | TimestampingFlag::SOF_TIMESTAMPING_RAW_HARDWARE;
        let flags = match source {
            Source::Hardware => software | hardware,
            Source::Kernel => software,
            Source::User => TimestampingFlag::empty(),
        };
        setsockopt(&socket, sockopt::Timestamping, &flags).map_err(failed("SO_TIMESTAMPING"))?;
        if source != Source::User {
            await_stamps(flags)?;
        }
        Ok(Receiver { socket, control: vec![0; CONTROL_BYTES], wall: Wall::here(), source })
    }

    pub fn socket(&self) -> &UdpSocket {
        &self.socket
    }

    /// Whether the wall clock was set since, which makes the kernel's stamps useless.
    pub fn stepped(&self) -> bool {
        self.source != Source::User && self.wall.stepped()
    }

    /// Waits for as long as the socket does; `None` when nothing came.
    pub fn receive(&mut self, payload: &mut [u8]) -> Result<Option<Arrival>, ProbeError> {
        loop {
            let mut buffers = [IoSliceMut::new(payload)];
            let socket = self.socket.as_raw_fd();
            let message = match recvmsg::<SockaddrStorage>(
                socket,
                &mut buffers,
                Some(&mut self.control),
                MsgFlags::empty(),
            ) {
                Ok(message) => message,
                Err(Errno::EAGAIN) => return Ok(None),
                // The other end is not there yet, or no more.
                Err(Errno::EINTR | Errno::ECONNREFUSED) => continue,
                Err(error) => return Err(failed("receive")(error)),
            };
            let user_ns = crate::clock::now();
            let (mut kernel_ns, mut port_ns) = (None, None);
            for control in message.cmsgs().map_err(failed("receive"))? {
                if let ControlMessageOwned::ScmTimestampsns(stamps) = control {
                    kernel_ns = some(ns_of(stamps.system)).map(|ns| self.wall.to_monotonic(ns));
                    port_ns = some(ns_of(stamps.hw_raw));
                }
            }
            let Some(from) = message.address else { continue };
            let stamp = match self.source {
                Source::Hardware => port_ns,
                Source::Kernel => kernel_ns,
                Source::User => Some(user_ns),
            };
            let stamp_ns = stamp.ok_or_else(|| no_stamp(self.source))?;
            return Ok(Some(Arrival {
                bytes: message.bytes,
                from,
                stamp_ns,
                kernel_ns: kernel_ns.unwrap_or(user_ns),
                user_ns,
            }));
        }
    }
}

/// The first socket that asks for stamps makes the kernel change its own code, which it leaves to a worker (`net_enable_timestamp`
/// in net/core/dev.c): what comes before that has none. So datagrams to ourselves are looked at until one has. A machine
/// without a loopback cannot be asked, and is given time.
fn await_stamps(flags: TimestampingFlag) -> Result<(), ProbeError> {
    let Ok(socket) = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)) else {
        thread::sleep(20 * PAUSE);
        return Ok(());
    };
    let at = socket.local_addr().map_err(failed("socket"))?;
    setsockopt(&socket, sockopt::Timestamping, &flags).map_err(failed("SO_TIMESTAMPING"))?;
    socket.set_read_timeout(Some(PAUSE)).map_err(failed("socket"))?;
    let mut control = vec![0; CONTROL_BYTES];
    for _ in 0..TRIES {
        socket.send_to(&[0], at).map_err(failed("loopback"))?;
        let mut byte = [0];
        let mut buffers = [IoSliceMut::new(&mut byte)];
        match recvmsg::<()>(socket.as_raw_fd(), &mut buffers, Some(&mut control), MsgFlags::empty()) {
            Ok(message) => {
                let mut controls = message.cmsgs().map_err(failed("receive"))?;
                if controls.any(|control| matches!(control, ControlMessageOwned::ScmTimestampsns(_))) {
                    return Ok(());
                }
            }
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(error) => return Err(failed("receive")(error)),
        }
        thread::sleep(PAUSE);
    }
    Err(ProbeError::NotPossible("the kernel puts no stamps on datagrams; --stamps user does without".into()))
}

fn no_stamp(source: Source) -> ProbeError {
    ProbeError::NotPossible(format!(
        "a datagram came without a stamp of {source:?}; choose another with --stamps"
    ))
}

/// The kernel's 0 is "none".
fn some(ns: Ns) -> Option<Ns> {
    (ns != 0).then_some(ns)
}

/// The stamp of a frame that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Counted from 0 since stamps were asked for.
    pub id: u32,
    /// When the driver was given it, by our clock.
    pub driver_ns: Option<Ns>,
    /// When it left the port, by the port's clock.
    pub port_ns: Option<Ns>,
}

/// Stamps of what a socket sends.
pub struct Departures {
    socket: RawFd,
    control: Vec<u8>,
    wall: Wall,
}

impl Departures {
    /// The socket must outlive it; its next frame is number 0. One option asks for stamps of both directions, so the kernel's of
    /// what it receives are asked for with it.
    pub fn of(socket: &(impl AsRawFd + AsFd), hardware: bool) -> Result<Departures, ProbeError> {
        let mut flags = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
            | TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE
            | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE
            | TimestampingFlag::SOF_TIMESTAMPING_OPT_ID
            | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
        if hardware {
            flags |= TimestampingFlag::SOF_TIMESTAMPING_TX_HARDWARE
                | TimestampingFlag::SOF_TIMESTAMPING_RAW_HARDWARE
                // The kernel's own too, in a message of its own.
                | TimestampingFlag::from_bits_retain(libc::SOF_TIMESTAMPING_OPT_TX_SWHW);
        }
        setsockopt(socket, sockopt::Timestamping, &flags).map_err(failed("SO_TIMESTAMPING"))?;
        Ok(Departures { socket: socket.as_raw_fd(), control: vec![0; CONTROL_BYTES], wall: Wall::here() })
    }

    /// Whether the wall clock was set since.
    pub fn stepped(&self) -> bool {
        self.wall.stepped()
    }

    /// Those that are known by now.
    pub fn drain(&mut self, mut on_departure: impl FnMut(Departure)) {
        let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
        let mut nothing = [IoSliceMut::new(&mut [])];
        while let Ok(message) = recvmsg::<()>(self.socket, &mut nothing, Some(&mut self.control), flags) {
            let Ok(controls) = message.cmsgs() else { continue };
            let (mut id, mut stamps) = (None, None);
            for control in controls {
                match control {
                    ControlMessageOwned::ScmTimestampsns(found) => stamps = Some(found),
                    ControlMessageOwned::Ipv4RecvErr(error, _)
                    | ControlMessageOwned::Ipv6RecvErr(error, _) => {
                        id = Some(error.ee_data);
                    }
                    ControlMessageOwned::Unknown(other) => id = id.or(id_of_packet_socket(&other.data_bytes)),
                    _ => {}
                }
            }
            let (Some(id), Some(stamps)) = (id, stamps) else { continue };
            on_departure(Departure {
                id,
                driver_ns: some(ns_of(stamps.system)).map(|ns| self.wall.to_monotonic(ns)),
                port_ns: some(ns_of(stamps.hw_raw)),
            });
        }
    }
}

/// Packet sockets tell by a message of their own (`PACKET_TX_TIMESTAMP`), with the same `struct sock_extended_err`.
fn id_of_packet_socket(error: &[u8]) -> Option<u32> {
    const EE_DATA: usize = std::mem::offset_of!(libc::sock_extended_err, ee_data);
    Some(u32::from_ne_bytes(error.get(EE_DATA..EE_DATA + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pause lets the kernel take its stamps back, so that each round is a first one; on a machine where somebody else asks for
    /// stamps too there is nothing to wait for, and nothing to see.
    #[test]
    fn the_first_datagram_has_a_stamp() {
        for _ in 0..30 {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let at = socket.local_addr().unwrap();
            let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            let mut receiver = Receiver::new(socket, Source::Kernel).unwrap();
            sender.send_to(&[1; 8], at).unwrap();
            let arrival = receiver.receive(&mut [0; 16]).unwrap().expect("it was sent");
            assert!(arrival.stamp_ns <= arrival.user_ns);
            drop(receiver);
            thread::sleep(Duration::from_millis(20));
        }
    }
}
