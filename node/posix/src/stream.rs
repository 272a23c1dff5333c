//! A connection that waits: for a program that has nothing else to do until its service has answered.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use tokkyu_callbacks::port::{Ender, Patience, Stream};

use super::sockets::keep_alive;

/// Until a service's node is reached.
const PATIENCE: Duration = Duration::from_secs(5);

fn text(error: std::io::Error) -> String {
    error.to_string()
}

/// A connection to a service.
#[derive(Debug)]
pub(super) struct SystemStream {
    stream: TcpStream,
}

/// Ends a connection whose owner waits for it.
#[derive(Debug)]
struct SystemEnder {
    stream: TcpStream,
}

impl Ender for SystemEnder {
    fn end(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl SystemStream {
    pub(super) fn connect(host: &str, port: u16) -> std::io::Result<SystemStream> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let mut error = std::io::Error::from(std::io::ErrorKind::NotFound);
        for address in (bare, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    keep_alive(&stream);
                    return Ok(SystemStream { stream });
                }
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }
}

impl Stream for SystemStream {
    fn set_patience(&self, patience: Patience) -> Result<(), String> {
        self.stream.set_read_timeout(patience).map_err(text)
    }

    fn is_open(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return false;
        }
        let peeked = self.stream.peek(&mut [0]);
        let is_again = self.stream.set_nonblocking(false).is_ok();
        // Nobody says anything unasked: what is there to read is the end.
        is_again && peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    fn ender(&self) -> Result<Arc<dyn Ender>, String> {
        Ok(Arc::new(SystemEnder { stream: self.stream.try_clone().map_err(text)? }))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.stream.write_all(bytes).map_err(text)
    }

    fn read(&mut self, into: &mut [u8]) -> Result<usize, String> {
        self.stream.read(into).map_err(text)
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
        let SystemStream { stream } = SystemStream::connect("127.0.0.1", port).expect("it is reached");
        assert_eq!(sockopt::socket_keepalive(&stream), Ok(true));
        assert_eq!(sockopt::tcp_user_timeout(&stream), Ok(180_000));
        assert_eq!(sockopt::tcp_nodelay(&stream), Ok(true));
    }
}
