//! What nodes ask of the network.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::net::IpAddr;

use tokkyu_callbacks::port::{Listening, Network, NetworkError, Stream};

use super::bell::TaskBell;
use super::sockets::TaskSockets;
use super::stack::Stack;
use super::stream::TaskStream;
use crate::system::{Rtos, System};

impl<S: System> Rtos<S> {
    pub(super) fn stack(&self) -> Result<&'static Stack<S::Device>, String> {
        self.0.stack().ok_or_else(|| "this system has no network".to_string())
    }
}

impl<S: System> Network for Rtos<S> {
    /// At whatever address: the system has one.
    fn listen(&self, _address: IpAddr) -> Result<Listening, NetworkError> {
        let stack = self.stack().map_err(NetworkError::Listen)?;
        let bell = Arc::new(TaskBell::new(*self));
        let sockets = TaskSockets::listen(*self, stack, bell.clone());
        Ok((bell, Box::new(sockets)))
    }

    fn connect(&self, host: &str, port: u16) -> Result<Box<dyn Stream>, String> {
        let stack = self.stack()?;
        let Some(address) = stack.find(host) else {
            return Err(format!("{host} is no number, and none of HOSTS: this system looks up no names"));
        };
        Ok(Box::new(TaskStream::connect(*self, stack, address, port)?))
    }

    /// Others mean another machine by its own address, or have this one's.
    fn is_here(&self, _host: &str, _port: u16) -> bool {
        false
    }

    fn machine_name(&self) -> String {
        self.stack().map_or_else(|_| "127.0.0.1".to_string(), |stack| stack.address().own.to_string())
    }
}
