//! The background: as much as the network takes, until ended.

use std::io::Write;
use std::net::{TcpStream, ToSocketAddrs, UdpSocket};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

/// The payload of a UDP packet: with IPv4's and UDP's headers 1428 bytes.
const DATAGRAM: [u8; 1400] = [0; 1400];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Options {
    congestion: Option<String>,
    priority: Option<i32>,
    dscp: Option<i32>,
}

fn options(words: &[&str]) -> Result<Options, String> {
    let mut options = Options::default();
    for word in words {
        let number = |text: &str| text.parse().map_err(|_| format!("{word}: not a number"));
        match word.split_once('=') {
            Some(("congestion", name)) => options.congestion = Some(name.to_owned()),
            Some(("priority", text)) => options.priority = Some(number(text)?),
            Some(("dscp", text)) => options.dscp = Some(number(text)?),
            _ => return Err(format!("{word}: not an option")),
        }
    }
    Ok(options)
}

fn set(socket: &impl AsRawFd, level: i32, option: i32, value: &[u8]) -> std::io::Result<()> {
    let (value, size) = (value.as_ptr().cast(), value.len() as libc::socklen_t);
    // SAFETY: `value` is a slice's, and holds `size` bytes until the call returns.
    match unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value, size) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// The type of service goes first: it sets a priority of its own.
fn mark(socket: &impl AsRawFd, options: &Options) -> Result<(), String> {
    if let Some(dscp) = options.dscp {
        set(socket, libc::IPPROTO_IP, libc::IP_TOS, &(dscp << 2).to_ne_bytes())
            .map_err(|error| format!("dscp: {error}"))?;
    }
    if let Some(priority) = options.priority {
        set(socket, libc::SOL_SOCKET, libc::SO_PRIORITY, &priority.to_ne_bytes())
            .map_err(|error| format!("priority: {error}"))?;
    }
    Ok(())
}

/// Runs until it is ended; a flow that breaks ends it with an error.
pub fn run(kind: &str, address: &str, flows: &str, words: &[&str]) -> Result<(), String> {
    let flows: u32 = flows.parse().map_err(|_| format!("{flows}: not a number of flows"))?;
    let options = options(words)?;
    let flow = match kind {
        "tcp" => tcp,
        "udp" => udp,
        _ => return Err(format!("{kind}: neither tcp nor udp")),
    };
    let flows: Vec<_> = (0..flows)
        .map(|_| {
            let (address, options) = (address.to_owned(), options.clone());
            thread::spawn(move || flow(&address, &options))
        })
        .collect();
    flows.into_iter().try_for_each(|flow| flow.join().map_err(|_| "a flow panicked".to_owned())?)
}

fn tcp(address: &str, options: &Options) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{address}: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    mark(&stream, options)?;
    if let Some(name) = &options.congestion {
        set(&stream, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.as_bytes())
            .map_err(|error| format!("{name}: {error}"))?;
    }
    write!(stream, "POST / HTTP/1.1\r\nHost: board\r\n\r\n").map_err(failed)?;
    let zeros = [0; 16 * 1024];
    loop {
        stream.write_all(&zeros).map_err(failed)?;
    }
}

fn udp(address: &str, options: &Options) -> Result<(), String> {
    let to = address.to_socket_addrs().map_err(|error| format!("{address}: {error}"))?.next();
    let to = to.ok_or_else(|| format!("{address}: no address"))?;
    let socket = UdpSocket::bind("0.0.0.0:0").map_err(|error| format!("{address}: {error}"))?;
    mark(&socket, options)?;
    loop {
        match socket.send_to(&DATAGRAM, to) {
            Ok(_) => {}
            // The queue was full, as its sender is told.
            Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                thread::sleep(Duration::from_millis(1))
            }
            // The other end says that nobody listens.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {}
            Err(error) => return Err(format!("{address}: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_unknown_ones_refused() {
        let wanted = Options { congestion: Some("lp".to_owned()), priority: Some(1), dscp: None };
        assert_eq!(options(&["congestion=lp", "priority=1"]), Ok(wanted));
        assert!(options(&["priority=high"]).is_err());
        assert!(options(&["color=red"]).is_err());
    }
}
