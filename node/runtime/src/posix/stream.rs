//! A connection that waits: for a program that has nothing else to do until its service has answered.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::sockets::keep_alive;

/// Until a service's node is reached.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to a service.
#[derive(Debug)]
pub(crate) struct Stream {
    stream: TcpStream,
}

/// Ends a connection whose owner waits for it.
#[derive(Debug)]
pub(crate) struct Ender {
    stream: TcpStream,
}

impl Ender {
    pub(crate) fn end(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Stream {
    pub(crate) fn connect(host: &str, port: u16) -> std::io::Result<Stream> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let mut error = std::io::Error::from(std::io::ErrorKind::NotFound);
        for address in (bare, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    keep_alive(&stream);
                    return Ok(Stream { stream });
                }
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }

    /// So long may a read take; nothing: as long as it does.
    pub(crate) fn set_patience(&self, patience: Option<Duration>) -> std::io::Result<()> {
        self.stream.set_read_timeout(patience)
    }

    /// Whether the other end has not closed it. Waits for nothing.
    pub(crate) fn is_open(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return false;
        }
        let peeked = self.stream.peek(&mut [0]);
        let is_again = self.stream.set_nonblocking(false).is_ok();
        // Nobody says anything unasked: what is there to read is the end.
        is_again && peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    pub(crate) fn ender(&self) -> std::io::Result<Ender> {
        Ok(Ender { stream: self.stream.try_clone()? })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    pub(crate) fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(into)
    }
}

#[cfg(test)]
mod tests {
    use rustix::net::sockopt;

    use super::*;

    /// NODE-56: a call of a service does not wait for a machine that is gone.
    #[test]
    fn a_service_that_is_gone_is_found_out_in_three_minutes() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it listens").port();
        let Stream { stream } = Stream::connect("127.0.0.1", port).expect("it is reached");
        assert_eq!(sockopt::socket_keepalive(&stream), Ok(true));
        assert_eq!(sockopt::tcp_user_timeout(&stream), Ok(180_000));
        assert_eq!(sockopt::tcp_nodelay(&stream), Ok(true));
    }
}
