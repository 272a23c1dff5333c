//! Numbered datagrams: what of them came, and in what order.
//!
//! A sender waits for its socket's buffer, and where the queue says that it is full it sends the same number again; so on a
//! board every number sent arrives unless something between lost it. Bytes behind the number are made from it, and looked at.

use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;

use crate::socket::{self, Options};

/// Nothing for so long, and what is missing is lost: longer than any gate is held shut by a plan.
const QUIET: Duration = Duration::from_secs(30);
/// So that a receiver that waits for a processor loses nothing.
const BUFFER_BYTES: i32 = 1 << 23;
const NUMBER_BYTES: usize = 8;

/// A socket to send from, and where to.
pub fn open(address: &str, options: &Options) -> Result<(UdpSocket, SocketAddr), String> {
    let to = address.to_socket_addrs().map_err(|error| format!("{address}: {error}"))?.next();
    let to = to.ok_or_else(|| format!("{address}: no address"))?;
    let any = if to.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" };
    let socket = UdpSocket::bind(any).map_err(|error| format!("{address}: {error}"))?;
    options.set(&socket, to.is_ipv6())?;
    Ok((socket, to))
}

/// Sends one, however often the queue is full; for the patient, however long the device is down.
pub fn give(socket: &UdpSocket, datagram: &[u8], to: SocketAddr, patient: bool) -> Result<(), String> {
    loop {
        match socket.send_to(datagram, to) {
            Ok(_) => return Ok(()),
            // The queue was full, as its sender is told.
            Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => sleep(Duration::from_millis(1)),
            Err(error) if patient && is_away(&error) => sleep(Duration::from_millis(1)),
            // The other end says that nobody listens.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => return Ok(()),
            Err(error) => return Err(format!("{to}: {error}")),
        }
    }
}

/// The device is down, or was and has no route back yet.
fn is_away(error: &std::io::Error) -> bool {
    let away = [libc::ENETDOWN, libc::ENETUNREACH, libc::EHOSTUNREACH];
    error.raw_os_error().is_some_and(|code| away.contains(&code))
}

fn datagram(number: u64, bytes: usize) -> Vec<u8> {
    let rest = (NUMBER_BYTES..bytes).map(|at| (number as usize * 31 + at) as u8);
    number.to_be_bytes().into_iter().chain(rest).collect()
}

fn number_of(datagram: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(datagram.get(..NUMBER_BYTES)?.try_into().ok()?))
}

/// Sends the numbers from 0 to `count`.
pub fn send(address: &str, count: &str, words: &[&str]) -> Result<(), String> {
    let count: u64 = count.parse().map_err(|_| format!("{count}: not a number of datagrams"))?;
    let options = Options::read(words)?;
    let (socket, to) = open(address, &options)?;
    (0..count).try_for_each(|number| give(&socket, &datagram(number, options.bytes), to, options.patient))
}

/// What a receiver saw.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Seen {
    received: u64,
    missing: u64,
    /// That came after a higher number.
    reordered: u64,
    /// Whose bytes are not those of their number.
    wrong: u64,
    #[serde(skip)]
    next: u64,
}

impl Seen {
    fn on_datagram(&mut self, bytes: &[u8]) {
        self.received += 1;
        match number_of(bytes) {
            Some(number) if bytes == datagram(number, bytes.len()) => {
                self.reordered += u64::from(number < self.next);
                self.next = self.next.max(number + 1);
            }
            _ => self.wrong += 1,
        }
    }
}

/// Receives until `count` have come, or nothing any more, and prints what it saw.
pub fn receive(address: &str, count: &str) -> Result<(), String> {
    let count: u64 = count.parse().map_err(|_| format!("{count}: not a number of datagrams"))?;
    let failed = |error: std::io::Error| format!("{address}: {error}");
    let socket = UdpSocket::bind(address).map_err(failed)?;
    socket.set_read_timeout(Some(QUIET)).map_err(failed)?;
    socket::set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER_BYTES.to_ne_bytes())
        .map_err(failed)?;
    let mut seen = Seen::default();
    let mut buffer = vec![0; 1 << 16];
    while seen.received < count {
        match socket.recv(&mut buffer) {
            Ok(bytes) => seen.on_datagram(&buffer[..bytes]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(failed(error)),
        }
    }
    seen.missing = count.saturating_sub(seen.received);
    println!("{}", serde_json::to_string(&seen).map_err(|error| error.to_string())?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_content_are_looked_at() {
        let mut seen = Seen::default();
        for number in [0, 1, 3, 2, 4] {
            seen.on_datagram(&datagram(number, 100));
        }
        let mut broken = datagram(5, 100);
        broken[50] ^= 1;
        seen.on_datagram(&broken);
        assert_eq!(seen, Seen { received: 6, missing: 0, reordered: 1, wrong: 1, next: 5 });
    }
}
