//! The network as nodes ask for it.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;

use tokkyu_callbacks::port::{Listening, Network, NetworkError, Stream};

use super::Posix;
use super::bell::EventBell;
use super::sockets::SystemSockets;
use super::stream::SystemStream;

impl Network for Posix {
    fn listen(&self, address: IpAddr) -> Result<Listening, NetworkError> {
        let system = |error: std::io::Error| NetworkError::System {
            what: "the bell of the network's thread",
            error: error.to_string(),
        };
        let bell = Arc::new(EventBell::new().map_err(system)?);
        let sockets = SystemSockets::listen(address, bell.clone())
            .map_err(|error| NetworkError::Listen(error.to_string()))?;
        Ok((bell, Box::new(sockets)))
    }

    fn connect(&self, host: &str, port: u16) -> Result<Box<dyn Stream>, String> {
        Ok(Box::new(SystemStream::connect(host, port).map_err(|error| error.to_string())?))
    }

    fn is_here(&self, host: &str, port: u16) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = (bare, port).to_socket_addrs();
        bare == self.machine_name()
            || addresses.is_ok_and(|mut addresses| addresses.any(|address| address.ip().is_loopback()))
    }

    fn machine_name(&self) -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }
}
