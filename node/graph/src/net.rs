//! What the machine wants of an operating system's network: sockets that never wait.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

use tokkyu_contract::Class;

/// A connection, as long as it lasts. The machine makes the numbers, and none comes twice within 65 536 connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u32);

/// What one reading takes at most, so that one connection does not keep the others waiting (NODE-57).
pub(crate) const TURN: usize = 256 << 10;

/// The two places where others connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// Slave API, XML-RPC.
    Slave,
    /// TCPROS: topics and services.
    Data,
}

/// What became of a read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Io {
    /// So many bytes, at least one.
    Done(usize),
    /// Nothing just now; there will be an event.
    Later,
    /// The connection is over: the other end closed it, or it broke.
    Over,
}

/// One connection, to write to from any thread. Nothing here waits.
pub trait Outgoing: Send + Sync {
    /// As [`Net::write`].
    fn write(&self, parts: [&[u8]; 2]) -> Io;
}

/// Sockets. Nothing here waits.
pub trait Net {
    /// Begins to connect. An event says that it may be written to, or is over.
    ///
    /// # Errors
    ///
    /// [`NetError`]: it cannot even begin.
    fn connect(&mut self, id: ConnId, host: &str, port: u16) -> Result<(), NetError>;

    /// The next one that has connected, which is called `id` from now on. Nothing: there is none just now.
    fn accept(&mut self, listener: Listener, id: ConnId) -> Option<()>;

    /// Reads what is there, into at most all of `into`, which is not empty.
    fn read(&mut self, id: ConnId, into: &mut [u8]) -> Io;

    /// Writes as much as fits of all `parts`, one after the other. They are not all empty.
    fn write(&mut self, id: ConnId, parts: [&[u8]; 2]) -> Io;

    /// The way to write to a connection that has come from threads other than the machine's, as long as it is held, also after [`Net::close`]. Nothing:
    /// there is none.
    fn outgoing(&self, id: ConnId) -> Option<Arc<dyn Outgoing>> {
        let _ = id;
        None
    }

    /// Whether small messages are sent at once (`TCP_NODELAY`).
    fn set_no_delay(&mut self, id: ConnId, is_set: bool);

    /// How much what goes over the connection matters to queues and networks.
    fn set_class(&mut self, id: ConnId, class: Class);

    /// Ends a connection. What was written still goes out.
    fn close(&mut self, id: ConnId);
}

/// Sockets of any kind, by their address.
impl<N: Net + ?Sized> Net for Box<N> {
    fn connect(&mut self, id: ConnId, host: &str, port: u16) -> Result<(), NetError> {
        (**self).connect(id, host, port)
    }

    fn accept(&mut self, listener: Listener, id: ConnId) -> Option<()> {
        (**self).accept(listener, id)
    }

    fn read(&mut self, id: ConnId, into: &mut [u8]) -> Io {
        (**self).read(id, into)
    }

    fn write(&mut self, id: ConnId, parts: [&[u8]; 2]) -> Io {
        (**self).write(id, parts)
    }

    fn outgoing(&self, id: ConnId) -> Option<Arc<dyn Outgoing>> {
        (**self).outgoing(id)
    }

    fn set_no_delay(&mut self, id: ConnId, is_set: bool) {
        (**self).set_no_delay(id, is_set);
    }

    fn set_class(&mut self, id: ConnId, class: Class) {
        (**self).set_class(id, class);
    }

    fn close(&mut self, id: ConnId) {
        (**self).close(id);
    }
}

/// A connection that cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetError {
    /// The system has no way there.
    Unreachable,
    /// Too many names are looked up already.
    Names,
    /// All sockets that the program may have are in use.
    NoSocket,
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NetError::Unreachable => "cannot connect",
            NetError::NoSocket => {
                "all sockets that the program may have are in use (on Linux ulimit -n says how many)"
            }
            NetError::Names => {
                "too many names of machines are looked up at once; name them by their addresses (ROS_IP)"
            }
        })
    }
}

impl core::error::Error for NetError {}
