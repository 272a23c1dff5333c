//! A connection that waits: for a program that has nothing else to do until its service has answered.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

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
