//! Sockets of the plan's programs: what is set on them, given as words (`priority=1 dscp=1`), and how connections are answered.

use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;

/// Size of a UDP datagram's payload: with IPv4's and UDP's headers 1428 bytes.
const DATAGRAM_BYTES: usize = 1400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    congestion: Option<String>,
    priority: Option<i32>,
    dscp: Option<i32>,
    ecn: Option<i32>,
    /// IPv6 packets have a header of destination options between theirs and UDP's.
    extended: bool,
    /// Payload of a datagram.
    pub bytes: usize,
    /// A datagram that finds no way, for the device is down, is sent again.
    pub patient: bool,
}

impl Default for Options {
    fn default() -> Self {
        let (congestion, priority, dscp, ecn) = (None, None, None, None);
        Options { congestion, priority, dscp, ecn, extended: false, bytes: DATAGRAM_BYTES, patient: false }
    }
}

impl Options {
    pub fn read(words: &[&str]) -> Result<Options, String> {
        let mut options = Options::default();
        for word in words {
            let number = |text: &str| text.parse().map_err(|_| format!("{word}: not a number"));
            match word.split_once('=') {
                Some(("congestion", name)) => options.congestion = Some(name.to_owned()),
                Some(("priority", text)) => options.priority = Some(number(text)?),
                Some(("dscp", text)) => options.dscp = Some(number(text)?),
                Some(("ecn", text)) => options.ecn = Some(number(text)?),
                Some(("bytes", text)) => options.bytes = number(text)? as usize,
                None if *word == "extended" => options.extended = true,
                None if *word == "patient" => options.patient = true,
                _ => return Err(format!("{word}: not an option")),
            }
        }
        Ok(options)
    }

    /// The type of service goes first: it sets a priority of its own.
    pub fn set(&self, socket: &impl AsRawFd, six: bool) -> Result<(), String> {
        let number = |value: i32| value.to_ne_bytes();
        if self.dscp.is_some() || self.ecn.is_some() {
            let field = self.dscp.unwrap_or(0) << 2 | self.ecn.unwrap_or(0);
            let (level, option) = match six {
                true => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
                false => (libc::IPPROTO_IP, libc::IP_TOS),
            };
            set(socket, level, option, &number(field)).map_err(|error| format!("dscp, ecn: {error}"))?;
        }
        if let Some(priority) = self.priority {
            set(socket, libc::SOL_SOCKET, libc::SO_PRIORITY, &number(priority))
                .map_err(|error| format!("priority: {error}"))?;
        }
        if let Some(name) = &self.congestion {
            set(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.as_bytes())
                .map_err(|error| format!("{name}: {error}"))?;
        }
        if self.extended {
            // Next header (the kernel's to fill), its length beyond 8 bytes, and 4 bytes of padding in an option PadN.
            set(socket, libc::IPPROTO_IPV6, libc::IPV6_DSTOPTS, &[0, 0, 1, 4, 0, 0, 0, 0])
                .map_err(|error| format!("extended: {error}"))?;
        }
        Ok(())
    }
}

/// Closed, the connection ends by a RST: what is not sent yet is thrown away.
pub fn reset_on_close(stream: &TcpStream) -> std::io::Result<()> {
    let linger = [1_i32, 0].map(i32::to_ne_bytes).concat();
    set(stream, libc::SOL_SOCKET, libc::SO_LINGER, &linger)
}

/// Answers connections until it is ended, each in a thread of its own: one that never ends must not keep another waiting.
pub fn serve(address: &str, answer: fn(TcpStream) -> std::io::Result<()>) -> Result<(), String> {
    let listener = TcpListener::bind(address).map_err(|error| format!("{address}: {error}"))?;
    loop {
        let (stream, _) = listener.accept().map_err(|error| format!("{address}: {error}"))?;
        thread::spawn(move || {
            if let Err(error) = answer(stream) {
                eprintln!("agent: {error}");
            }
        });
    }
}

pub fn set(socket: &impl AsRawFd, level: i32, option: i32, value: &[u8]) -> std::io::Result<()> {
    let (value, size) = (value.as_ptr().cast(), value.len() as libc::socklen_t);
    // SAFETY: `value` is a slice's, and holds `size` bytes until the call returns.
    match unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value, size) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_unknown_ones_refused() {
        let wanted =
            Options { congestion: Some("lp".to_owned()), priority: Some(1), bytes: 10, ..Options::default() };
        assert_eq!(Options::read(&["congestion=lp", "priority=1", "bytes=10"]), Ok(wanted));
        assert!(Options::read(&["priority=high"]).is_err());
        assert!(Options::read(&["color=red"]).is_err());
    }
}
