//! What the ends' sockets have in common.

use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

use nix::sys::socket::{setsockopt, sockopt};

use crate::datagram::payload_of;
use crate::error::{ProbeError, failed};

/// A socket that sends to one end alone, and the payload that makes its frames so large.
pub fn connect(to: SocketAddr, frame_bytes: usize) -> Result<(UdpSocket, usize), ProbeError> {
    let payload = payload_of(frame_bytes, to.is_ipv6()).ok_or_else(|| {
        ProbeError::Usage(format!("--bytes {frame_bytes}: a frame with our fields has 66 (IPv6: 86) to 1514"))
    })?;
    let local: SocketAddr = if to.is_ipv6() { ([0_u16; 8], 0).into() } else { ([0_u8; 4], 0).into() };
    let socket = UdpSocket::bind(local).map_err(failed("socket"))?;
    socket.connect(to).map_err(failed(to.to_string()))?;
    Ok((socket, payload))
}

/// `SO_PRIORITY`, if one is asked for.
pub fn set_priority(socket: &impl AsFd, priority: Option<i32>) -> Result<(), ProbeError> {
    let Some(priority) = priority else { return Ok(()) };
    setsockopt(socket, sockopt::Priority, &priority).map_err(failed("SO_PRIORITY"))
}
